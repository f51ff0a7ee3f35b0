"""A kernel for every pair of dtypes that a function of two scalars takes, all in one program."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Iterable
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np

from clew.engines.cuda.toolchain.source import Compiled, KernelSource, ctype
from clew.errors import OperatorError
from clew.operators.inspection import result_dtype

DTYPES = tuple(
    np.dtype(name)
    for name in "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64".split()  # noqa: SIM905
)
Pair = tuple[np.dtype[Any], np.dtype[Any]]
_folder = tempfile.TemporaryDirectory(prefix="clew-scalars-")
KERNEL = """
extern "C" __global__ void all_{k}(const {left}* u, const {right}* v, {result}* out, int rows, int columns) {{
    for (int i = 0; i < rows * columns; i++) out[i] = f_{k}(u[i / columns], v[i % columns]);
}}
"""


def typed(function: FunctionType, pairs: Iterable[Pair] | None = None) -> list[Compiled]:
    """The function for every pair of dtypes that it takes, or for some pairs."""
    found = []
    for left, right in itertools.product(DTYPES, DTYPES) if pairs is None else pairs:
        try:
            result = result_dtype(function, left, right)
        except OperatorError:
            continue
        found.append(Compiled(function, (left, right), result))
    return found


def one_kernel_of(name: str, given: list[Compiled]) -> KernelSource:
    """A kernel that calls each once: a compiler takes far longer for many kernels than for a long one."""
    calls = (
        f"    (({ctype(each.result)}*)out)[{8 * k}] = f_{k}((({ctype(each.arguments[0])}*)u)[{k}], "
        f"(({ctype(each.arguments[1])}*)v)[{k}]);\n"
        for k, each in enumerate(given)
    )
    return _program(
        name, f'extern "C" __global__ void all(char* u, char* v, char* out) {{\n{"".join(calls)}}}\n', given
    )


def program_of(name: str, given: list[Compiled]) -> KernelSource:
    """Kernels ``all_0``, ``all_1``, … that give the results for all pairs of two vectors."""
    text = "".join(
        KERNEL.format(k=k, left=ctype(each.arguments[0]), right=ctype(each.arguments[1]), result=ctype(each.result))
        for k, each in enumerate(given)
    )
    return _program(name, text, given)


def _program(name: str, text: str, given: list[Compiled]) -> KernelSource:
    path = Path(_folder.name) / f"{name}.cuh"
    path.write_text(text)
    return KernelSource.of(str(path), {}, {f"f_{k}": each for k, each in enumerate(given)})


def special(dtype: np.dtype[Any]) -> Any:
    """Values at which functions differ if they differ at all: ends of the range, zeros of both signs, NaN."""
    if dtype.kind == "b":
        return np.array([False, True])
    if dtype.kind == "f":
        ends = np.finfo(dtype)
        some = [0.0, -0.0, 1.0, -1.0, 0.1, 2.5, -3.75, 16777217.0, ends.tiny, ends.max, ends.min, ends.eps]
        return np.array([*some, np.inf, -np.inf, np.nan], dtype=dtype)
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    return np.array(
        sorted({low, low + 1, high - 1, high, high // 3, 0, 1, 2, 7, *([-1, -2] if low else [])}), dtype=dtype
    )
