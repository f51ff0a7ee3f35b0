"""Operators over vectors and tables on the GPU, and sums of segments."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew import operators
from clew.engines.cuda import algebra, balance
from clew.engines.cuda.device import Device, blocks_for, index_defines
from clew.engines.cuda.products import lanes_for
from clew.engines.cuda.ready_products import RESIDENT, by_rows, by_tiles
from clew.engines.cuda.source import Compiled, Program, ctype
from clew.operators import Monoid, Operator, monoids

THREADS = 256


def elementwise(device: Device, operator: Operator, u: Any, v: Any, out: Any) -> None:
    """out[k] = operator(u[k], v[k])."""
    if out.size:
        kernel = device.kernel("elementwise.cuh", "elementwise", *_typed(operator, u.dtype, v.dtype, out.dtype))
        device.launch(kernel, blocks_for(device, out.size, THREADS), THREADS, u, v, out, np.uint64(out.size))


def outer(device: Device, operator: Operator, u: Any, v: Any, out: Any) -> None:
    """out[i, j] = operator(u[i], v[j])."""
    if out.size:
        kernel = device.kernel("elementwise.cuh", "outer", *_typed(operator, u.dtype, v.dtype, out.dtype))
        blocks = blocks_for(device, u.size, 1)
        device.launch(kernel, blocks, THREADS, u, v, out, np.uint64(u.size), np.uint64(v.size))


def reduce_segments(device: Device, values: Any, indptr: Any, monoid: Monoid, out: Any) -> None:
    """out[i] = ⊕ of values[indptr[i]:indptr[i + 1]]."""
    if out.size == 0:
        return
    numbers = algebra.of_monoid(monoid, values.dtype, out.dtype)
    num_values = int(indptr[-1]) - int(indptr[0])
    macros = index_defines(np.dtype(np.int64), 2**62)
    if numbers.stop == algebra.NEVER:
        tiles = balance.find_tiles(device, indptr, out.size, num_values, macros)
        product = by_tiles(device, macros, tiles, indptr, (None, None), numbers)
    else:
        product = by_rows(device, macros, indptr, (None, None), numbers, lanes_for(num_values / out.size))
    product(device, values, None, out)


def _typed(
    operator: Operator, left: np.dtype[Any], right: np.dtype[Any], result: np.dtype[Any]
) -> tuple[dict[str, str], dict[str, Compiled]]:
    defines = {"left_t": ctype(left), "right_t": ctype(right), "sum_t": ctype(result)}
    return defines, {"clew_operator": Compiled(operator.function, (left, right), result)}


def _variants() -> list[Program]:
    double, byte = np.dtype(np.float64), np.dtype(np.int8)
    macros = index_defines(np.dtype(np.int64), 2**62)
    sums, smallest = algebra.of_monoid(monoids.plus, double, double), algebra.of_monoid(monoids.min, byte, byte)
    rows = {**macros, **smallest.defines, "V": 4, "FETCH": 0, "STOP": 0}
    tiles = {"EACH": balance.EACH, "THREADS": THREADS, "RESIDENT": RESIDENT}
    return [
        Program.of("elementwise.cuh", *_typed(operators.plus, byte, double, double)),
        Program.of("elementwise.cuh", *_typed(Operator(lambda a, b: a % b), byte, byte, byte)),
        Program.of("spmv_tiles.cuh", {**macros, **sums.defines, **tiles}, sums.operators),
        Program.of("spmv_rows.cuh", rows, smallest.operators),
    ]


VARIANTS = _variants()
