"""Matrix times sparse vector on the CPU: push along the edges of the active vertices."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew import threads
from clew.adjacency import Adjacency
from clew.dtypes import Array, as_bits
from clew.engines.cpu.compiler import kernel
from clew.engines.cpu.operands import frozen, is_absorbing, numbers_of
from clew.engines.cpu.rows import rows_of
from clew.operators import Semiring

SORTED_SHARE = 128  # sort while there is less than an edge for so many vertices: then reading the bitmap takes longer
MERGED = 512  # edges that merge sort is faster for than radix sort, which has counters to clear
SAMPLES = 256  # edges that are looked at to share the work evenly


def spmspv(
    rows: Adjacency, active: Array, values: Array, semiring: Semiring, wanted: Array | None, merge: str
) -> tuple[Array, Array]:
    """The vertices that edges of the active ones lead to, ascending, and the sums of the products there."""
    from clew.engines.cpu import kernels_spmspv as kernels

    dtype = semiring.result_dtype(values.dtype if rows.weights is None else rows.weights.dtype, values.dtype)
    senders = frozen(as_bits(active))
    edges = int(kernels.edges_of(as_bits(rows.indptr), senders))
    if merge == "auto":
        merge = choose(edges, rows.num_vertices)
    bounds = bounds_of(rows, senders, edges)
    numbers = numbers_of(semiring, values.dtype, dtype)
    weights, one = frozen(rows.weights), values.dtype.type(1)
    given = (bounds, *rows_of(rows), weights, one, senders, frozen(values), numbers, frozen(wanted))
    absorbing = is_absorbing(semiring, values.dtype)
    if merge == "none":
        return _scattered(rows, semiring, given, dtype, absorbing)
    return _sorted(rows, semiring, given, dtype, absorbing, merge == "radix")


def choose(edges: int, num_vertices: int) -> str:
    """The way of bringing products together that was measured to be fastest for so many."""
    if edges * SORTED_SHARE > num_vertices:
        return "none"
    return "merge" if edges <= MERGED else "radix"


def bounds_of(rows: Adjacency, active: Array, edges: int) -> Array:
    """Boundaries of ranges of vertices that about as many of the edges lead to, a range to a thread."""
    from clew.engines.cpu import kernels_spmspv as kernels

    pieces = min(threads.count(), threads.pieces(edges))
    ends = [0, rows.num_vertices]
    if pieces > 1:
        found = np.zeros(SAMPLES, np.uint64)
        count = int(kernels.sample(*rows_of(rows), active, np.uint64(edges // SAMPLES), found))
        cuts = np.sort(found[:count])[np.arange(1, pieces) * count // pieces]
        ends = np.unique(np.concatenate(([0], cuts // 64 * 64, [rows.num_vertices]))).tolist()
    return np.array(ends, dtype=np.uint64)


def _scattered(
    rows: Adjacency, semiring: Semiring, given: tuple[Any, ...], dtype: np.dtype[Any], absorbing: bool
) -> tuple[Array, Array]:
    from clew.engines.cpu import kernels_spmspv as kernels

    functions = (semiring.add.operator.function, semiring.multiply.function)
    touched = np.zeros(-(-rows.num_vertices // 64), dtype=np.uint64)
    sums = np.empty(rows.num_vertices, dtype)
    bounds = given[0]
    counts = kernel(kernels.make_scatter, *functions, absorbing=absorbing).each(bounds.size - 1, *given, touched, sums)
    places = np.cumsum([0, *counts])
    found, reduced = np.empty(places[-1], rows.indices.dtype), np.empty(places[-1], dtype)
    arrays = (touched, as_bits(sums), as_bits(found), as_bits(reduced))
    threads.each(kernels.collect, bounds.size - 1, bounds, places, *arrays)
    return found, reduced


def _sorted(
    rows: Adjacency, semiring: Semiring, given: tuple[Any, ...], dtype: np.dtype[Any], absorbing: bool, radix: bool
) -> tuple[Array, Array]:
    from clew.engines.cpu import kernels_spmspv as kernels

    functions = (semiring.add.operator.function, semiring.multiply.function)
    made = kernel(kernels.make_sorted, *functions, absorbing=absorbing, radix=radix)
    parts = made.each(given[0].size - 1, *given, np.empty(0, dtype))
    found, reduced = parts[0] if len(parts) == 1 else map(np.concatenate, zip(*parts, strict=True))
    return found.view(rows.indices.dtype), reduced
