"""Matrix times matrix on the CPU: two passes over the rows, one to count the entries and one to make them."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew import threads
from clew.adjacency import Adjacency
from clew.dtypes import OFFSET, Array, as_bits
from clew.engines.base import weight_dtypes
from clew.engines.cpu.compiler import kernel
from clew.engines.cpu.products import frozen
from clew.engines.cpu.rows import rows_of
from clew.operators import Semiring, semirings


def spgemm(a: Adjacency, b: Adjacency, semiring: Semiring, mask: Adjacency | None) -> Adjacency:
    """The product of two matrices, at the entries of ``mask`` where there is one."""
    from clew.engines.cpu import kernels_spgemm as kernels

    products = np.zeros(a.num_vertices + 1, dtype=np.uint64)
    pieces = threads.pieces(a.num_arcs)
    threads.each(kernels.count_products, pieces, pieces, *rows_of(a), as_bits(b.indptr), products)
    rows = (_even(products), products, rows_of(a), rows_of(b), None if mask is None else rows_of(mask))

    indptr = np.zeros(a.num_vertices + 1, dtype=OFFSET)
    # How many entries there are does not depend on the semiring; with always the same one, this is compiled once.
    none = np.zeros(1)
    _each_row(rows, semirings.plus_times, (none, none), indptr, None, none)
    np.cumsum(indptr, out=indptr)

    left, right = weight_dtypes(a, b)
    weights = (_or_one(a.weights, left), _or_one(b.weights, right))
    sums = np.empty(int(indptr[-1]), semiring.result_dtype(left, right))
    indices = np.empty(sums.size, dtype=a.indices.dtype)
    _each_row(rows, semiring, weights, indptr, indices, sums)
    return Adjacency(indptr, indices, sums)


def _each_row(
    rows: tuple[Any, ...],
    semiring: Semiring,
    weights: tuple[Array, Array],
    indptr: Array,
    indices: Array | None,
    sums: Array,
) -> None:
    """Without ``indices``, put the lengths of the rows in ``indptr``; with it, make the rows where that says."""
    from clew.engines.cpu import kernels_spgemm as kernels

    left, right = weights
    absorbing = semiring.absorbing and right.dtype.kind in "iu"
    nothing = semiring.add.identity(right.dtype) if absorbing else right.dtype.type(0)
    numbers = (semiring.add.identity(sums.dtype), nothing)
    steps = np.array([left.size > 1, right.size > 1], dtype=np.uint64)
    made = kernel(
        kernels.make_multiply, semiring.add.operator.function, semiring.multiply.function, absorbing=absorbing
    )
    given = (*rows, frozen(left), frozen(right), steps, numbers)
    made.each(rows[0].size - 1, *given, as_bits(indptr), as_bits(indices), sums)


def _or_one(weights: Array | None, dtype: np.dtype[Any]) -> Array:
    return np.ones(1, dtype) if weights is None else weights


def _even(products: Array) -> Array:
    """Boundaries of blocks of rows with about as many products each."""
    work = np.cumsum(products + np.uint64(1)) - np.uint64(1)
    pieces = threads.pieces(int(work[-1]))
    goals = (np.arange(1, pieces) * float(work[-1]) / pieces).astype(np.uint64)
    return np.concatenate(([0], np.searchsorted(work, goals), [products.size - 1])).astype(np.uint64)
