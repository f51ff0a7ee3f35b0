"""Edges to compressed rows: counted, placed, sorted and merged in parallel; see ``kernels`` for the steps."""

from __future__ import annotations

import ctypes
import mmap
from typing import Any

import numpy as np
import numpy.typing as npt

from clew import threads
from clew.adjacency import Adjacency, BuildReport
from clew.build import on_device, rows
from clew.build.rows import Built, Policies, check_symmetric, component_labels, merge
from clew.dtypes import OFFSET, Array, as_bits, as_weights, id_dtype, is_on_gpu
from clew.errors import GraphError, ResourceError
from clew.names import VertexNames
from clew.progress import showing

__all__ = ["Built", "build", "component_labels", "from_rows", "give_back"]

BUCKET_BITS = 8  # 256 buckets: measured fastest, their write fronts fit the first-level cache
MAX_BUCKET_BITS = 13
MAX_SMALL_ROW_BITS = 16  # a row number within its bucket takes 16 bits up to here
LONG = 1 << 22  # edges; fewer are never a second's work
PRESORT_FROM = 6  # arcs to a row; shorter rows are sorted fastest as they are
PORTIONS = 16  # of the edges, by which memory goes back to the system
DONT_NEED, NO_HUGE_PAGES = 4, 15  # MADV_DONTNEED and MADV_NOHUGEPAGE of <sys/mman.h>

_libc = ctypes.CDLL(None, use_errno=True)
_libc.madvise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)


def build(
    source: Any,
    target: Any,
    weights: Any,
    *,
    num_vertices: int | None,
    directed: bool,
    duplicates: str,
    loops: str,
    id_dtype: npt.DTypeLike | None = None,
    both_directions: bool = False,
    names: VertexNames | None = None,
    consume: bool = False,
) -> Built:
    """Compressed rows of the edges; arguments as in ``Graph.from_edges``.

    With ``consume``, the caller gives up source, target and weights. Their memory is returned to the system while they
    are read, which keeps reading a file within three times the size of the graph.
    """
    mirror = not directed and not both_directions
    policies = Policies(directed, duplicates, loops, num_vertices, id_dtype, mirror)
    if is_on_gpu(source) and is_on_gpu(target):
        built = on_device.build(source, target, weights, policies)
    else:
        built = _build(source, target, weights, policies, consume=consume)
    if both_directions and not directed:
        check_symmetric(built.adjacency, names)
    return built


def _build(source: Any, target: Any, weights: Any, policies: Policies, *, consume: bool) -> Built:
    source, target = rows.as_ids(source, "source"), rows.as_ids(target, "target")
    if source.size != target.size:
        raise GraphError(f"source has {source.size:,} entries and target {target.size:,}; expected as many.")
    if source.dtype != target.dtype:
        source, target = source.astype(np.int64, copy=False), target.astype(np.int64, copy=False)
    # Every id is below this count, so the kernels may index without checks.
    count = rows.check_extent(*rows.extent(source, target), source.size, policies.num_vertices)
    carried = None if weights is None else as_weights(weights, source.size)
    with showing("sorting edges into rows", when=source.size >= LONG):
        adjacency, num_loops, repeated = _rows(source, target, carried, count, policies, consume=consume)
        report = BuildReport(source.size, num_loops, num_loops if policies.drop_loops else 0)
        if repeated and policies.duplicates != "keep":
            adjacency, report = merge(adjacency, report, policies)
    return Built(adjacency, report)


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
    policies = Policies(directed, duplicates, loops)
    adjacency = rows.sorted_rows(rows.checked(indptr, indices, weights, id_dtype), copy=True)
    num_loops = rows.count_loops(adjacency)
    given = adjacency.num_arcs if directed else (adjacency.num_arcs + num_loops) // 2
    report = BuildReport(given, num_loops)
    if duplicates != "keep" or loops == "drop":
        adjacency, report = merge(adjacency, report, policies)
    if not directed:
        check_symmetric(adjacency)
    return Built(adjacency, report)


def _rows(
    source: Array, target: Array, weights: Array | None, num_vertices: int, policies: Policies, *, consume: bool
) -> tuple[Adjacency, int, int]:
    """Sorted rows, the number of self-loops in the edges, and the number of equal neighbours."""
    from clew.build import kernels

    shift = _bucket_shift(num_vertices)
    dtype = id_dtype(num_vertices, policies.id_dtype)
    buckets = max(1, -(-num_vertices // (1 << shift)))
    # More shares than threads, since what a share has read goes back to the system before the next one writes.
    shares = max(threads.pieces(source.size), min(PORTIONS, source.size >> 20))
    counts = np.zeros((shares, buckets), dtype=np.uint64)
    # Ids are known to be in range by now, so they can be used as unsigned integers, which index faster.
    edges = (as_bits(source), as_bits(target))
    policy = (np.uint64(shift), policies.mirror, policies.drop_loops)
    num_loops = sum(threads.each(kernels.count_buckets, shares, *edges, *policy, counts))
    ends = np.cumsum(counts.T, dtype=np.uint64).reshape(buckets, shares)
    places = np.ascontiguousarray(ends.T - counts)
    starts = np.concatenate([np.zeros(1, dtype=np.uint64), ends[:, -1]])
    arcs = int(starts[-1])
    try:
        indptr = np.empty(num_vertices + 1, dtype=OFFSET)
        columns = np.empty(arcs, dtype=dtype)
        row_numbers = np.empty(arcs, dtype=np.uint16 if shift <= MAX_SMALL_ROW_BITS else np.uint32)
        carried = None if weights is None else np.empty(arcs, dtype=weights.dtype)
        if consume:  # or the first share would take all pages of the buckets, in which it writes a little everywhere
            for array in (row_numbers, columns, carried):
                if array is not None:
                    advise(array, 0, array.size, NO_HUGE_PAGES)
        bucketed = (row_numbers, as_bits(columns), as_bits(carried))
        args = (*edges, as_bits(weights), *policy, places, *bucketed)
        given = [array for array in (source, target, weights) if array is not None] if consume else []

        def fill(share: int) -> None:
            kernels.fill_buckets(share, *args)
            for array in given:
                give_back(array, share * array.size // shares, (share + 1) * array.size // shares)

        threads.each(fill, shares)
        indices = np.empty_like(columns)
        placed = None if weights is None else np.empty(arcs, dtype=weights.dtype)
    except MemoryError:
        size = dtype.itemsize + (0 if weights is None else weights.itemsize)
        raise ResourceError(
            f"the graph needs {8 * num_vertices + size * arcs:,} bytes and about 2.5 times that while it is built; "
            "free memory, use narrower weights, or build it from fewer edges."
        ) from None
    firsts = np.minimum(np.arange(buckets + 1, dtype=np.uint64) << policy[0], np.uint64(num_vertices))
    into = (indptr, as_bits(indices), as_bits(placed))
    repeated = place_rows(starts, bucketed, firsts, num_vertices, into, (columns, row_numbers, carried))
    return Adjacency(indptr, indices, placed), num_loops, repeated


def place_rows(
    starts: Array, bucketed: Any, firsts: Array, num_columns: int, into: Any, consumed: tuple[Array | None, ...] = ()
) -> int:
    """Turn buckets into sorted rows (see ``kernels``); returns the number of equal neighbours.

    ``bucketed`` are the row numbers, columns and weights, and ``into`` the offsets, neighbours and weights. The memory
    of ``consumed`` is given back when it has been read.
    """
    from clew.build import kernels

    arcs, (indptr, *neighbours) = int(starts[-1]), into
    indptr[-1] = arcs
    presort = arcs > PRESORT_FROM * (indptr.size - 1)
    low_bit = np.uint64(max(0, (num_columns - 1).bit_length() - kernels.DIGIT))
    goals = np.linspace(0, arcs, max(threads.pieces(arcs), min(PORTIONS, arcs >> 20)) + 1).astype(np.uint64)
    bounds = np.searchsorted(starts, goals).astype(np.uint64)
    bounds[0], bounds[-1] = 0, firsts.size - 1
    given = (bounds, starts, *bucketed, firsts, presort, low_bit, as_bits(indptr), *neighbours)

    def place(piece: int) -> int:
        repeated = kernels.place_rows(piece, *given)
        for array in consumed:
            if array is not None:
                give_back(array, int(starts[bounds[piece]]), int(starts[bounds[piece + 1]]))
        return int(repeated)

    return sum(threads.each(place, bounds.size - 1))


def _bucket_shift(num_vertices: int) -> int:
    """log2 of the rows per bucket: 256 buckets, or more where that keeps row numbers at 16 bits."""
    bits = max(1, num_vertices - 1).bit_length()
    return max(0, bits - min(MAX_BUCKET_BITS, max(BUCKET_BITS, bits - MAX_SMALL_ROW_BITS)))


def give_back(array: Array, start: int, stop: int) -> None:
    """Let the system have the whole pages of ``array[start:stop]``, whose values are lost; a hint, never an error.

    Only memory that the array itself owns is given back: not a view, not a mapped file, not a read-only array.
    """
    if array.flags.owndata and array.flags.writeable and array.flags.c_contiguous:
        advise(array, start, stop, DONT_NEED)


def advise(array: Array, start: int, stop: int, advice: int) -> None:
    """Tell the system something about the whole pages of ``array[start:stop]``."""
    page = mmap.PAGESIZE
    address: int = array.ctypes.data
    first = -(-(address + start * array.itemsize) // page) * page
    last = (address + stop * array.itemsize) // page * page
    if last > first:
        _libc.madvise(first, last - first, advice)
