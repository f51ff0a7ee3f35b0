"""Matrix times dense vector on the CPU, in each layout: every piece of work has about as many edges.

Rows that are too long for one thread are left out by the loop over rows. They are then cut into parts that all threads
share. Which rows, and where they are cut, depends on the graph alone. So sums do not depend on the number of threads.

Operations on vectors are here too: element by element, outer, segmented reduction.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from clew import threads
from clew.adjacency import Adjacency
from clew.build.rows import blocks_of
from clew.dtypes import Array, as_bits
from clew.engines.cpu.compiler import Kernel, kernel
from clew.engines.cpu.products import frozen, is_absorbing, numbers_of, stretch_of
from clew.engines.cpu.team import is_scattered
from clew.layouts import COO, ELL, Layout
from clew.operators import Monoid, Operator, Semiring
from clew.operators.inspection import is_self_contained

HUB = 1 << 17  # edges: a row is cut if it has more, and more than a SHARE of all; some 0.2 ms of work
SHARE = 64
PART = 1 << 14  # edges to a part


class Plan(NamedTuple):
    """What a product over rows needs besides the arrays; computed once for a semiring and dtypes."""

    compiled: Kernel
    numbers: tuple[Any, Any, Any]
    one: Any


def spmv(edges: Layout, x: Array, semiring: Semiring, wanted: Array | None, out: Array) -> None:
    """out[i] = ⊕ over edges i → j of w ⊗ x[j], where wanted."""
    if isinstance(edges, Adjacency) and edges.num_arcs:
        _over_rows(edges, x, semiring, wanted, out)
        return
    from clew.engines.cpu.products import kernels

    functions = (semiring.add.operator.function, semiring.multiply.function)
    absorbing = is_absorbing(semiring, x.dtype)
    numbers = numbers_of(semiring, x.dtype, out.dtype)
    rest = (frozen(edges.weights), x.dtype.type(1), frozen(x), numbers, frozen(wanted), out)
    out[... if wanted is None else wanted] = semiring.add.identity(out.dtype)
    if isinstance(edges, COO):
        bounds = _cut_between_rows(edges.rows)
        compiled = kernel(kernels.make_coordinates, *functions, absorbing=absorbing)
        compiled.each(bounds.size - 1, bounds, frozen(as_bits(edges.rows)), frozen(as_bits(edges.columns)), *rest)
    elif isinstance(edges, ELL):
        pieces = threads.pieces(edges.columns.size)
        bounds = np.linspace(0, edges.num_vertices, pieces + 1).astype(np.uint64)
        compiled = kernel(kernels.make_table, *functions, absorbing=absorbing)
        weights = None if edges.weights is None else frozen(edges.weights.reshape(-1))
        compiled.each(pieces, bounds, frozen(as_bits(edges.columns)), weights, *rest[1:])


def _over_rows(rows: Adjacency, x: Array, semiring: Semiring, wanted: Array | None, out: Array) -> None:
    """Rows in blocks of about as many edges each; the longest rows after them, each by all threads.

    Python between products is as slow as code in a cold cache is, up to 0.2 ms a call: so there is little of it.
    """
    functions = (semiring.add.operator.function, semiring.multiply.function)
    find = _lasting_plan if all(map(is_self_contained, functions)) else _plan
    compiled, numbers, one = find(semiring, x.dtype, out.dtype, is_scattered(rows, x))
    bounds = as_bits(blocks_of(rows)) if threads.count() > 1 else np.array([0, rows.num_vertices], np.uint64)
    longest = np.uint64(max(HUB, (rows.num_arcs + rows.num_vertices) // SHARE))
    skipped = np.empty((bounds.size - 1, SHARE), np.int64)  # by piece; fewer than SHARE rows can be so long
    indptr, *rest = (*rows.unsigned(), frozen(rows.weights), one, frozen(x), numbers)
    counts = compiled.each(bounds.size - 1, bounds, longest, skipped, indptr, *rest, frozen(wanted), out)
    for hub in (row for piece, count in enumerate(counts) for row in skipped[piece, :count].tolist()):
        parts = np.append(np.arange(rows.indptr[hub], rows.indptr[hub + 1], PART), rows.indptr[hub + 1])
        sums, total = np.empty(parts.size - 1, out.dtype), np.empty(1, out.dtype)
        pieces = min(sums.size, threads.pieces(sums.size * PART))
        bounds = as_bits(np.arange(pieces + 1) * sums.size // pieces)
        compiled.each(pieces, bounds, longest, skipped, frozen(as_bits(parts)), *rest, None, sums)
        reduce_segments(sums, np.array([0, sums.size]), semiring.add, total)
        out[hub] = total[0]


def _plan(semiring: Semiring, x: np.dtype[Any], out: np.dtype[Any], scattered: bool) -> Plan:
    from clew.engines.cpu.products import kernels

    compiled = kernel(
        kernels.make_rows,
        semiring.add.operator.function,
        semiring.multiply.function,
        stretch=stretch_of(semiring.add, out),
        absorbing=is_absorbing(semiring, x),
        scattered=scattered,
    )
    return Plan(compiled, numbers_of(semiring, x, out), x.type(1))


_lasting_plan = lru_cache(maxsize=256)(_plan)  # for functions that always do the same


def _cut_between_rows(rows: Array) -> Array:
    """Boundaries of pieces with about as many edges each, none inside a row."""
    pieces = threads.pieces(rows.size)
    goals = rows[np.arange(1, pieces) * rows.size // pieces] if rows.size else rows[:0]
    return np.concatenate(([0], np.searchsorted(rows, goals), [rows.size])).astype(np.uint64)


def elementwise(operator: Operator, u: Array, v: Array, out: Array) -> None:
    """out[i] = operator(u[i], v[i])."""
    from clew.engines.cpu.products import kernels

    pieces = threads.pieces(out.size)
    flat = (frozen(u).reshape(-1), frozen(v).reshape(-1), out.reshape(-1))
    kernel(kernels.make_elementwise, operator.function).each(pieces, pieces, *flat)


def outer(operator: Operator, u: Array, v: Array, out: Array) -> None:
    """out[i, j] = operator(u[i], v[j])."""
    from clew.engines.cpu.products import kernels

    pieces = min(threads.pieces(out.size), max(1, u.size))
    kernel(kernels.make_outer, operator.function).each(pieces, pieces, frozen(u), frozen(v), out)


def reduce_segments(values: Array, indptr: Array, monoid: Monoid, out: Array) -> None:
    """out[i] = ⊕ of values[indptr[i]:indptr[i + 1]]."""
    from clew.build.kernels_sort import row_blocks
    from clew.engines.cpu.products import kernels

    bounds = as_bits(row_blocks(indptr, threads.pieces(values.size + out.size)))
    identity, terminal = monoid.identity(out.dtype), monoid.terminal(out.dtype)
    numbers = (identity, identity if terminal is None else terminal)
    compiled = kernel(kernels.make_segments, monoid.operator.function, stretch=stretch_of(monoid, out.dtype))
    compiled.each(bounds.size - 1, bounds, frozen(as_bits(indptr)), frozen(values), numbers, out)
