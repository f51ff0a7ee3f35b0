"""Matrix times dense vector on the CPU, in each layout: every piece of work has about as many edges."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew import threads
from clew.adjacency import Adjacency
from clew.build.rows import blocks_of
from clew.dtypes import Array, as_bits
from clew.engines.cpu.compiler import kernel
from clew.engines.cpu.rows import rows_of
from clew.layouts import COO, ELL, Layout
from clew.operators import Monoid, Semiring

STRETCH = 64


def spmv(edges: Layout, x: Array, semiring: Semiring, wanted: Array | None, out: Array) -> None:
    """out[i] = ⊕ over edges i → j of w ⊗ x[j], where wanted."""
    from clew.engines.cpu import kernels_products as kernels

    functions = (semiring.add.operator.function, semiring.multiply.function)
    absorbing = is_absorbing(semiring, x)
    rest = (frozen(edges.weights), x.dtype.type(1), frozen(x), numbers_of(semiring, x, out), frozen(wanted), out)
    if isinstance(edges, Adjacency):
        bounds = as_bits(blocks_of(edges))
        stretch = stretch_of(semiring.add, out.dtype)
        made = kernel(kernels.make_rows, *functions, stretch=stretch, absorbing=absorbing)
        made.each(bounds.size - 1, bounds, *rows_of(edges), *rest)
        return
    out[... if wanted is None else wanted] = semiring.add.identity(out.dtype)
    if isinstance(edges, COO):
        bounds = _cut_between_rows(edges.rows)
        made = kernel(kernels.make_coordinates, *functions, absorbing=absorbing)
        made.each(bounds.size - 1, bounds, frozen(as_bits(edges.rows)), frozen(as_bits(edges.columns)), *rest)
    elif isinstance(edges, ELL):
        pieces = threads.pieces(edges.columns.size)
        bounds = np.linspace(0, edges.num_vertices, pieces + 1).astype(np.uint64)
        made = kernel(kernels.make_table, *functions, absorbing=absorbing)
        weights = None if edges.weights is None else frozen(edges.weights.reshape(-1))
        made.each(pieces, bounds, frozen(as_bits(edges.columns)), weights, *rest[1:])


def frozen(array: Any) -> Any:
    """A read-only view, so that kernels are compiled for one kind of array and not for two."""
    if array is None:
        return None
    view = np.ascontiguousarray(array).view()
    view.flags.writeable = False
    return view


def numbers_of(semiring: Semiring, x: Array, out: Array) -> tuple[Any, Any, Any]:
    """⊕'s identity and terminal value in the dtype of the sums, and its identity in that of x; unused ones are 0."""
    identity = semiring.add.identity(out.dtype)
    terminal = semiring.add.terminal(out.dtype)
    nothing = semiring.add.identity(x.dtype) if is_absorbing(semiring, x) else x.dtype.type(0)
    return identity, identity if terminal is None else terminal, nothing


def is_absorbing(semiring: Semiring, x: Array) -> bool:
    """Whether values that are ⊕'s identity must be watched for: floats have an infinity that does that by itself."""
    return semiring.absorbing and x.dtype.kind in "iu"


def stretch_of(monoid: Monoid, dtype: np.dtype[Any]) -> int:
    """After how many edges to look whether a sum has reached its terminal value: one for booleans, which soon do."""
    from clew.engines.cpu import kernels_products as kernels

    if monoid.stops_at_first:
        return kernels.FIRST_WILL_DO
    return kernels.WHOLE_ROW if not monoid.has_terminal else 1 if dtype.kind == "b" else STRETCH


def _cut_between_rows(rows: Array) -> Array:
    """Boundaries of pieces with about as many edges each, none inside a row."""
    pieces = threads.pieces(rows.size)
    goals = rows[np.arange(1, pieces) * rows.size // pieces] if rows.size else rows[:0]
    return np.concatenate(([0], np.searchsorted(rows, goals), [rows.size])).astype(np.uint64)
