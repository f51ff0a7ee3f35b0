"""Products on the CPU: matrix times dense vector, sparse vector or matrix, and operations on vectors.

Dense vectors, in each layout: every piece of work has about as many edges. The loop over rows skips rows that are too
long for one thread. They are then cut into parts that all threads share. Which rows, and where they are cut, depends on
the graph alone. So sums do not depend on the number of threads.

Sparse vectors: push along the edges of the active vertices. Matrices: blocks of rows with about as many products each,
and long rows in parts.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from clew import threads
from clew.adjacency import Adjacency
from clew.build.kernels_sort import row_blocks
from clew.build.rows import blocks_of
from clew.dtypes import OFFSET, Array, as_bits
from clew.engines.base import weight_dtypes
from clew.engines.cpu.compiler import Kernel, kernel
from clew.engines.cpu.products import kernels, kernels_spgemm, kernels_spmspv
from clew.engines.cpu.team import is_scattered
from clew.layouts import COO, ELL, Layout
from clew.operators import Monoid, Operator, Semiring
from clew.operators.inspection import is_self_contained
from clew.packed import PackedAdjacency

STRETCH = 64  # edges
HUB = 1 << 17  # edges: a row is cut if it has more, and more than a SHARE of all; some 0.2 ms of work
SHARE = 64
PART = 1 << 14  # edges to a part
SORTED_SHARE = 128  # sort if there is less than an edge per this many vertices: then reading the bitmap takes longer
MERGED = 512  # edges that merge sort is faster for than radix sort, which has counters to clear
SAMPLES = 256  # edges that are read to share the work evenly
GRAIN = 1 << 16  # products to a block, at least
SURE = 1 << 24  # entries that a block has room for from the start: what is not used takes no memory


class Plan(NamedTuple):
    """What a product needs besides the arrays; computed once for a semiring, dtypes and a kernel."""

    compiled: Kernel
    dtype: np.dtype[Any]
    numbers: tuple[Any, Any, Any]
    one: Any


def plans(semiring: Semiring) -> Callable[..., Plan]:
    """``_plan``, with a cache where the semiring's functions always do the same."""
    lasting = is_self_contained(semiring.add.operator.function) and is_self_contained(semiring.multiply.function)
    return _cached_plan if lasting else _plan


def _plan(
    semiring: Semiring,
    factory: Callable[..., Any],
    x: np.dtype[Any],
    out: np.dtype[Any] | None,
    weights: np.dtype[Any] | None = None,
    **constants: Any,
) -> Plan:
    dtype = semiring.result_dtype(x if weights is None else weights, x) if out is None else out
    if factory in (kernels.make_rows, kernels.make_packed_rows):  # the only product whose sums stop at a terminal value
        constants["stretch"] = stretch_of(semiring.add, dtype)
    functions = (semiring.add.operator.function, semiring.multiply.function)
    compiled = kernel(factory, *functions, absorbing=is_absorbing(semiring, x), **constants)
    return Plan(compiled, dtype, numbers_of(semiring, x, dtype), x.type(1))


_cached_plan = lru_cache(maxsize=512)(_plan)


def frozen(array: Any) -> Any:
    """A read-only view, so that kernels are compiled for one kind of array and not for two."""
    if array is None:
        return None
    flags = array.flags
    if flags.c_contiguous and not flags.writeable:
        return array
    view = np.ascontiguousarray(array).view()
    view.flags.writeable = False
    return view


def numbers_of(semiring: Semiring, x: np.dtype[Any], out: np.dtype[Any]) -> tuple[Any, Any, Any]:
    """⊕'s identity and terminal value in the dtype of the sums, and its identity in that of x; unused ones are 0."""
    identity = semiring.add.identity(out)
    terminal = semiring.add.terminal(out)
    nothing = semiring.add.identity(x) if is_absorbing(semiring, x) else x.type(0)
    return identity, identity if terminal is None else terminal, nothing


def is_absorbing(semiring: Semiring, x: np.dtype[Any]) -> bool:
    """Whether values that are ⊕'s identity must be watched for: floats have an infinity that does that by itself."""
    return semiring.absorbing and x.kind in "iu"


def stretch_of(monoid: Monoid, dtype: np.dtype[Any]) -> int:
    """After how many edges to look whether a sum has reached its terminal value: one for booleans, which soon do."""
    if monoid.stops_at_first:
        return kernels.FIRST_WILL_DO
    return kernels.WHOLE_ROW if not monoid.has_terminal else 1 if dtype.kind == "b" else STRETCH


def spmv(edges: Layout, x: Array, semiring: Semiring, mask: Array | None, out: Array) -> None:
    """out[i] = ⊕ over edges i → j of w ⊗ x[j], where ``mask`` is true."""
    if isinstance(edges, Adjacency) and edges.num_arcs:
        _over_rows(edges, x, semiring, mask, out)
        return
    out[... if mask is None else mask] = semiring.add.identity(out.dtype)
    factory = kernels.make_coordinates if isinstance(edges, COO) else kernels.make_table
    compiled, _, numbers, one = plans(semiring)(semiring, factory, x.dtype, out.dtype)
    weights = None if edges.weights is None else frozen(edges.weights.reshape(-1))
    rest = (weights, one, frozen(x), numbers, frozen(mask), out)
    if isinstance(edges, COO):
        bounds = _cut_between_rows(edges.rows)
        compiled.each(bounds.size - 1, bounds, frozen(as_bits(edges.rows)), frozen(as_bits(edges.columns)), *rest)
    elif isinstance(edges, ELL):
        pieces = threads.pieces(edges.columns.size)
        bounds = np.linspace(0, edges.num_vertices, pieces + 1).astype(np.uint64)
        compiled.each(pieces, bounds, frozen(as_bits(edges.columns)), *rest)


def _over_rows(rows: Adjacency, x: Array, semiring: Semiring, mask: Array | None, out: Array) -> None:
    """Rows in blocks of about as many edges each; the longest rows after them, each by all threads.

    Python between products is as slow as code in a cold cache is, up to 0.2 ms a call: so there is little of it.
    """
    known: dict[str, Any] = {"scattered": is_scattered(rows, x)}
    factory = kernels.make_packed_rows if rows.reads_packed else kernels.make_rows
    compiled, _, numbers, one = plans(semiring)(semiring, factory, x.dtype, out.dtype, **known)
    bounds = as_bits(blocks_of(rows)) if threads.count() > 1 else np.array([0, rows.num_vertices], np.uint64)
    longest = np.uint64(max(HUB, (rows.num_arcs + rows.num_vertices) // SHARE))
    skipped = np.empty((bounds.size - 1, SHARE), np.int64)  # by piece; fewer than SHARE rows can be so long
    (indptr, indices), values, rest = rows.readable(), frozen(rows.weights), (one, frozen(x), numbers)
    given = (longest, skipped, indptr, indices, values, *rest, frozen(mask), out)
    counts = compiled.each(bounds.size - 1, bounds, *given)
    for hub in (row for piece, count in enumerate(counts) for row in skipped[piece, :count].tolist()):
        start, end = (int(rows.indptr[hub + k]) for k in range(2))
        if rows.reads_packed:
            compiled = plans(semiring)(semiring, kernels.make_rows, x.dtype, out.dtype, **known).compiled
            indices, weights = frozen(as_bits(rows.row(hub))), rows.weights
            values = None if weights is None else frozen(weights[start:end])
            start, end = 0, end - start
        parts = np.append(np.arange(start, end, PART), end)
        sums, total = np.empty(parts.size - 1, out.dtype), np.empty(1, out.dtype)
        pieces = min(sums.size, threads.pieces(sums.size * PART))
        bounds = as_bits(np.arange(pieces + 1) * sums.size // pieces)
        compiled.each(pieces, bounds, longest, skipped, frozen(as_bits(parts)), indices, values, *rest, None, sums)
        reduce_segments(sums, np.array([0, sums.size]), semiring.add, total)
        out[hub] = total[0]


def _cut_between_rows(rows: Array) -> Array:
    """Boundaries of pieces with about as many edges each, none inside a row."""
    pieces = threads.pieces(rows.size)
    goals = rows[np.arange(1, pieces) * rows.size // pieces] if rows.size else rows[:0]
    return np.concatenate(([0], np.searchsorted(rows, goals), [rows.size])).astype(np.uint64)


def elementwise(operator: Operator, u: Array, v: Array, out: Array) -> None:
    """out[i] = operator(u[i], v[i])."""
    pieces = threads.pieces(out.size)
    flat = (frozen(u).reshape(-1), frozen(v).reshape(-1), out.reshape(-1))
    kernel(kernels.make_elementwise, operator.function).each(pieces, pieces, *flat)


def outer(operator: Operator, u: Array, v: Array, out: Array) -> None:
    """out[i, j] = operator(u[i], v[j])."""
    pieces = min(threads.pieces(out.size), max(1, u.size))
    kernel(kernels.make_outer, operator.function).each(pieces, pieces, frozen(u), frozen(v), out)


def reduce_segments(values: Array, indptr: Array, monoid: Monoid, out: Array) -> None:
    """out[i] = ⊕ of values[indptr[i]:indptr[i + 1]]."""
    bounds = as_bits(row_blocks(indptr, threads.pieces(values.size + out.size)))
    identity, terminal = monoid.identity(out.dtype), monoid.terminal(out.dtype)
    numbers = (identity, identity if terminal is None else terminal)
    compiled = kernel(kernels.make_segments, monoid.operator.function, stretch=stretch_of(monoid, out.dtype))
    compiled.each(bounds.size - 1, bounds, frozen(as_bits(indptr)), frozen(values), numbers, out)


def spmspv(
    rows: Adjacency, active: Array, values: Array, semiring: Semiring, mask: Array | None, merge: str
) -> tuple[Array, Array]:
    """The vertices that edges of the active ones lead to, ascending, and the sums of the products there.

    With few active vertices the kernel takes three microseconds. Python takes ten times as long, so there is little of
    it.
    """
    if (
        isinstance(rows, PackedAdjacency) and rows.reads_packed
    ):  # plain rows of the active vertices alone, in the same order
        rows, active = rows.some_rows(active), np.arange(active.size, dtype=active.dtype)
    indptr, indices = rows.unsigned()
    senders = frozen(as_bits(active))
    edges = int(kernels_spmspv.edges_of(indptr, senders))
    if merge == "auto":
        merge = choose(edges, rows.num_columns)
    weights = rows.weights
    factory = kernels_spmspv.make_scatter if merge == "none" else kernels_spmspv.make_sorted
    constants = {} if merge == "none" else {"radix": merge == "radix"}
    weight = None if weights is None else weights.dtype
    plan = plans(semiring)(semiring, factory, values.dtype, None, weight, **constants)
    bounds = bounds_of(rows, senders, edges)
    given = (bounds, indptr, indices, frozen(weights), plan.one, senders, frozen(values), plan.numbers, frozen(mask))
    return (_scattered if merge == "none" else _sorted)(rows, plan, given)


def choose(edges: int, num_vertices: int) -> str:
    """The fastest method to combine the products of this many edges, as measured."""
    if edges * SORTED_SHARE > num_vertices:
        return "none"
    return "merge" if edges <= MERGED else "radix"


def bounds_of(rows: Adjacency, active: Array, edges: int) -> Array:
    """Boundaries of ranges of vertices that about as many of the edges lead to, a range to a thread."""
    pieces = min(threads.count(), threads.pieces(edges)) if edges > threads.GRAIN else 1
    if pieces == 1:
        return np.array((0, rows.num_columns), np.uint64)
    targets = np.zeros(SAMPLES, np.uint64)
    count = int(kernels_spmspv.sample(*rows.unsigned(), active, np.uint64(edges // SAMPLES), targets))
    cuts = np.sort(targets[:count])[np.arange(1, pieces) * count // pieces]
    return np.unique(np.concatenate(([0], cuts // 64 * 64, [rows.num_columns]))).astype(np.uint64)


def _scattered(rows: Adjacency, plan: Plan, given: tuple[Any, ...]) -> tuple[Array, Array]:
    touched = np.zeros(-(-rows.num_columns // 64), dtype=np.uint64)
    sums = np.empty(rows.num_columns, plan.dtype)
    bounds = given[0]
    counts = plan.compiled.each(bounds.size - 1, *given, touched, sums)
    places = np.cumsum([0, *counts])
    reached, reduced = np.empty(places[-1], rows.indices.dtype), np.empty(places[-1], plan.dtype)
    arrays = (touched, as_bits(sums), as_bits(reached), as_bits(reduced))
    threads.each(kernels_spmspv.collect, bounds.size - 1, bounds, places, *arrays)
    return reached, reduced


def _sorted(rows: Adjacency, plan: Plan, given: tuple[Any, ...]) -> tuple[Array, Array]:
    parts = plan.compiled.each(given[0].size - 1, *given, np.empty(0, plan.dtype))
    reached, reduced = parts[0] if len(parts) == 1 else map(np.concatenate, zip(*parts, strict=True))
    return reached.view(rows.indices.dtype), reduced


def spgemm(a: Adjacency, b: Adjacency, semiring: Semiring, mask: Adjacency | None) -> Adjacency:
    """The product of two matrices, at the entries of ``mask`` where there is one."""
    products = np.empty(a.num_vertices, dtype=np.uint64)
    pieces = threads.pieces(a.num_arcs)
    threads.each(kernels_spgemm.count_products, pieces, pieces, *a.unsigned(), as_bits(b.indptr), products)
    units = units_of(products)

    left, right = weight_dtypes(a, b)
    dtype = semiring.result_dtype(left, right)
    compiled, _, numbers, _ = plans(semiring)(semiring, kernels_spgemm.make_multiply, right, dtype)
    weights = (_or_one(a.weights, left), _or_one(b.weights, right))
    steps = np.array([a.weights is not None, b.weights is not None], dtype=np.uint64)
    rows = (a.unsigned(), b.unsigned(), None if mask is None else mask.unsigned())
    given = (units, products, *rows, *map(frozen, weights), steps, numbers[::2])
    room = room_for(units, products, mask)

    def multiplied(piece: int) -> Any:
        lengths = np.empty(int(units[1, piece] - units[0, piece]), OFFSET)
        columns, sums = np.empty(room[piece], a.indices.dtype), np.empty(room[piece], dtype)
        return lengths, *compiled.dispatcher(piece, *given, lengths, as_bits(columns), sums)

    parts = compiled.run(multiplied, units.shape[1])
    return _joined(parts, units, a.num_vertices, a.indices.dtype, dtype)


def units_of(products: Array) -> Array:
    """First and last rows, first and last columns of the pieces of work, in the order of their results.

    A row with more products than a piece should have is divided by columns into several pieces. Every entry is computed
    by one thread, in the order of the edges, for any division.
    """
    size = products.size
    work = np.cumsum(products) + np.arange(size, dtype=np.uint64)
    pieces = threads.pieces(int(work[-1]) if size else 0, GRAIN)
    if pieces == 1:
        return np.array([[0], [size], [0], [size]], dtype=np.uint64)
    goal = float(work[-1]) / pieces
    cuts = np.searchsorted(work, (np.arange(1, pieces) * goal).astype(np.uint64))
    hubs = np.unique(cuts[products[np.minimum(cuts, size - 1)] > 2 * goal])
    bounds = np.unique(np.concatenate(([0, size], cuts, hubs, hubs + 1)))
    units: list[tuple[int, int, int, int]] = []
    for first, last in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        parts = min(size, int(products[first] / goal) + 1) if last == first + 1 else 1
        units += [(first, last, size * part // parts, size * (part + 1) // parts) for part in range(parts)]
    return np.ascontiguousarray(np.array(units, dtype=np.uint64).T)


def room_for(units: Array, products: Array, mask: Adjacency | None) -> Array:
    """How many entries each piece of work gets room for: as many as it can have, fewer where these are very many.

    NumPy allocates it, not the kernel: NumPy puts large arrays into large pages, which takes a quarter of the time.
    """
    first, last, low, high = units
    if mask is not None:
        room: Array = mask.indptr[last] - mask.indptr[first]
        return room
    if last.size == 1 and (total := int(products.sum())) <= SURE:  # small products: nothing is worth a closer look
        return np.array([total])
    pieces = zip(first.tolist(), last.tolist(), high - low, strict=True)
    most = np.array([np.minimum(products[start:end], width).sum() for start, end, width in pieces], np.int64)
    return np.where(most > SURE, np.maximum(SURE, most >> 2), most)


def _joined(parts: list[Any], units: Array, size: int, index_dtype: np.dtype[Any], dtype: np.dtype[Any]) -> Adjacency:
    """One matrix from the parts of all pieces; the memory of each is freed as soon as it is copied."""
    indptr = np.zeros(size + 1, dtype=OFFSET)
    for (lengths, _, _), first, last in zip(parts, units[0].tolist(), units[1].tolist(), strict=True):
        indptr[first + 1 : last + 1] += lengths
    np.cumsum(indptr, out=indptr)
    if len(parts) == 1:
        return Adjacency(indptr, parts[0][1].view(index_dtype), parts[0][2])
    indices: Any = np.empty(int(indptr[-1]), index_dtype)
    sums = np.empty(indices.size, dtype)
    ends = np.cumsum([columns.size for _, columns, _ in parts])

    def copy(piece: int) -> None:
        _, columns, values = parts[piece]
        parts[piece] = None
        place = slice(int(ends[piece]) - columns.size, int(ends[piece]))
        indices[place], sums[place] = columns.view(index_dtype), values

    threads.each(copy, len(parts))
    return Adjacency(indptr, indices, sums)


def _or_one(weights: Array | None, dtype: np.dtype[Any]) -> Array:
    return np.ones(1, dtype) if weights is None else weights
