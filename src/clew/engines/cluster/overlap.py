"""Sums over neighbours, round by round, in parts: while one part travels, the next is computed.

Every member's segment is cut into as many parts. A block first sums the rows of the first part of every segment, and so
on. A thread of its own sends a part's sums to their owners while the rows of the next part are summed. Owners then turn
the sums into new values, and the same thread sends these to the blocks that need them. The values wait, packed, until
the block has summed all rows with the old ones. So a round waits for the messages of its last part only.

Values of 32 bits travel with 28, and no digit is lost; see ``kernels_narrow``.

All members post the same exchanges in the same order. The number of parts follows from the sizes of the graph and of
the grid. Every sum has the same order of additions in any run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clew import threads
from clew.adjacency import Adjacency
from clew.dtypes import Array, as_bits
from clew.engines.cluster.transport import LinkError

if TYPE_CHECKING:
    from clew.engines.cluster.member import Axis
    from clew.engines.cluster.share import Share

PART, MOST = 1 << 20, 32  # bytes of a segment's part, and parts
PIECE = 1 << 16  # vertices that are settled by one thread, for any number of threads

Settle = Callable[[slice], tuple[float, float]]


class Part(NamedTuple):
    """The rooms of one part, by the members of the axis that they travel along."""

    own: slice  # of this member's segment
    blocks: Array  # of rows: where each begins and ends
    partial: list[Array]  # sums of the block, which leave
    due: list[Array]  # places of the segment that sums arrive for
    offered: list[Array]  # and these sums
    asked: list[Array]  # places of the segment that blocks need
    leaving: list[Array]  # and their values
    needed: list[Array]  # columns of the block
    arriving: list[Array]  # and their values


def number_of_parts(segment: int, itemsize: int) -> int:
    """How many parts a segment has."""
    return max(1, min(MOST, segment * itemsize // PART))


class Sums:
    """Rooms and connections for such rounds. Use it in a ``with`` statement, at whose end its thread ends."""

    def __init__(self, share: Share, *, transpose: bool, dtype: np.dtype[Any], factors: Array | None) -> None:
        from clew.engines.cpu.team import ahead_of

        block, self.routes = share.routes(transpose=transpose)
        rows, self.member = self.routes.rows(block), share.member
        self.values, self._sums = np.empty(rows.num_columns, dtype), np.empty(rows.num_vertices, dtype)
        segment = share.partition.segment
        self.cuts = np.linspace(0, segment, number_of_parts(segment, dtype.itemsize) + 1).astype(np.int64)
        self.parts = self._cut(rows, segment, share.ids.size)
        self._work = (ahead_of(rows, self.values), rows.unsigned(), factors, self.values, self._sums)
        self._narrow = dtype == np.float32
        self._thread = ThreadPoolExecutor(1) if self.member.has_sockets else None

    def _cut(self, rows: Adjacency, segment: int, own: int) -> list[Part]:
        routes, dtype = self.routes, self._sums.dtype
        bounds = list(pairwise(routes.bounds))
        local = [routes.filled[low:high] - k * segment for k, (low, high) in enumerate(bounds)]
        ends = [low + np.searchsorted(each, self.cuts) for (low, _), each in zip(bounds, local, strict=True)]
        blocks, which = _blocks(rows, ends)
        due, asked = (self._in_parts(lists) for lists in (routes.due, routes.asked))
        needed = self._in_parts(routes.needed, segment)
        here, self._here = (
            self.member.groups[axis].index(self.member.rank) for axis in (routes.row_axis, routes.column_axis)
        )
        # Sums of a part have been added before those of the next but one arrive, and so share its rooms.
        rooms = [[np.empty(max(map(len, each)), dtype) for each in zip(*due[k::2], strict=True)] for k in (0, 1)]
        parts = []
        for k, (low, high) in enumerate(pairwise(np.minimum(self.cuts, own).tolist())):
            partial = [self._sums[each[k] : each[k + 1]] for each in ends]
            offered = [room[: each.size] for room, each in zip(rooms[k % 2], due[k], strict=True)]
            leaving, arriving = ([np.empty(each.size, dtype) for each in lists[k]] for lists in (asked, needed))
            offered[here], leaving[self._here], arriving[self._here] = partial[here], *np.empty((2, 0), dtype)
            own_blocks = blocks[which == k]
            parts.append(
                Part(slice(low, high), own_blocks, partial, due[k], offered, asked[k], leaving, needed[k], arriving)
            )
        return parts

    def _in_parts(self, lists: Sequence[Array], segment: int = 0) -> list[list[Array]]:
        """Ascending places, by member, cut into parts; those of member k begin at k segments."""
        ends = [np.searchsorted(each, self.cuts + k * segment) for k, each in enumerate(lists)]
        count = self.cuts.size - 1
        return [[each[end[k] : end[k + 1]] for each, end in zip(lists, ends, strict=True)] for k in range(count)]

    def __enter__(self) -> Sums:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._thread is not None:
            if kind is not None:
                self.member.transport.close()  # or its thread would wait for peers
            self._thread.shutdown(cancel_futures=True)

    def begin(self, x: Array) -> None:
        """Send the first values of this member's vertices; collective."""
        sent = [self._send(part, x) for part in self.parts]
        self._take(sent, x)

    def multiply(self, x: Array, settle: Settle) -> Array:
        """Replace the values of this member's vertices by sums over neighbours, and send what follows; collective.

        ``settle`` turns the sums of a slice of x into the values of the next round. Returns the sum of its answers.
        """
        from clew.engines.cluster import kernels_routes as kernels

        folded: list[Future[list[int]]] = []
        sent: list[Future[list[int]]] = []
        answers: list[tuple[float, float]] = []

        def deliver(number: int) -> None:
            part = self.parts[number]
            self._widen(folded[number].result(), part.offered)
            x[part.own] = 0
            for places, packed in zip(part.due, part.offered, strict=True):
                threads.in_pieces(kernels.add, places.size, places, packed, x)
            firsts = range(part.own.start, part.own.stop, PIECE)
            pieces = [slice(first, min(first + PIECE, part.own.stop)) for first in firsts]
            answers.extend(threads.each(lambda piece: settle(pieces[piece]), len(pieces)))
            sent.append(self._send(part, x))

        for number, part in enumerate(self.parts):
            threads.each(kernels.sum_rows, len(part.blocks), part.blocks, *self._work)
            folded.append(self._post(self.routes.row_axis, part.partial, part.offered))
            if number:
                deliver(number - 1)
        deliver(len(self.parts) - 1)
        self._take(sent, x)
        total: Array = np.add.reduce(np.array([(0.0, 0.0), *answers]), axis=0)
        return total

    def _send(self, part: Part, x: Array) -> Future[list[int]]:
        from clew.engines.cluster import kernels_routes as kernels

        for k, (places, packed) in enumerate(zip(part.asked, part.leaving, strict=True)):
            if k != self._here:
                threads.in_pieces(kernels.pack, places.size, places, as_bits(x), as_bits(packed))
        return self._post(self.routes.column_axis, part.leaving, part.arriving)

    def _take(self, sent: Sequence[Future[list[int]]], x: Array) -> None:
        """Put the values that have arrived, and those of this member itself, to their columns."""
        from clew.engines.cluster import kernels_routes as kernels

        values, own = as_bits(self.values), self._here
        for part, future in zip(self.parts, sent, strict=True):
            self._widen(future.result(), part.arriving)
            for k, (places, packed) in enumerate(zip(part.needed, part.arriving, strict=True)):
                if k != own:
                    threads.in_pieces(kernels.put, places.size, places, as_bits(packed), values)
            threads.in_pieces(kernels.move, part.asked[own].size, part.asked[own], as_bits(x), part.needed[own], values)

    def _post(self, axis: Axis, parts: list[Array], rooms: list[Array]) -> Future[list[int]]:
        """Exchange messages, after those that were posted before, while this thread goes on."""
        leaving = list(parts)
        if self._narrow:
            from clew.engines.cluster import kernels_narrow as kernels

            others = [k for k, rank in enumerate(self.member.groups[axis]) if rank != self.member.rank]
            sizes = threads.each(lambda k: kernels.narrow(as_bits(parts[others[k]])), len(others))
            for k, size in zip(others, sizes, strict=True):
                leaving[k] = parts[k][:size]
        if self._thread is not None:
            return self._thread.submit(self.member.exchange, axis, leaving, rooms)
        done: Future[list[int]] = Future()
        done.set_result(self.member.exchange(axis, leaving, rooms))
        return done

    def _widen(self, sizes: Sequence[int], rooms: Sequence[Array]) -> None:
        """Messages that have arrived with 28 bits per value become ordinary ones."""
        from clew.engines.cluster import kernels_narrow as kernels

        short = []
        for size, room in zip(sizes, rooms, strict=True):
            if size != room.nbytes:
                short.append(room)
                if not self._narrow or size != 4 * kernels.narrow_size(room.size):
                    self.member.transport.close()
                    raise LinkError("a worker sent a message of another length than all agreed on.")
        threads.each(lambda k: kernels.widen(as_bits(short[k])), len(short))


def _blocks(rows: Adjacency, ends: Sequence[Array]) -> tuple[Array, Array]:
    """Blocks of rows, as where each begins and ends, none of which is in two parts; and the part of each.

    ``ends`` says for every owner of rows where its parts begin, and where the last one ends.
    """
    from clew.engines.cpu.team import fixed_blocks

    starts = np.concatenate([each[:-1] for each in ends])
    fixed = fixed_blocks(rows) if threads.count() > 1 else np.array([0, rows.num_vertices])
    bounds = np.unique(np.concatenate([fixed, starts]))
    blocks = np.stack([bounds[:-1], bounds[1:]], axis=1)
    return blocks, (np.searchsorted(starts, blocks[:, 0], side="right") - 1) % (ends[0].size - 1)
