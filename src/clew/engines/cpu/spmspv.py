"""Matrix times sparse vector on the CPU: push along the edges of the active vertices."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.adjacency import Adjacency
from clew.dtypes import Array, as_bits
from clew.engines.cpu.compiler import kernel
from clew.engines.cpu.products import frozen, is_absorbing, numbers_of
from clew.engines.cpu.rows import rows_of
from clew.operators import Semiring

SORTED_SHARE = 128  # sort while there is less than an edge for so many vertices: then reading the bitmap takes longer
MERGED = 512  # edges that merge sort is faster for than radix sort, which has counters to clear


def spmspv(
    rows: Adjacency, active: Array, values: Array, semiring: Semiring, wanted: Array | None, merge: str
) -> tuple[Array, Array]:
    """The vertices that edges of the active ones lead to, ascending, and the sums of the products there."""
    from clew.engines.cpu import kernels_spmspv as kernels

    dtype = semiring.result_dtype(values.dtype if rows.weights is None else rows.weights.dtype, values.dtype)
    edges = int(kernels.edges_of(as_bits(rows.indptr), frozen(as_bits(active))))
    if merge == "auto":
        merge = choose(edges, rows.num_vertices)
    numbers = numbers_of(semiring, values, np.empty(0, dtype))
    one = values.dtype.type(1)
    given = (
        *rows_of(rows),
        frozen(rows.weights),
        one,
        frozen(as_bits(active)),
        frozen(values),
        numbers,
        frozen(wanted),
    )
    if merge == "none":
        return _scattered(rows, semiring, given, dtype)
    return _sorted(rows, semiring, given, edges, dtype, merge)


def choose(edges: int, num_vertices: int) -> str:
    """The way of bringing products together that was measured to be fastest for so many."""
    if edges * SORTED_SHARE > num_vertices:
        return "none"
    return "merge" if edges <= MERGED else "radix"


def _scattered(
    rows: Adjacency, semiring: Semiring, given: tuple[Any, ...], dtype: np.dtype[Any]
) -> tuple[Array, Array]:
    from clew.engines.cpu import kernels_spmspv as kernels

    functions = (semiring.add.operator.function, semiring.multiply.function)
    touched = np.zeros(-(-rows.num_vertices // 64), dtype=np.uint64)
    sums = np.empty(rows.num_vertices, dtype)
    made = kernel(kernels.make_scatter, *functions, absorbing=is_absorbing(semiring, given[5]))
    count = made.each(1, *given, touched, sums)[0]
    found, reduced = np.empty(count, rows.indices.dtype), np.empty(count, dtype)
    kernels.collect(touched, as_bits(sums), as_bits(found), as_bits(reduced))
    return found, reduced


def _sorted(
    rows: Adjacency, semiring: Semiring, given: tuple[Any, ...], edges: int, dtype: np.dtype[Any], merge: str
) -> tuple[Array, Array]:
    from clew.engines.cpu import kernels_spmspv as kernels

    keys, products = np.empty(edges, rows.indices.dtype), np.empty(edges, dtype)
    absorbing = is_absorbing(semiring, given[5])
    gather = kernel(kernels.make_gather, semiring.multiply.function, absorbing=absorbing)
    count = int(gather.each(1, *given, as_bits(keys), products)[0])
    keys, products = keys[:count], products[:count]
    spare = (np.empty_like(keys), np.empty_like(products))
    sort: Any = kernels.radix_sort if merge == "radix" else kernels.merge_sort
    limit = np.uint64(max(1, rows.num_vertices))
    if sort(*(as_bits(array) for array in (keys, products, *spare)), limit):
        keys, products = spare
    count = kernel(kernels.make_runs, semiring.add.operator.function).each(1, keys, products)[0]
    return keys[:count].copy(), products[:count].copy()
