"""Kernels as text: a file with its includes, the macros that specialise it, and the users' functions it calls."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np
import numpy.typing as npt

from clew import cache_folder
from clew.errors import ResourceError
from clew.operators.inspection import fingerprint

KERNELS = Path(__file__).parents[1] / "kernels"
ALGORITHMS = Path(__file__).parents[3] / "algorithms"
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"\s*$', re.MULTILINE)
ENTRY = re.compile(r'extern\s+"C"\s+__global__\s+void\s+(?:__launch_bounds__\([^)]*\)\s*)?(\w+)\s*\(')

#: The C type of every dtype. A bool is a byte: what another type would do to other bit patterns never comes up.
C_TYPES = {
    "bool": "unsigned char",
    "int8": "signed char",
    "int16": "short",
    "int32": "int",
    "int64": "long long",
    "uint8": "unsigned char",
    "uint16": "unsigned short",
    "uint32": "unsigned int",
    "uint64": "unsigned long long",
    "float32": "float",
    "float64": "double",
}


_BY_DTYPE = {np.dtype(name): c_name for name, c_name in C_TYPES.items()}  # a dtype takes microseconds to say its name


def ctype(dtype: npt.DTypeLike) -> str:
    """What a dtype is called in C."""
    kind = np.dtype(dtype)
    return _BY_DTYPE.get(kind) or C_TYPES[kind.name]


@dataclass(frozen=True)
class Compiled:
    """A Python function of scalars that kernels call by a name of their own, and its types there.

    ``mark`` tells it from every other function and types, in this process and the next. It is taken when this is made:
    a function that uses a global which has changed since is another one.
    """

    function: FunctionType = field(compare=False)
    arguments: tuple[np.dtype[Any], ...]
    result: np.dtype[Any]
    mark: str = field(init=False)

    def __post_init__(self) -> None:
        types = ",".join(dtype.name for dtype in (*self.arguments, self.result))
        object.__setattr__(self, "mark", f"{fingerprint(self.function):x}:{types}")


def compiled(function: FunctionType, arguments: tuple[npt.DTypeLike, ...], result: npt.DTypeLike) -> Compiled:
    """The same from anything NumPy takes for a dtype."""
    return Compiled(function, tuple(np.dtype(argument) for argument in arguments), np.dtype(result))


#: Macros and users' functions by name.
Macros = Mapping[str, Any]
Operators = Mapping[str, Compiled]


@dataclass(frozen=True)
class KernelSource:
    """One file of kernels, specialised."""

    file: str
    defines: tuple[tuple[str, str], ...] = ()
    operators: tuple[tuple[str, Compiled], ...] = ()

    @classmethod
    def of(cls, file: str, defines: Macros | None = None, operators: Operators | None = None) -> KernelSource:
        """From the macros and functions by name."""
        macros = sorted((name, str(value)) for name, value in (defines or {}).items())
        return cls(file, tuple(macros), tuple(sorted((operators or {}).items(), key=lambda item: item[0])))

    @property
    def text(self) -> str:
        """The whole source, macros aside."""
        return text_of(self.file)

    @property
    def entries(self) -> list[str]:
        """The names of the kernels in it."""
        return ENTRY.findall(self.text)

    def key(self, *circumstances: str) -> str:
        """A name for what is compiled from this: the same text and functions, under the same circumstances."""
        parts = [self.text, repr(self.defines), *circumstances]
        parts += [f"{name}={operator.mark}" for name, operator in self.operators]
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:40]


@lru_cache(maxsize=256)
def text_of(file: str) -> str:
    """A kernel file with its includes in place, each once."""
    return _expanded(file, set())


@lru_cache(maxsize=1)
def kernel_files() -> dict[str, Path]:
    """Every kernel file by its name: shared ones, and those in the folders of algorithms."""
    return {path.name: path for path in (*KERNELS.glob("*.cuh"), *ALGORITHMS.glob("*/*.cuh"))}


def kernel_path(file: str) -> Path:
    """The kernel file of that name, or at that path."""
    return kernel_files().get(file, Path(file))


def _expanded(file: str, seen: set[str]) -> str:
    if file in seen:
        return ""
    seen.add(file)
    text = kernel_path(file).read_text(encoding="utf-8").replace("#pragma once", "")
    return INCLUDE.sub(lambda match: _expanded(match[1], seen), text)


def kept(name: str, make: Callable[[Path], object]) -> Path:
    """The file ``name`` of the cache, made by ``make(path)`` if it is not there; whole or not at all."""
    found = cache_folder.find(name)
    if found is not None:
        return found
    folder = cache_folder.writable_folder()
    if folder is None:
        raise ResourceError(
            f"there is no folder for {Path(name).name}, which must be a file to be loaded. {cache_folder.REMEDY}."
        )
    path = folder / name
    draft = cache_folder.draft_of(path)  # others may make the same now
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        make(draft)
        draft.replace(path)
    except OSError as error:
        raise ResourceError(f"{path} cannot be written: {error.strerror}. {cache_folder.REMEDY}.") from error
    finally:
        with suppress(OSError):
            draft.unlink()
    return path


def kept_bytes(name: str, make: Callable[[], bytes]) -> bytes:
    """As ``kept``, for what is needed in memory only: where nothing can be written, it is made every time."""
    found = cache_folder.find(name)
    if found is not None:
        return found.read_bytes()
    content = make()
    cache_folder.store(name, content)
    return content
