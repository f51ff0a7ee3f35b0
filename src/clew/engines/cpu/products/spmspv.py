"""Matrix times sparse vector on the CPU: push along the edges of the active vertices."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from clew import threads
from clew.adjacency import Adjacency
from clew.dtypes import Array, as_bits
from clew.engines.cpu.compiler import Kernel, kernel
from clew.engines.cpu.products import frozen, is_absorbing, numbers_of
from clew.operators import Semiring
from clew.operators.inspection import is_self_contained

SORTED_SHARE = 128  # sort while there is less than an edge for so many vertices: then reading the bitmap takes longer
MERGED = 512  # edges that merge sort is faster for than radix sort, which has counters to clear
SAMPLES = 256  # edges that are read to share the work evenly


class Plan(NamedTuple):
    """What a product needs besides the arrays; computed once for a semiring, dtypes and a way to combine products."""

    compiled: Kernel
    dtype: np.dtype[Any]
    numbers: tuple[Any, Any, Any]
    one: Any


def spmspv(
    rows: Adjacency, active: Array, values: Array, semiring: Semiring, wanted: Array | None, merge: str
) -> tuple[Array, Array]:
    """The vertices that edges of the active ones lead to, ascending, and the sums of the products there.

    With few active vertices the kernel takes three microseconds. Python takes ten times as long, so there is little of
    it.
    """
    from clew.engines.cpu.products.kernels_spmspv import edges_of

    indptr, indices = rows.unsigned()
    senders = frozen(as_bits(active))
    edges = int(edges_of(indptr, senders))
    if merge == "auto":
        merge = choose(edges, rows.num_vertices)
    weights = rows.weights
    lasts = is_self_contained(semiring.add.operator.function) and is_self_contained(semiring.multiply.function)
    plan = (_lasting_plan if lasts else _plan)(
        semiring, None if weights is None else weights.dtype, values.dtype, merge
    )
    bounds = bounds_of(rows, senders, edges)
    given = (bounds, indptr, indices, frozen(weights), plan.one, senders, frozen(values), plan.numbers, frozen(wanted))
    return (_scattered if merge == "none" else _sorted)(rows, plan, given)


def _plan(semiring: Semiring, weights: np.dtype[Any] | None, x: np.dtype[Any], merge: str) -> Plan:
    from clew.engines.cpu.products import kernels_spmspv as kernels

    functions = (semiring.add.operator.function, semiring.multiply.function)
    absorbing = is_absorbing(semiring, x)
    if merge == "none":
        compiled = kernel(kernels.make_scatter, *functions, absorbing=absorbing)
    else:
        compiled = kernel(kernels.make_sorted, *functions, absorbing=absorbing, radix=merge == "radix")
    dtype = semiring.result_dtype(x if weights is None else weights, x)
    return Plan(compiled, dtype, numbers_of(semiring, x, dtype), x.type(1))


_lasting_plan = lru_cache(maxsize=256)(_plan)  # for functions that always do the same


def choose(edges: int, num_vertices: int) -> str:
    """The fastest way to combine the products of so many edges, as measured."""
    if edges * SORTED_SHARE > num_vertices:
        return "none"
    return "merge" if edges <= MERGED else "radix"


def bounds_of(rows: Adjacency, active: Array, edges: int) -> Array:
    """Boundaries of ranges of vertices that about as many of the edges lead to, a range to a thread."""
    pieces = min(threads.count(), threads.pieces(edges)) if edges > threads.GRAIN else 1
    if pieces == 1:
        return np.array((0, rows.num_vertices), np.uint64)
    from clew.engines.cpu.products import kernels_spmspv as kernels

    targets = np.zeros(SAMPLES, np.uint64)
    count = int(kernels.sample(*rows.unsigned(), active, np.uint64(edges // SAMPLES), targets))
    cuts = np.sort(targets[:count])[np.arange(1, pieces) * count // pieces]
    return np.unique(np.concatenate(([0], cuts // 64 * 64, [rows.num_vertices]))).astype(np.uint64)


def _scattered(rows: Adjacency, plan: Plan, given: tuple[Any, ...]) -> tuple[Array, Array]:
    from clew.engines.cpu.products import kernels_spmspv as kernels

    touched = np.zeros(-(-rows.num_vertices // 64), dtype=np.uint64)
    sums = np.empty(rows.num_vertices, plan.dtype)
    bounds = given[0]
    counts = plan.compiled.each(bounds.size - 1, *given, touched, sums)
    places = np.cumsum([0, *counts])
    reached, reduced = np.empty(places[-1], rows.indices.dtype), np.empty(places[-1], plan.dtype)
    arrays = (touched, as_bits(sums), as_bits(reached), as_bits(reduced))
    threads.each(kernels.collect, bounds.size - 1, bounds, places, *arrays)
    return reached, reduced


def _sorted(rows: Adjacency, plan: Plan, given: tuple[Any, ...]) -> tuple[Array, Array]:
    parts = plan.compiled.each(given[0].size - 1, *given, np.empty(0, plan.dtype))
    reached, reduced = parts[0] if len(parts) == 1 else map(np.concatenate, zip(*parts, strict=True))
    return reached.view(rows.indices.dtype), reduced
