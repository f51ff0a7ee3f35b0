"""Rows to other rows: turned round, cut down, renumbered, listed as edges."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from clew import threads
from clew.adjacency import Adjacency
from clew.build.rows import SMALL, blocks_of, first_asymmetry, sorted_rows
from clew.checks import array as as_array
from clew.checks import counted
from clew.dtypes import OFFSET, Array, IdArray, OffsetArray, as_bits, as_weights, id_dtype, refuse_labels
from clew.errors import GraphError

FEW = 4  # vertices per arc of a subgraph, from which looking at all vertices takes longer than sorting targets


def transposed(rows: Adjacency) -> Adjacency:
    """The in-edges of the vertices, sorted. Needs a counter per column and thread, within the size of the rows."""
    from clew.build import kernels

    bounds = _few_blocks(rows)
    blocks = bounds.size - 1
    counts = np.zeros((blocks, rows.num_columns), dtype=np.uint64)
    old = (rows.indptr, as_bits(rows.indices), as_bits(rows.weights))
    threads.each(kernels.count_columns, blocks, bounds, *old[:2], counts)
    parts = threads.pieces(rows.num_columns)
    starts = np.cumsum([0, *threads.each(kernels.column_totals, parts, parts, counts)], dtype=np.uint64)
    indptr = np.empty(rows.num_columns + 1, rows.indptr.dtype)
    indptr[-1] = rows.num_arcs
    threads.each(kernels.column_places, parts, parts, counts, starts, indptr)
    indices = np.empty_like(rows.indices)
    weights = None if rows.weights is None else np.empty_like(rows.weights)
    threads.each(kernels.place_columns, blocks, bounds, *old, counts, as_bits(indices), as_bits(weights))
    return Adjacency(indptr, indices, weights, width=rows.num_vertices)


def _few_blocks(rows: Adjacency) -> Array:
    """Blocks of rows that each have a counter per column: no more than keep the counters below the size of the rows."""
    affordable = max(1, rows.nbytes // max(1, 8 * rows.num_columns))
    return blocks_of(rows, min(threads.count(), affordable))


def in_degrees(rows: Adjacency) -> OffsetArray:
    """How many arcs lead to every vertex."""
    if rows.is_packed:
        return sum((in_degrees(part) for _, part in rows.chunks()), np.zeros(rows.num_columns, OFFSET))
    if rows.num_arcs < SMALL:
        return np.bincount(rows.indices, minlength=rows.num_columns).astype(OFFSET, copy=False)
    from clew.build import kernels

    bounds = _few_blocks(rows)
    counts = np.zeros((bounds.size - 1, rows.num_columns), dtype=np.uint64)
    threads.each(kernels.count_columns, bounds.size - 1, bounds, rows.indptr, as_bits(rows.indices), counts)
    degrees: OffsetArray = counts.sum(axis=0).view(OFFSET)
    return degrees


def edges(rows: Adjacency, *, once: bool) -> tuple[IdArray, IdArray, Array | None]:
    """The endpoints and weights of all arcs, or with ``once`` of those that do not lead to a smaller id."""
    source = _sources(rows)
    if not once:
        return source, rows.indices, rows.weights
    keep = source <= rows.indices
    return source[keep], rows.indices[keep], None if rows.weights is None else rows.weights[keep]


def _sources(rows: Adjacency) -> IdArray:
    """The source of every arc."""
    from clew.build import kernels

    source = np.empty_like(rows.indices)
    bounds = blocks_of(rows)
    threads.each(kernels.sources, bounds.size - 1, bounds, rows.indptr, source)
    return source


def as_mask(mask: npt.ArrayLike, count: int, of: str = "vertex") -> npt.NDArray[np.bool_]:
    """A boolean per vertex or edge, from such an array or, of vertices, from a list of ids."""
    array = as_array("the mask", mask)
    if array.dtype == np.bool_ or (of != "vertex" and not array.size):  # an empty list has no dtype of its own
        refuse_labels("the mask", mask, of)
        if array.shape != (count,):
            raise GraphError(f"the mask has shape {array.shape}; expected one entry per {of}, ({count},).")
        return array.astype(np.bool_, copy=False)
    if of != "vertex":
        raise GraphError(f"the mask has dtype {array.dtype}; expected {counted(count, 'boolean')}, one per {of}.")
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise GraphError(
            f"the mask has dtype {array.dtype}; expected booleans, one per vertex, or a list of ids. "
            "The ids of names are graph.names.ids_of(names)."
        )
    if array.size and (array.min() < 0 or array.max() >= count):
        raise GraphError(f"the ids run from {array.min()} to {array.max()}; expected 0 to {count - 1}.")
    if array.size == count > 2 and array.max() < 2:  # ids would then name two vertices at most
        raise GraphError("the list has an entry of 0 or 1 per vertex. Pass a mask of booleans: mask.astype(bool).")
    chosen = np.zeros(count, dtype=np.bool_)
    chosen[array.astype(np.int64)] = True
    return chosen


def as_permutation(permutation: npt.ArrayLike, num_vertices: int) -> npt.NDArray[np.int64]:
    """``permutation`` as an array, checked to name every vertex once."""
    array = as_array("the permutation", permutation)
    if array.shape != (num_vertices,) or (array.size and array.dtype.kind not in "iu"):
        raise GraphError(
            f"the permutation has shape {array.shape} and dtype {array.dtype}; expected {num_vertices:,} integers."
        )
    moved = array.astype(np.int64, copy=False)
    hit = np.zeros(num_vertices, dtype=np.bool_)
    if moved.size and moved.min() >= 0 and moved.max() < num_vertices:
        hit[moved] = True
    if not hit.all():
        raise GraphError("the permutation does not name every vertex exactly once; expected each of 0…n-1 once.")
    return moved


def subgraph(rows: Adjacency, chosen: Array) -> Adjacency:
    """The chosen vertices, renumbered in order, and the arcs among them; ``chosen`` are ids in ascending order."""
    starts, lengths = rows.indptr[chosen], rows.indptr[chosen + 1] - rows.indptr[chosen]
    if FEW * int(lengths.sum()) < rows.num_vertices:
        return _few_rows(rows, chosen, starts, lengths)
    keep = np.zeros(rows.num_vertices, dtype=np.bool_)
    keep[chosen] = True
    return _moved(rows, keep, np.cumsum(keep, dtype=OFFSET) - 1, chosen.size)


def _few_rows(rows: Adjacency, chosen: Array, starts: Array, lengths: Array) -> Adjacency:
    """The same without touching the other rows: the targets are found among the chosen by bisection."""
    owner = np.repeat(np.arange(chosen.size), lengths)
    place = np.arange(owner.size) + (starts - np.cumsum(lengths) + lengths)[owner]
    targets = rows.indices[place]
    new_ids = np.searchsorted(chosen, targets)
    kept = chosen[np.minimum(new_ids, chosen.size - 1)] == targets if chosen.size else np.zeros(0, dtype=np.bool_)
    indptr = np.zeros(chosen.size + 1, dtype=OFFSET)
    np.cumsum(np.bincount(owner[kept], minlength=chosen.size), out=indptr[1:])
    indices = new_ids[kept].astype(id_dtype(chosen.size, rows.indices.dtype))
    return Adjacency(indptr, indices, None if rows.weights is None else rows.weights[place[kept]])


def filtered(rows: Adjacency, keep: npt.NDArray[np.bool_]) -> Adjacency:
    """The arcs where ``keep`` is true, in rows of the same vertices."""
    filled = np.flatnonzero(rows.indptr[1:] > rows.indptr[:-1])
    indptr = np.zeros_like(rows.indptr)
    if filled.size:
        indptr[filled + 1] = np.add.reduceat(keep, rows.indptr[filled], dtype=OFFSET)
    np.cumsum(indptr, out=indptr)
    return Adjacency(indptr, rows.indices[keep], None if rows.weights is None else rows.weights[keep])


def of_arcs(rows: Adjacency, values: Array, directed: bool) -> Array:
    """A value for every arc, from values in the order of ``edges``: both arcs of an undirected edge have the same."""
    if directed:
        return values
    from clew.build import kernels_pieces

    spread = np.empty(rows.num_arcs, dtype=values.dtype)
    kernels_pieces.to_both_arcs(*rows.unsigned(), as_bits(np.ascontiguousarray(values)), as_bits(spread))
    return spread


def relabeled(rows: Adjacency, permutation: npt.NDArray[np.int64]) -> Adjacency:
    """Vertex v moved to permutation[v]."""
    moved = _moved(rows, np.ones(rows.num_vertices, dtype=np.bool_), permutation, rows.num_vertices)
    return sorted_rows(moved, copy=False)


def _moved(
    rows: Adjacency, keep: npt.NDArray[np.bool_], new_ids: npt.NDArray[np.int64], num_vertices: int
) -> Adjacency:
    from clew.build import kernels

    bounds = blocks_of(rows)
    lengths = np.empty(rows.num_vertices, dtype=OFFSET)
    threads.each(kernels.count_kept, bounds.size - 1, bounds, rows.indptr, rows.indices, keep, lengths)
    indptr = np.zeros(num_vertices + 1, dtype=OFFSET)
    indptr[new_ids[keep] + 1] = lengths[keep]
    np.cumsum(indptr, out=indptr)
    indices = np.empty(int(indptr[-1]), dtype=id_dtype(num_vertices, rows.indices.dtype))
    weights = None if rows.weights is None else np.empty(indices.size, dtype=rows.weights.dtype)
    old = (rows.indptr, as_bits(rows.indices), as_bits(rows.weights))
    new = (indptr, as_bits(indices), as_bits(weights))
    threads.each(kernels.move_rows, bounds.size - 1, bounds, *old, keep, new_ids, *new)
    return Adjacency(indptr, indices, weights)


def reweighted(rows: Adjacency, weights: npt.ArrayLike | None, *, directed: bool) -> Adjacency:
    """The same arcs with other weights; of an undirected graph, equal in both directions."""
    if weights is None:
        return Adjacency(rows.indptr, rows.indices, width=rows.width)
    changed = Adjacency(rows.indptr, rows.indices, as_weights(weights, rows.num_arcs).copy(), width=rows.width)
    if not directed and (wrong := first_asymmetry(changed)) is not None:
        raise GraphError(
            f"the weights of {wrong[0]}-{wrong[1]} and {wrong[1]}-{wrong[0]} differ, but the graph is undirected; "
            "give both directions the same weight."
        )
    return changed


def equal(one: Adjacency, other: Adjacency) -> bool:
    """Whether both hold the same arcs with the same weights (NaN equals NaN) and the same type of weights."""
    if not (np.array_equal(one.indptr, other.indptr) and np.array_equal(one.indices, other.indices)):
        return False
    if one.weights is None or other.weights is None:
        return one.weights is other.weights
    same_type = one.weights.dtype == other.weights.dtype
    return same_type and np.array_equal(one.weights, other.weights, equal_nan=one.weights.dtype.kind == "f")
