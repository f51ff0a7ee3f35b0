"""Rows of a graph: check them, sort them, merge duplicates, check symmetry, find components."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from clew import threads
from clew.adjacency import Adjacency, BuildReport
from clew.checks import array as as_array
from clew.checks import counted, flag, one_of, whole
from clew.dtypes import OFFSET, Array, IdArray, as_bits, as_weights, id_dtype
from clew.errors import GraphError
from clew.names import VertexNames, shown

SMALL = 1 << 20  # arcs; below this, NumPy is done before Numba is loaded
MODES = {"drop": 0, "first": 0, "min": 1, "max": 2, "sum": 3}
SAMPLES = 1024  # enough to find a tree that most vertices are in; another choice only costs time


@dataclass(frozen=True, slots=True)
class Built:
    """Rows, and a report on the edges."""

    adjacency: Adjacency
    report: BuildReport


@dataclass(frozen=True, slots=True)
class Policies:
    """How edges become rows; see ``Graph.from_edges``. With ``mirror``, every edge stands for both directions."""

    directed: bool
    duplicates: str
    loops: str
    num_vertices: int | None = None
    id_dtype: npt.DTypeLike | None = None
    mirror: bool = False

    def __post_init__(self) -> None:
        flag("directed", self.directed)
        one_of("duplicates", self.duplicates, ("keep", *MODES))
        one_of("loops", self.loops, ("keep", "drop"))

    @property
    def drop_loops(self) -> bool:
        """Whether self-loops are dropped."""
        return self.loops == "drop"


def as_ids(values: Any, what: str, xp: Any = np) -> Any:
    """A contiguous array of ids in the memory of ``xp``; on the CPU of int32 or int64, which its kernels take."""
    array = xp.asarray(values)
    if array.ndim != 1:
        raise GraphError(f"{what} has {array.ndim} dimensions; expected a 1-D array of vertex ids.")
    if array.size == 0:
        return xp.empty(0, dtype=np.int64)
    if array.dtype.kind not in "iu":
        raise GraphError(f"{what} has dtype {array.dtype}; expected integers (vertex ids) or strings (names).")
    if array.dtype == np.uint64 and int(array.max()) > np.iinfo(np.int64).max:
        raise GraphError(
            f"{what} has the id {int(array.max())}; ids go up to 2^63-1. Pass ids='map' to use it as a name."
        )
    if xp is np and array.dtype not in (np.dtype(np.int32), np.dtype(np.int64)):
        array = array.astype(np.int64)
    return xp.ascontiguousarray(array)


def extent(*columns: Array) -> tuple[int, int]:
    """The smallest and the largest value in integer arrays; (0, -1) where they are empty."""
    from clew.build import kernels

    ends: list[Any] = []
    for column in columns:
        if column.size:
            ends += threads.in_pieces(kernels.extent, column.size, column)
    return (min(int(end[0]) for end in ends), max(int(end[1]) for end in ends)) if ends else (0, -1)


def check_extent(low: int, high: int, num_edges: int, given: int | None) -> int:
    """The number of vertices of edges whose ids go from ``low`` to ``high`` (-1 where there are none)."""
    if low < 0:
        raise GraphError(f"there is a negative vertex id, {low}; expected 0…n-1. Pass ids='map' to use ids as names.")
    if given is None:
        _refuse_sparse(high, num_edges)
        return high + 1
    given = whole("num_vertices", given, 0)
    if high >= given:
        raise GraphError(f"there is an edge to vertex {high}, but num_vertices is {given:,}; expected ids 0…n-1.")
    return given


def _refuse_sparse(high: int, num_edges: int) -> None:
    """One stray id must not make us allocate terabytes of empty rows."""
    if high > (1 << 28) and high > 64 * num_edges:
        raise GraphError(
            f"the largest id is {high:,}, for only {counted(num_edges, 'edge')}: rows for every id up to it would take "
            f"{8 * (high + 2):,} bytes. Pass ids='map' to number only vertices that occur, or num_vertices to insist."
        )


def checked(
    indptr: npt.ArrayLike, indices: npt.ArrayLike, weights: npt.ArrayLike | None, dtype: npt.DTypeLike | None
) -> Adjacency:
    """Rows whose offsets and ids are known to be in range; rows need not be sorted yet."""
    offsets, columns = as_array("indptr", indptr), as_array("indices", indices)
    if offsets.ndim != 1 or offsets.size == 0 or offsets.dtype.kind not in "iu":
        raise GraphError(f"indptr has shape {offsets.shape} and dtype {offsets.dtype}; expected n+1 integers.")
    if columns.ndim != 1 or (columns.size and columns.dtype.kind not in "iu"):
        raise GraphError(f"indices have shape {columns.shape} and dtype {columns.dtype}; expected a 1-D integer array.")
    offsets = np.ascontiguousarray(offsets, dtype=OFFSET)
    if offsets[0] != 0 or offsets[-1] != columns.size or np.any(offsets[1:] < offsets[:-1]):
        raise GraphError(
            f"indptr runs from {offsets[0]} to {offsets[-1]}; expected it to ascend from 0 to the number of indices, "
            f"{columns.size:,}."
        )
    count = offsets.size - 1
    if columns.size:
        wide = columns if columns.dtype in (np.int32, np.int64) else columns.astype(np.int64)
        low, high = extent(np.ascontiguousarray(wide))
        if low < 0 or high >= count:
            wrong = low if low < 0 else high
            raise GraphError(f"indices contain {wrong}; expected vertex ids from 0 to {count - 1}.")
    narrowed = np.ascontiguousarray(columns, dtype=id_dtype(count, dtype))
    values = None if weights is None else as_weights(weights, columns.size)
    # Views, so that only the graph's own arrays become read-only and not the caller's.
    return Adjacency(offsets.view(), narrowed.view(), None if values is None else values.view())


def sorted_rows(rows: Adjacency, *, copy: bool) -> Adjacency:
    """The rows themselves where they are sorted; else sorted in place, or in a copy where the arrays are not ours."""
    from clew.build import kernels_sort

    bounds = blocks_of(rows)
    if all(threads.each(kernels_sort.rows_are_sorted, bounds.size - 1, bounds, rows.indptr, rows.indices)):
        return rows
    if copy:
        rows = _copied(rows)
    indices, weights = _writable(rows.indices), as_bits(_writable(rows.weights))
    threads.each(kernels_sort.sort_rows, bounds.size - 1, bounds, as_bits(rows.indptr), as_bits(indices), weights)
    return Adjacency(rows.indptr, indices, rows.weights)


def _copied(rows: Adjacency) -> Adjacency:
    return Adjacency(rows.indptr.copy(), rows.indices.copy(), None if rows.weights is None else rows.weights.copy())


def count_loops(rows: Adjacency) -> int:
    """The number of arcs from a vertex to itself; rows are sorted."""
    if rows.num_arcs < SMALL:
        sources = np.repeat(np.arange(rows.num_vertices), rows.degrees())
        return int(np.count_nonzero(sources == rows.plain().indices))
    from clew.build import kernels

    found = 0
    for first, part in rows.chunks():
        bounds = blocks_of(part)
        found += sum(threads.each(kernels.count_loops, bounds.size - 1, bounds, first, part.indptr, part.indices))
    return found


def blocks_of(rows: Adjacency, parts: int | None = None) -> Array:
    """Boundaries of blocks of rows with about as many arcs each: the pieces of a parallel loop over rows."""
    from clew.build import kernels_sort

    if parts is None:
        parts = threads.pieces(rows.num_arcs + rows.num_vertices)
    bounds: Array = kernels_sort.row_blocks(rows.indptr, parts)
    return bounds


def _writable(array: Any) -> Any:
    if array is not None:
        array.flags.writeable = True
    return array


def merge(rows: Adjacency, report: BuildReport, policies: Policies) -> tuple[Adjacency, BuildReport]:
    """Merge duplicates and drop self-loops of sorted rows, in place where the graph owns the arrays."""
    if not all(array.flags.owndata for array in (rows.indptr, rows.indices, rows.weights) if array is not None):
        rows = _copied(rows)
    arrays = (_writable(rows.indptr), _writable(rows.indices), _writable(rows.weights))
    arcs, merged, merged_loops, dropped = merge_in_place(*arrays, policies)
    # An undirected edge between two vertices was found in both of their rows.
    edges = merged if policies.directed else (merged + merged_loops) // 2
    report = replace(
        report, loops_dropped=report.loops_dropped + dropped, duplicates_merged=report.duplicates_merged + edges
    )
    return Adjacency(arrays[0], _shrunk(arrays[1], arcs), _shrunk(rows.weights, arcs)), report


def merge_in_place(
    indptr: Array, indices: Array, weights: Array | None, policies: Policies, first_row: int = 0
) -> tuple[int, ...]:
    """As ``merge``, for arrays of rows from ``first_row`` on.

    Returns the numbers of arcs that are left, of merged ones, of self-loops among these, and of dropped self-loops.
    """
    from clew.build import kernels_sort

    bounds: Array = kernels_sort.row_blocks(indptr, threads.pieces(indices.size + indptr.size - 1))
    mode = MODES.get(policies.duplicates, 0)
    lengths = np.empty(indptr.size - 1, dtype=OFFSET)
    moved = weights if mode else as_bits(weights)
    arrays = (bounds, first_row, indptr, indices, moved)
    kept = (mode, policies.duplicates != "keep", policies.drop_loops)
    counts = threads.each(kernels_sort.merge_rows, bounds.size - 1, *arrays, *kept, lengths)
    merged, merged_loops, dropped, overflows = (sum(column) for column in zip(*counts, strict=True))
    if overflows:
        raise GraphError(
            f"{overflows:,} sums of duplicate weights do not fit {weights.dtype}; "  # type: ignore[union-attr]
            "give weights of a wider type, or another rule than to sum them."
        )
    return int(kernels_sort.close_gaps(indptr, lengths, indices, moved)), merged, merged_loops, dropped


def _shrunk(array: Any, size: int) -> Any:
    """The first ``size`` entries, with the memory behind them given back."""
    if array is None or array.size == size:
        return array
    if array.base is not None or not array.flags.owndata:
        return array[:size].copy()
    array.resize(size, refcheck=False)
    return array


def first_asymmetry(rows: Adjacency) -> tuple[int, int] | None:
    """An arc that has no equal in the other direction, or None."""
    from clew.build import kernels

    u, v = kernels.first_asymmetry(rows.indptr, rows.indices, as_bits(rows.weights))
    return None if u < 0 else (int(u), int(v))


def check_symmetric(rows: Adjacency, names: VertexNames | None = None) -> None:
    """Refuse rows that do not hold every edge in both directions; the message calls vertices by their names."""
    wrong = first_asymmetry(rows)
    if wrong is not None:
        raise GraphError(
            f"the graph is said to be undirected, but the edge {shown(names, *wrong)} is there one way only, or "
            "its two directions have different weights. Read it as directed, or let each edge be given once."
        )


def component_labels(rows: Adjacency, *, both_directions: bool) -> IdArray:
    """The smallest vertex in the weak component of each vertex.

    ``both_directions`` says that every edge is stored both ways, which saves reading most of them. The same for any
    number of threads.
    """
    from clew.build import kernels_components as kernels

    labels = np.empty(rows.num_vertices, dtype=rows.id_dtype)
    if not labels.size:
        return labels
    pointer, read = as_bits(labels), rows.readable()
    bounds, parts = blocks_of(rows), threads.pieces(labels.size)
    blocks = bounds.size - 1
    threads.each(kernels.point_to_first, blocks, bounds, read, pointer)
    threads.each(kernels.join_second, blocks, bounds, read, pointer)
    threads.each(kernels.flatten, parts, parts, pointer)
    largest = _most_frequent(pointer[:: max(1, pointer.size // SAMPLES)])
    marks = None
    if not both_directions:
        marks = np.empty(-(-labels.size // 64), dtype=np.uint64)
        threads.each(kernels.mark, parts, parts, pointer, largest, marks)
    threads.each(kernels.join_all, blocks, bounds, read, pointer, largest, marks)
    threads.each(kernels.flatten, parts, parts, pointer)
    return labels


def _most_frequent(values: Array) -> Any:
    found, counts = np.unique(values, return_counts=True)
    return found[np.argmax(counts)]
