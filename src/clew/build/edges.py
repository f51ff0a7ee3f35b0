"""From two arrays of endpoints to sorted rows; see ``kernels`` for the steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from clew import threads
from clew.adjacency import Adjacency, BuildReport
from clew.build.rows import check_policies, checked, extent, finish, own
from clew.dtypes import OFFSET, Array, as_bits, as_weights, id_dtype
from clew.errors import GraphError, ResourceError

BUCKET_BITS = 8  # 256 buckets: measured fastest, their write fronts fit the first-level cache
MAX_BUCKET_BITS = 13
MAX_SMALL_ROW_BITS = 16  # a row number within its bucket takes 16 bits up to here
SORT_BUCKETS_FROM = 6  # arcs to a row; shorter rows are sorted faster one by one


@dataclass(frozen=True, slots=True)
class Built:
    """Rows, and what became of the edges."""

    adjacency: Adjacency
    report: BuildReport


def build(
    source: Array,
    target: Array,
    weights: npt.ArrayLike | None,
    *,
    num_vertices: int | None,
    directed: bool,
    duplicates: str,
    loops: str,
    id_dtype: npt.DTypeLike | None = None,
    both_directions: bool = False,
) -> Built:
    """Compressed rows of the edges; arguments as in ``Graph.from_edges``."""
    check_policies(duplicates, loops)
    source, target = _as_ids(source, "source"), _as_ids(target, "target")
    if source.size != target.size:
        raise GraphError(f"source has {source.size:,} entries and target {target.size:,}; expected as many.")
    if source.dtype != target.dtype:
        source, target = source.astype(np.int64, copy=False), target.astype(np.int64, copy=False)
    count = _count_vertices(source, target, num_vertices)
    carried = None if weights is None else as_weights(weights, source.size)
    mirror = not directed and not both_directions
    adjacency, found = _rows(source, target, carried, count, id_dtype, mirror, loops == "drop")
    report = BuildReport(given=source.size, loops=found, loops_dropped=found if loops == "drop" else 0)
    check = both_directions and not directed
    return Built(*finish(adjacency, report, directed, duplicates, loops, check_symmetry=check))


def from_rows(
    indptr: npt.ArrayLike,
    indices: npt.ArrayLike,
    weights: npt.ArrayLike | None,
    *,
    directed: bool,
    duplicates: str,
    loops: str,
    id_dtype: npt.DTypeLike | None = None,
) -> Built:
    """Compressed rows of compressed rows; arguments as in ``Graph.from_csr``."""
    check_policies(duplicates, loops)
    rows = checked(indptr, indices, weights, id_dtype)
    report = BuildReport(given=rows.num_arcs)
    rows = own(rows, duplicates=duplicates, loops=loops)
    return Built(*finish(rows, report, directed, duplicates, loops, check_symmetry=not directed))


def _as_ids(values: Any, what: str) -> Array:
    array = np.asarray(values)
    if array.ndim != 1:
        raise GraphError(f"{what} has {array.ndim} dimensions; expected a 1-D array of vertex ids.")
    if array.size == 0:
        return np.empty(0, dtype=np.int64)
    if array.dtype.kind not in "iu":
        raise GraphError(f"{what} has dtype {array.dtype}; expected integers (vertex ids) or strings (names).")
    if array.dtype == np.uint64 and int(array.max()) > np.iinfo(np.int64).max:
        raise GraphError(
            f"{what} has the id {int(array.max())}; ids go up to 2^63-1. Pass ids='map' to use it as a name."
        )
    if array.dtype not in (np.dtype(np.int32), np.dtype(np.int64)):
        array = array.astype(np.int64)
    return np.ascontiguousarray(array)


def _count_vertices(source: Array, target: Array, given: int | None) -> int:
    """The number of vertices, after a check that every id lies below it."""
    low, high = extent(source, target)
    if low < 0:
        raise GraphError(f"there is a negative vertex id, {low}; expected 0…n-1. Pass ids='map' to use ids as names.")
    if given is None:
        _refuse_sparse(high, source.size)
        return high + 1
    if given < 0:
        raise GraphError(f"num_vertices is {given}; expected 0 or more.")
    if high >= given:
        raise GraphError(f"there is an edge to vertex {high}, but num_vertices is {given:,}; expected ids 0…n-1.")
    return given


def _refuse_sparse(high: int, num_edges: int) -> None:
    """One stray id must not make us allocate terabytes of empty rows."""
    if high > (1 << 28) and high > 64 * num_edges:
        raise GraphError(
            f"the largest id is {high:,} but there are only {num_edges:,} edges: rows for every id up to it would take "
            f"{8 * (high + 2):,} bytes. Pass ids='map' to number only vertices that occur, or num_vertices to insist."
        )


def _rows(
    source: Array,
    target: Array,
    weights: Array | None,
    num_vertices: int,
    dtype: npt.DTypeLike | None,
    mirror: bool,
    drop_loops: bool,
) -> tuple[Adjacency, int]:
    from clew.build import kernels

    shift = _bucket_shift(num_vertices)
    buckets = max(1, -(-num_vertices // (1 << shift)))
    counts = np.zeros((threads.pieces(source.size), buckets), dtype=OFFSET)
    shares = counts.shape[0]
    found = sum(threads.each(kernels.count_buckets, shares, source, target, shift, mirror, drop_loops, counts))
    starts = np.empty(buckets + 1, dtype=OFFSET)
    kernels.cursors(counts, starts)
    arcs = int(starts[-1])
    try:
        indptr = np.empty(num_vertices + 1, dtype=OFFSET)
        columns = np.empty(arcs, dtype=id_dtype(num_vertices, dtype))
        rows = np.empty(arcs, dtype=np.uint16 if shift <= MAX_SMALL_ROW_BITS else np.uint32)
        bits = as_bits(weights)
        carried = None if bits is None else np.empty(arcs, dtype=bits.dtype)
        threads.each(
            kernels.fill_buckets,
            shares,
            source,
            target,
            bits,
            shift,
            mirror,
            drop_loops,
            counts,
            rows,
            columns,
            carried,
        )
        indices = np.empty_like(columns)
        placed = None if weights is None else np.empty(arcs, dtype=weights.dtype)
    except MemoryError:
        size = id_dtype(num_vertices, dtype).itemsize + (0 if weights is None else weights.itemsize)
        raise ResourceError(
            f"the graph needs {8 * num_vertices + size * arcs:,} bytes and about 2.5 times that while it is built; "
            "free memory, use narrower weights, or build it from fewer edges."
        ) from None
    indptr[-1] = arcs
    sort_bits = num_vertices.bit_length() if arcs > SORT_BUCKETS_FROM * num_vertices else 0
    into = (indptr, indices, as_bits(placed))
    threads.each(kernels.place_rows, buckets, starts, rows, columns, carried, shift, sort_bits, *into)
    return Adjacency(indptr, indices, placed), found


def _bucket_shift(num_vertices: int) -> int:
    """log2 of the rows per bucket: 256 buckets, or more where that keeps row numbers at 16 bits."""
    bits = max(1, num_vertices - 1).bit_length()
    return max(0, bits - min(MAX_BUCKET_BITS, max(BUCKET_BITS, bits - MAX_SMALL_ROW_BITS)))
