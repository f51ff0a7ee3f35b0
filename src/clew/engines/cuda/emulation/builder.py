"""Compile kernels to shared libraries with g++, cached on disk, and users' Python functions with Numba.

The source is preprocessed first, so that kernels and ``__shared__`` variables from macros are visible in the text. Each
kernel gets an entry point for Python. Users' functions are called through pointers.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from numba import cfunc
from numba.np.numpy_support import from_dtype

from clew.engines.compile_errors import is_compile_error, operator_error
from clew.engines.cuda.toolchain.compiler import stored, typed
from clew.engines.cuda.toolchain.expressions import definitions, linked
from clew.engines.cuda.toolchain.source import Compiled, KernelSource, ctype, kept, kernel_files, kernel_path
from clew.errors import DeviceError, MissingDependencyError
from clew.jit import uncollected

HERE = Path(__file__).parent
HEADER = HERE / "cuda_on_cpu.h"
FLAGS = ("-std=c++17", "-fPIC", "-fvisibility=hidden", "-fno-strict-aliasing", "-ffp-contract=off", "-w")
#: One region for the allocation of registers: that takes g++ a tenth of the time in long kernels. Libraries
#: are found through the runtime: reading them takes the linker as long as some kernels take g++.
PLAIN = ("-O1", "-fira-region=one", "-fno-asynchronous-unwind-tables", "-nodefaultlibs", "-lgcc")
#: Not optimised: that would take g++ four times as long, and remove some checks.
SANITIZED = ("-O0", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer", "-g1")

KERNEL = re.compile(r'extern\s+"C"\s+void\s+(\w+)\s*\(')
SHARED = re.compile(r"\b__shared__\b([^;{}=]*?)\b(\w+)\s*((?:\[[^\]]*\]\s*)*);")
ENTRY = """
extern "C" __attribute__((visibility("default"))) int emulate_{name}(
    unsigned blocks, unsigned threads, unsigned shared_bytes, int cooperative, void** arguments) {{
    return emulated::start("{name}", {name}, blocks, threads, shared_bytes, cooperative, arguments);
}}
extern "C" __attribute__((visibility("default"))) const char* signature_{name}() {{
    return emulated::signature({name});
}}
"""
_functions: dict[str, Any] = {}


@dataclass(frozen=True)
class Builder:
    """How kernels are compiled: with sanitizers or without, and with which ``__CUDA_ARCH__``."""

    sanitize: bool = False
    cuda_arch: int = 900

    def library(self, program: KernelSource) -> ctypes.CDLL:
        """The loaded kernels of a program. Pointers to users' functions must be set before a launch."""
        runtime = self._runtime_path()
        _loaded(runtime)
        types = [f"{name}({o.arguments})->{o.result}" for name, o in linked(program)]
        key = self._key(program.text, repr(program.defines), definitions(program), *types)
        path = kept(f"emulated/{key}.so", lambda draft: self._build(program, draft, runtime))
        return _loaded(path)

    def runtime(self) -> ctypes.CDLL:
        """The shared runtime of all kernels: fibers, barriers, launches."""
        return _loaded(self._runtime_path())

    def _runtime_path(self) -> Path:
        if self.sanitize:
            check_sanitizer()
        name = f"runtime-{Builder(self.sanitize)._key()}.so"
        # Kernels find the runtime by the name in it, because it is loaded before them.
        flags = (*FLAGS, *((*SANITIZED, "-O1") if self.sanitize else ("-O2",)), "-shared", f"-Wl,-soname,{name}")
        return kept(
            f"emulated/{name}", lambda draft: run([*flags, "-pthread", str(HERE / "runtime.cpp"), "-o", str(draft)])
        )

    def _build(self, program: KernelSource, draft: Path, runtime: Path) -> None:
        source = run(["-E", "-x", "c++", "-std=c++17", *self._options(), "-"], self._text(program))
        text = share(source)
        entries = "".join(ENTRY.format(name=name) for name in sorted(set(KERNEL.findall(text))))
        inputs = ("-shared", "-x", "c++-cpp-output", "-", "-x", "none", str(runtime))  # libraries come after them
        run([*FLAGS, *inputs, *(SANITIZED if self.sanitize else PLAIN), "-o", str(draft)], text + entries)

    def _options(self) -> list[str]:
        folders = sorted({str(path.parent) for path in kernel_files().values()})
        return ["-include", str(HEADER), f"-D__CUDA_ARCH__={self.cuda_arch}", *(f"-I{folder}" for folder in folders)]

    def _text(self, program: KernelSource) -> str:
        """The macros come after the emulation, whose own names they must not replace."""
        lines = [f"#define {name} {value}" for name, value in program.defines]
        lines.append(definitions(program))
        for name, operator in linked(program):
            arguments = ", ".join(ctype(dtype) for dtype in operator.arguments)
            lines.append(
                f'extern "C" __attribute__((visibility("default"))) {ctype(operator.result)} (*{name})({arguments});'
            )
            lines.append(f"{ctype(operator.result)} (*{name})({arguments});")
        return "\n".join([*lines, f'#include "{kernel_path(program.file)}"', ""])

    def _key(self, *parts: str) -> str:
        everything = [*parts, repr(self), repr((FLAGS, PLAIN, SANITIZED, ENTRY)), compiler_version(), emulation_text()]
        return hashlib.sha256("\0".join(everything).encode()).hexdigest()[:40]


def share(text: str) -> str:
    """Turn ``__shared__`` variables into references to the running block's memory, each with its own key."""

    def reference(match: re.Match[str]) -> str:
        declared, name, extent = match.groups()
        if "," in re.sub(r"<[^<>]*>|\([^()]*\)", "", declared):
            raise DeviceError(f"__shared__{declared}{name}{extent}: the emulation takes one variable in a declaration.")
        typed = f"shared_type_{name}"
        return (
            f"static char shared_id_{name}; typedef {declared} {typed} {extent}; {typed}& {name} = "
            f"*static_cast<{typed}*>(emulated::shared_variable(&shared_id_{name}, sizeof({typed})));"
        )

    return SHARED.sub(reference, text)


def run(arguments: list[str], text: str = "") -> str:
    """What g++ prints; an error in the source gives DeviceError with its first lines."""
    # A preloaded sanitizer would slow the compiler down.
    quick = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    done = subprocess.run([compiler(), *arguments], input=text, capture_output=True, text=True, check=False, env=quick)
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if "error" in line or "undefined" in line]
        raise DeviceError(
            "a kernel cannot be compiled for the emulation: " + "\n".join(lines[:8] or [done.stderr[-800:]])
        )
    return done.stdout


@lru_cache(maxsize=1)
def compiler() -> str:
    """Where g++ is."""
    path = shutil.which("g++")
    if path is None:
        raise MissingDependencyError(
            "the emulation of CUDA needs g++ 10 or later, which is not on the PATH; install it (apt install g++)."
        )
    return path


@lru_cache(maxsize=1)
def compiler_version() -> str:
    """The version of g++, which is part of the cache key."""
    return run(["-dumpfullversion", "-dumpmachine"])


@lru_cache(maxsize=1)
def emulation_text() -> str:
    """The emulation itself, which is part of every library."""
    return "".join(path.read_text(encoding="utf-8") for path in sorted([*HERE.glob("*.h"), *HERE.glob("*.cpp")]))


def sanitizer_library() -> str:
    """The library to preload (``LD_PRELOAD``) for sanitized kernels."""
    return run(["-print-file-name=libasan.so"]).strip()


def check_sanitizer() -> None:
    """Raise an error with advice: AddressSanitizer ends a process that did not load it first."""
    if "libasan" not in Path("/proc/self/maps").read_text():
        raise DeviceError(
            "sanitized kernels need AddressSanitizer in the process from its start; start Python with "
            "LD_PRELOAD=$(g++ -print-file-name=libasan.so) ASAN_OPTIONS=detect_leaks=0."
        )


@cache
def _loaded(path: Path) -> ctypes.CDLL:
    return ctypes.CDLL(str(path), mode=ctypes.RTLD_LOCAL)


def address_of(operator: Compiled) -> int:
    """The address of the compiled function, cached for equal functions."""
    if operator.mark not in _functions:
        _functions[operator.mark] = _compiled(operator)
    return int(_functions[operator.mark].address)


def _compiled(operator: Compiled) -> Any:
    arguments = [from_dtype(stored(dtype)) for dtype in operator.arguments]
    signature = from_dtype(stored(operator.result))(*arguments)
    try:
        # As on a GPU, a division by zero is no error.
        with uncollected():
            return cfunc(signature, error_model="numpy")(typed(operator))
    except Exception as error:
        if is_compile_error(error):
            raise operator_error(operator.function, error, " for the emulation") from error
        raise
