"""Packed rows of edges that are gone over several times, so that plain rows are there for a range of vertices only.

The first pass counts the arcs of every cell, a run of consecutive rows. Cells become ranges, whose plain rows fit a
part of the free memory. Another pass per range takes its arcs from the edges, in both directions if these are
undirected. They become sorted rows by the kernels of ``clew.build``, are packed, and are appended. The result has the
same bits as ``packed`` of all rows. Only offsets are there as a whole: 8 bytes per vertex.
"""

from __future__ import annotations

import mmap
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from clew import threads
from clew.adjacency import BuildReport
from clew.build import DONT_NEED, MAX_SMALL_ROW_BITS, advise, place_rows
from clew.build.rows import Built, Policies, as_ids, check_extent, extent, merge_in_place
from clew.dtypes import OFFSET, Array, as_bits, as_weights, id_dtype
from clew.errors import GraphError, ResourceError
from clew.free_memory import available_bytes
from clew.packed import PackedAdjacency, narrowed
from clew.packed.code import GROUP, GROUPS, SPARE, PackedArray, bits_of, counts, pack, write_blocks
from clew.progress import showing

CELL_BITS = 16  # of rows are counted apart: the counters of a share fit the second-level cache
BUCKETS, BUCKET_ARCS = 1 << 12, 1 << 12  # of a range, and arcs below which a bucket is not worth it
PARTS = 8  # of a range: the plain rows of one of them are there at a time
BLOCK = GROUP * GROUPS
NO_RESERVE = 0x4000  # MAP_NORESERVE of <sys/mman.h>
LONG = 1 << 22  # edges; fewer are never a second's work


@dataclass(frozen=True)
class EdgeSource:
    """Edges that can be gone over again: ``batches(share)`` yields those of one of the ``shares``, always the same.

    A batch is (source, target, weights or None). Several threads take shares at once. The first pass needs no
    weights. After it, ``agreed`` returns the number of vertices and the dtype of weights. A number of None stands for
    one more than the largest id.
    """

    shares: int
    batches: Callable[[int], Iterable[tuple[Any, Any, Any]]]
    agreed: Callable[[], tuple[int | None, np.dtype[Any] | None]]

    def each(self, work: Callable[[int, Array, Array, Array | None], None]) -> None:
        """Call ``work(share, source, target, weights)`` for every batch, in the order of the share."""

        def go_over(share: int) -> None:
            with threads.alone():
                for given in self.batches(share):
                    source, target = as_ids(given[0], "source"), as_ids(given[1], "target")
                    if source.dtype != target.dtype:
                        source, target = source.astype(np.int64, copy=False), target.astype(np.int64, copy=False)
                    weights = None if given[2] is None else as_weights(given[2], source.size)
                    work(share, source, target, weights)

        threads.each(go_over, self.shares)


def build_packed(edges: EdgeSource, policies: Policies, room: int | None = None) -> Built:
    """The packed rows of edges; plain rows take ``room`` bytes of memory, or three fifths of what is free."""
    found = _Counts(edges, policies)
    ranges = _Ranges(edges, policies, found)
    total = int(ranges.ends[-1])
    cell = merged = 0
    with showing("packing rows", unit="arcs", when=found.given >= LONG) as report:
        while cell < ranges.ends.size - 1:
            start, cell = cell, ranges.end_of(cell, room)
            merged += ranges.append(start, cell)
            if report is not None:
                report(int(ranges.ends[cell]), total)
    dropped = found.loops if policies.drop_loops else 0
    merged = merged if policies.directed else merged // 2  # an edge is in two rows, and a loop was counted twice
    return Built(ranges.finished(), BuildReport(found.given, found.loops, dropped, merged))


class _Counts:
    """The number of arcs in every cell of 2^shift rows, for every share; and what else one pass over edges tells."""

    def __init__(self, edges: EdgeSource, policies: Policies) -> None:
        self._policies = policies
        self.arcs = np.zeros((edges.shares, 1 << CELL_BITS), np.uint64)
        self._shifts = np.zeros(edges.shares, np.int64)
        self._facts = np.zeros((edges.shares, 3), np.int64)  # edges, loops, and one after the largest id
        edges.each(self._count)
        self.given, self.loops = (int(each) for each in self._facts[:, :2].sum(0))
        given, self.weights = edges.agreed()
        self.num_vertices = check_extent(0, int(self._facts[:, 2].max(initial=0)) - 1, self.given, given)
        self.shift = max(_shift_of(self.num_vertices), int(self._shifts.max(initial=0)))
        for share in range(edges.shares):
            self._fold(share, self.shift)

    def _count(self, share: int, source: Array, target: Array, _: Array | None) -> None:
        from clew.build import kernels

        low, high = extent(source, target)
        if low < 0:
            check_extent(low, high, source.size, None)
        self._fold(share, max(_shift_of(high + 1), int(self._shifts[share])))
        shift, (mirror, drop) = np.uint64(self._shifts[share]), (self._policies.mirror, self._policies.drop_loops)
        mine = self.arcs[share : share + 1]
        loops = kernels.count_buckets(0, as_bits(source), as_bits(target), shift, mirror, drop, mine)
        facts = self._facts[share]
        facts[:2] += source.size, loops
        facts[2] = max(facts[2], high + 1)

    def _fold(self, share: int, shift: int) -> None:
        """Count cells of 2^shift rows from now on."""
        by = min(shift - int(self._shifts[share]), CELL_BITS)
        if by:
            mine = self.arcs[share]
            folded = mine.reshape(-1, 1 << by).sum(1)
            mine[:] = 0
            mine[: folded.size] = folded
            self._shifts[share] = shift


def _shift_of(num_vertices: int) -> int:
    return max(0, (num_vertices - 1).bit_length() - CELL_BITS)


class _Ranges:
    """Ranges of rows: their arcs are taken from the edges, sorted, packed and appended, one range after another."""

    def __init__(self, edges: EdgeSource, policies: Policies, found: _Counts) -> None:
        self._edges, self._policies, self._shift, num_vertices = edges, policies, found.shift, found.num_vertices
        self._num_vertices = num_vertices
        self._arcs = found.arcs[:, : -(-num_vertices >> found.shift)]
        self.ends = np.concatenate([np.zeros(1, np.uint64), np.cumsum(self._arcs.sum(0), dtype=np.uint64)])
        ids = id_dtype(num_vertices, policies.id_dtype)
        rows = np.dtype(np.uint16 if self._shift <= MAX_SMALL_ROW_BITS else np.uint32)
        self._dtypes: list[np.dtype[Any]] = [dtype for dtype in (rows, ids, found.weights) if dtype is not None]
        # Ranges share arrays: to take other memory for every range would cost more than to sort it.
        self._arrays, self._indices = [np.empty(0, dtype) for dtype in self._dtypes], np.empty(0, ids)
        self._rows = _GrowingRows(num_vertices, int(self.ends[-1]), ids, found.weights)

    def end_of(self, cell: int, room: int | None) -> int:
        """The cell before which a range that starts with ``cell`` ends."""
        widths = [dtype.itemsize for dtype in self._dtypes]
        if room is None:
            held = sum(array.nbytes for array in (*self._arrays, self._indices))
            whole, free = 2 * sum(widths) * int(self.ends[cell + 1] - self.ends[cell]), available_bytes() + held
            if whole > free - self._rows.unused_bytes:
                raise ResourceError(
                    f"{1 << self._shift:,} rows need {whole:,} bytes while they are packed, and {free:,} bytes are "
                    f"free; {self._rows.nbytes:,} bytes hold the packed rows before them. Choose a smaller graph."
                )
            room = 3 * (free - self._rows.unused_bytes) // 5  # the rest is for packed rows of 3 bytes per arc or more
        arcs = room * PARTS // (PARTS * sum(widths) + sum(widths[1:]))  # one part is there as rows, too
        return max(cell + 1, int(np.searchsorted(self.ends, self.ends[cell] + np.uint64(arcs), "right")) - 1)

    def append(self, first: int, last: int) -> int:
        """Pack the rows of the cells from ``first`` to ``last``; returns how often edges were merged in a row."""
        start, stop = first << self._shift, min(last << self._shift, self._num_vertices)
        starts, firsts = self._fill(first, last, stop - start)
        goals = np.linspace(0, int(starts[-1]), PARTS + 1).astype(np.uint64)
        cuts = np.unique([0, *np.searchsorted(starts, goals)[1:-1], starts.size - 1]).tolist()
        merged = 0
        for low, high in pairwise(cuts):
            here = slice(int(starts[low]), int(starts[high]))
            bounds = start + int(firsts[low]), start + int(firsts[high])
            merged += self._append(
                *bounds, starts[low : high + 1] - starts[low], self._bits(here), firsts[low : high + 1] - firsts[low]
            )
        return merged

    def _append(self, start: int, stop: int, starts: Array, bucketed: Any, firsts: Array) -> int:
        """Sort and pack the rows of some buckets."""
        rest, size = self._rows.rest, int(starts[-1])
        if self._indices.size < rest.size + size:
            self._indices = np.empty(0, self._dtypes[1])  # first, or both would be there
            self._indices = reserved(rest.size + size, self._dtypes[1])
        indices = self._indices[: rest.size + size]
        weights = np.empty(size, self._dtypes[2]) if self._dtypes[2:] else None
        indices[: rest.size] = rest
        indptr, neighbours = self._rows.indptr[start : stop + 1], indices[rest.size :]
        into = (indptr, as_bits(neighbours), as_bits(weights))
        repeated = place_rows(starts, bucketed, firsts, self._num_vertices, into)
        merged = loops = 0
        if repeated and self._policies.duplicates != "keep":
            size, merged, loops, _ = merge_in_place(indptr, neighbours, weights, self._policies, start)
        self._rows.append(start, stop, indices[: rest.size + size], None if weights is None else weights[:size])
        return merged if self._policies.directed else merged + loops

    def _bits(self, part: slice) -> tuple[Array | None, ...]:
        """Row numbers, columns and weights of a part of the arcs in buckets, as kernels take them."""
        return (*(as_bits(array)[part] for array in self._arrays), None)[:3]

    def _make_room(self, size: int) -> None:
        """Have arrays of ``size`` entries for buckets, and return memory that they need no more."""
        if size > self._arrays[0].size:
            self._arrays = [np.empty(0, dtype) for dtype in self._dtypes]  # first, or both would be there
            self._arrays = [reserved(size, dtype) for dtype in self._dtypes]
        for array in self._arrays:
            advise(array, size, array.size, DONT_NEED)
        self._arrays = [array[:size] for array in self._arrays]

    def _fill(self, first: int, last: int, num_rows: int) -> tuple[Array, Array]:
        """Put the arcs of a range into buckets of rows: where these start, and their first rows."""
        from clew.build import kernels

        cells = self._bucket_cells(first, last)
        per_share = np.add.reduceat(self._arcs[:, first:last], cells, axis=1)
        ends = np.cumsum(per_share.T, dtype=np.uint64).reshape(per_share.T.shape)
        places = np.ascontiguousarray(ends.T - per_share)
        starts = np.concatenate([np.zeros(1, np.uint64), ends[:, -1]])
        firsts = np.append(cells << self._shift, num_rows).astype(np.uint64)
        bucket_of = np.repeat(np.arange(cells.size, dtype=np.uint32), np.diff(np.append(cells, last - first)))
        self._make_room(int(starts[-1]))
        where = (np.uint64(first << self._shift), np.uint64(self._shift), bucket_of, firsts)
        policy = (self._policies.mirror, self._policies.drop_loops)
        into = self._bits(slice(None))
        had_room = []

        def fill(share: int, source: Array, target: Array, weights: Array | None) -> None:
            given = (as_bits(source), as_bits(target), as_bits(weights))
            had_room.append(kernels.fill_range(*given, *policy, *where, places[share], *into))

        self._edges.each(fill)
        if not all(had_room) or not np.array_equal(places, ends.T):
            raise GraphError("the edges changed while they were read; expected the same edges in every pass.")
        return starts, firsts

    def _bucket_cells(self, first: int, last: int) -> npt.NDArray[np.int64]:
        """The cells of a range with which a bucket begins: about as many arcs in each, and row numbers that fit."""
        ends = self.ends[first : last + 1] - self.ends[first]
        goals = np.linspace(0, int(ends[-1]), 1 + min(BUCKETS, int(ends[-1]) // BUCKET_ARCS), endpoint=False)
        by_arcs = np.minimum(np.searchsorted(ends, goals.astype(np.uint64)), last - first - 1)
        by_rows = np.arange(0, last - first, 1 << max(0, MAX_SMALL_ROW_BITS - self._shift))
        return np.union1d(by_arcs, by_rows)

    def finished(self) -> PackedAdjacency:
        """All rows."""
        self._arrays, self._indices = [], self._indices[:0].copy()
        return self._rows.finished()


class _GrowingRows:
    """Packed rows to which rows are appended; entries of a block that is not full wait in ``rest``."""

    def __init__(self, num_vertices: int, most: int, dtype: np.dtype[Any], weights: np.dtype[Any] | None) -> None:
        groups, blocks = counts(most)
        self._largest = max(0, num_vertices - 1)
        self.indptr = np.zeros(num_vertices + 1, OFFSET)
        self._heads, self._bases = np.empty(groups, np.uint32), np.zeros(blocks + 1, np.uint64)
        # A group of one width never takes more than its entries as they are.
        self._words = reserved(groups * bits_of(self._largest) + blocks + SPARE, np.dtype(np.uint64))
        self._packed = self._used = self._done = 0  # entries, words and rows
        self.rest: Array = np.empty(0, dtype)
        self._weights_as, self._weights = weights, list[Array]()

    @property
    def nbytes(self) -> int:
        """The bytes that packed entries take."""
        return 8 * self._used + self._packed // GROUP * 4

    @property
    def unused_bytes(self) -> int:
        """The bytes that offsets and heads will take from free memory."""
        return self.indptr.nbytes - 8 * self._done + self._heads.nbytes - self._packed // GROUP * 4

    def append(self, start: int, stop: int, values: Array, weights: Array | None) -> None:
        """Append rows from ``start`` on; ``values`` are ``rest`` and their entries, and offsets start with 0."""
        row = int(np.searchsorted(self.indptr[:start], self._packed))  # the first that starts in the rest
        offsets = self.indptr[row : stop + 1]
        offsets[: start - row] -= self._packed
        _add(offsets[start - row :], self.rest.size)
        size = values.size if stop == self.indptr.size - 1 else values.size // BLOCK * BLOCK
        groups, blocks = counts(size)
        group, block = self._packed // GROUP, self._packed // BLOCK
        bases, used = np.zeros(blocks + 1, np.uint64), self._used
        heads = self._heads[group : group + groups]
        write_blocks(values[:size], self._largest, offsets, heads, bases, lambda more: self._words[used : used + more])
        self._bases[block + 1 : block + 1 + blocks] = bases[1:] + np.uint64(used)
        _add(offsets, self._packed)
        self.rest = values[size:].copy()
        self._packed, self._used, self._done = self._packed + size, used + int(bases[-1]), stop
        if weights is not None and weights.size:
            self._weights.append(narrowed(weights).copy())

    def finished(self) -> PackedAdjacency:
        """The rows."""
        groups, blocks = counts(self._packed)
        parts = (self._words[: self._used + SPARE], self._heads[:groups], self._bases[: blocks + 1])
        offsets = pack(self.indptr, self._packed)
        neighbours = PackedArray(*parts, self._packed, self._largest, self.rest.dtype)
        dtype = self._weights_as
        return PackedAdjacency(offsets, neighbours, None if dtype is None else _joined(self._weights, dtype), dtype)


def _joined(parts: list[Array], dtype: np.dtype[Any]) -> Array:
    """Weights of ``dtype``, narrowed part by part, in the type in which ``narrowed`` stores all of them."""
    ends = np.array([end for part in parts for end in (part.min(), part.max())], dtype)
    if dtype.kind != "f" or not any(part.dtype == dtype for part in parts):
        dtype = narrowed(ends).dtype
    joined, size = np.empty(sum(part.size for part in parts), dtype), 0
    while parts:
        part = parts.pop(0)
        joined[size : size + part.size] = part
        size += part.size
    return joined


def _add(offsets: Array, number: int) -> None:
    """Add a number to all offsets."""

    def add(piece: int, pieces: int) -> None:
        offsets[piece * offsets.size // pieces : (piece + 1) * offsets.size // pieces] += number

    if number:
        threads.in_pieces(add, offsets.size)


def reserved(size: int, dtype: np.dtype[Any]) -> Array:
    """Zeros that take memory only where they are written, however many there are."""
    try:
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | NO_RESERVE
        memory = mmap.mmap(-1, max(1, size * dtype.itemsize), flags=flags)
    except OSError as error:
        raise ResourceError(f"{size * dtype.itemsize:,} bytes of addresses cannot be reserved: {error}.") from None
    if hasattr(mmap, "MADV_HUGEPAGE"):
        memory.madvise(mmap.MADV_HUGEPAGE)
    return np.frombuffer(memory, dtype, size)
