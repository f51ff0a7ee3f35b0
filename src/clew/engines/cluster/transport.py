"""Frames between the members of a run: every member talks to every other one over its own socket.

A frame starts with a magic number, the run, the number of the exchange and the length. A frame of another run, out of
turn, or longer than the receiver allows ends the run. Nothing is unpickled.

A member that loses a peer closes all its sockets. So the loss reaches everybody, also those that had no frame to
exchange with the lost one.
"""

from __future__ import annotations

import socket
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from clew.dtypes import Array
from clew.errors import ClusterError

if TYPE_CHECKING:
    from clew.engines.cluster.kernels_superstep import Channel

MAGIC = int.from_bytes(b"clew\x00\x01\x00\x00", "little")
PATIENCE = 0.5  # seconds in one call without news: so often Ctrl-C and the deadline are checked
STALLED = 20.0  # seconds without the rest of a frame that has begun before a run is given up
TICK, SILENT = 0.25, 3.0  # seconds between two pulses, and without one before a neighbor counts as stalled
SMALL = 4064  # bytes of a part that are copied behind its header, so that one call sends both
OPTIONS = (
    (socket.TCP_NODELAY, 1),  # send small frames at once
    (socket.TCP_KEEPIDLE, 1),  # seconds; probes find a peer that is cut off
    (socket.TCP_KEEPINTVL, 1),
    (socket.TCP_KEEPCNT, 3),
    (socket.TCP_USER_TIMEOUT, 10_000),  # milliseconds; the same for bytes that no peer acknowledges
)

Bytes = npt.NDArray[np.uint8]


class LinkError(ClusterError):
    """A connection between workers ended, or carried something else than frames; the run can start again."""


class Transport(Protocol):
    """How members of a run exchange bytes."""

    rank: int
    size: int

    @property
    def ended(self) -> str:
        """Why there are no connections; empty if there are."""

    def exchange(
        self, peers: Sequence[int], parts: Sequence[Bytes], most: int = ..., rooms: Sequence[Bytes] | None = None
    ) -> Sequence[Bytes]:
        """Send a part to every peer and receive one from each. All of them must call this with each other.

        The parts that arrive are the caller's. ``rooms`` are arrays for them; what is longer than its room is refused.
        """

    def close(self) -> None:
        """End all connections, which the peers notice at once. Any thread may call this."""


class Sockets:
    """A transport over connected stream sockets, one for each other member.

    ``pulses`` are further sockets to the neighbors in the ring of members. A thread sends a byte over them four times a
    second. If a neighbor is silent for ``silent`` seconds, it ends all connections.
    """

    def __init__(
        self,
        rank: int,
        sockets: dict[int, socket.socket],
        run: int = 0,
        stalled: float = STALLED,
        pulses: dict[int, socket.socket] | None = None,
        silent: float = SILENT,
    ) -> None:
        self.rank, self.size = rank, len(sockets) + 1
        self.run, self.stalled = run, stalled
        self.steps = np.zeros(self.size, np.int64)  # exchanges so far with every peer
        self.notes = np.zeros(3, np.int64)  # bytes sent, exchanges, and the peer that the last trouble is about
        self._sockets, self._pulses = sockets, pulses or {}
        self.ended, self._lock = "", threading.Lock()  # why there are no connections
        self._rooms = {peer: np.empty(1 << 12, np.uint8) for peer in sockets}
        self._staged = np.empty((self.size, 32 + SMALL), np.uint8)
        for each in (*sockets.values(), *self._pulses.values()):
            _prepare(each)
        if self._pulses:
            from clew.engines.cluster import kernels_sockets as kernels  # here: two threads cannot import Numba at once

            self._stop, stopped = socket.socketpair()
            # The thread has no reference to the transport, or that would never be freed.
            facts = kernels.watch, self._pulses, stopped, weakref.ref(self), silent
            threading.Thread(target=_watch, args=facts, daemon=True).start()

    def exchange(
        self, peers: Sequence[int], parts: Sequence[Bytes], most: int = 1 << 62, rooms: Sequence[Bytes] | None = None
    ) -> Sequence[Bytes]:
        """Send a part to every peer and receive one from each; see ``Transport``."""
        if not peers:
            return []
        with self._in_use():
            return self._exchange(peers, parts, most, rooms)

    def _exchange(
        self, peers: Sequence[int], parts: Sequence[Bytes], most: int, rooms: Sequence[Bytes] | None
    ) -> Sequence[Bytes]:
        from clew.engines.cluster import kernels_sockets as kernels

        count = len(peers)
        expected = np.array([(MAGIC, self.run, self.steps[peer]) for peer in peers], np.int64)
        leaving, arriving = np.zeros((count, 5), np.int64), np.zeros((count, 4), np.int64)
        for place, (peer, part) in enumerate(zip(peers, parts, strict=True)):
            self.steps[peer] += 1
            self.notes[0] += part.size
            leaving[place, :4] = self._framed(place, part, expected[place])
            room = self._rooms[peer] if rooms is None else rooms[place]
            arriving[place, :2] = room.ctypes.data, room.size
        headers = np.empty((count, 4), np.int64)
        sockets = np.array([self._sockets[peer].fileno() for peer in peers], np.int64)
        self.notes[1] += 1
        quiet = _Quiet()
        while True:
            state, place = kernels.exchange(sockets, leaving, headers, expected, most, arriving, int(PATIENCE * 1000))
            if state == kernels.DONE and rooms is None:
                return [self._take(peer, int(length)) for peer, length in zip(peers, arriving[:, 2], strict=True)]
            if state == kernels.DONE and rooms is not None:
                return [room[:length] for room, length in zip(rooms, arriving[:, 2].tolist(), strict=True)]
            if state == kernels.ROOM and rooms is None:
                self._rooms[peers[place]] = np.empty(int(arriving[place, 2]), np.uint8)
                arriving[place, :2] = self._rooms[peers[place]].ctypes.data, arriving[place, 2]
            else:
                self._check(state, peers[place], [(np.asarray(peers), leaving, arriving)], quiet)

    def channel(self, ranks: Sequence[int], room: int, starts: Array, sizes: Array) -> Channel:
        """What compiled code needs to exchange messages of up to ``room`` bytes with the members of a group.

        ``starts`` and ``sizes`` say where every member's vertices are in the block.
        """
        from clew.engines.cluster.kernels_sockets import HEADER
        from clew.engines.cluster.kernels_superstep import Channel

        peers = [rank for rank in ranks if rank != self.rank]
        self._check_open()
        width = -(-room // 64) * 64
        inbox, outbox = (np.empty((len(ranks), width + extra), np.uint8) for extra in (0, HEADER))
        arriving = np.zeros((len(peers), 4), np.int64)
        for place, peer in enumerate(peers):
            arriving[place] = inbox[ranks.index(peer)].ctypes.data, width, 0, HEADER
        return Channel(
            ranks.index(self.rank),
            starts,
            sizes,
            np.array([self._sockets[peer].fileno() for peer in peers], np.int64),
            np.array(peers, np.int64),
            self.steps,
            np.array([(MAGIC, self.run, 0) for _ in peers], np.int64).reshape(-1, 3),
            np.zeros((len(peers), 5), np.int64),
            np.empty((len(peers), 4), np.int64),
            arriving,
            np.zeros(len(ranks), np.int64),
            outbox,
            inbox,
            self.notes,
        )

    def follow(self, loop: Callable[[], int], channels: Sequence[Channel]) -> None:
        """Call a compiled loop until it is DONE. It returns every now and then, so that Ctrl-C comes through."""
        from clew.engines.cluster import kernels_sockets as kernels

        quiet = _Quiet()
        frames = [(each.ranks, each.leaving, each.arriving) for each in channels]
        with self._in_use():
            while (state := loop()) != kernels.DONE:
                self._check(state, int(self.notes[2]), frames, quiet)

    def _check(self, state: int, peer: int, frames: Sequence[tuple[Any, Array, Array]], quiet: _Quiet) -> None:
        """Raise an error unless an exchange that is not complete may go on."""
        from clew.engines.cluster import kernels_sockets as kernels

        if state == kernels.WAITING:
            moved = sum(int(arriving[:, 3].sum() + leaving[:, 4].sum()) for _, leaving, arriving in frames)
            if quiet.seconds(moved + int(self.steps.sum())) > self.stalled:
                late = [rank for ranks, _, arriving in frames for rank in ranks[arriving[:, 3] < 32 + arriving[:, 2]]]
                begun = [rank for ranks, _, arriving in frames for rank in ranks[arriving[:, 3] > 0] if rank in late]
                if begun or not self._pulses:  # a peer that computes sends pulses, and has not begun a frame
                    peer = (begun or late or [peer])[0]
                    self._fail(f"no byte came from worker {peer} for {self.stalled:g} seconds")
        elif state == kernels.LOST:
            self._fail(f"worker {peer} is gone: its connection ended")
        else:
            self._fail(f"worker {peer} sent a frame that does not belong to this exchange")

    @property
    def bytes_sent(self) -> int:
        """The bytes of all parts so far."""
        return int(self.notes[0])

    def close(self, reason: str = "the run was stopped") -> None:
        """End all connections, which the peers notice at once. Any thread may call this."""
        self.ended = self.ended or reason
        for each in self._sockets.values():
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
        if self._pulses:
            self._stop.close()
        # A thread that waits for these sockets closes them itself: no other socket may get their numbers before that.
        if self._lock.acquire(blocking=False):
            for each in self._sockets.values():
                each.close()
            self._lock.release()

    def __del__(self) -> None:
        self.close()

    @contextmanager
    def _in_use(self) -> Iterator[None]:
        """Keep the sockets open for as long as compiled code has their numbers."""
        try:
            with self._lock:
                self._check_open()
                yield
        finally:
            if self.ended:
                self.close()

    def _check_open(self) -> None:
        if self.ended:
            raise LinkError(f"the connections of this worker are closed: {self.ended}.")

    def _framed(self, place: int, part: Bytes, expected: Array) -> tuple[int, int, int, int]:
        """Two pieces to send, as place and length each: the header with a small part, or the header and a large one."""
        staged = self._staged[place]
        staged[:32].view(np.int64)[:] = (*expected, part.size)
        if part.size > SMALL:
            return staged.ctypes.data, 32, part.ctypes.data, part.size
        staged[32 : 32 + part.size] = part
        return staged.ctypes.data, 32 + part.size, 0, 0

    def _take(self, peer: int, length: int) -> Bytes:
        """What a peer sent: a copy of a short part; the buffer itself, which is replaced, of a long one."""
        room = self._rooms[peer]
        if length <= SMALL or length < room.size // 2:
            return room[:length].copy()
        self._rooms[peer] = np.empty(1 << 12, np.uint8)
        return room[:length]

    def _fail(self, reason: str) -> None:
        self.close(reason)
        raise LinkError(f"{self.ended}. The run on the cluster has stopped.")


def _watch(
    watch: Callable[..., tuple[int, int]],
    pulses: dict[int, socket.socket],
    stop: socket.socket,
    transport: weakref.ref[Sockets],
    silent: float,
) -> None:
    """Exchange pulses with the neighbors until the transport is closed, and close it when one of them is lost."""
    numbers = np.array([each.fileno() for each in pulses.values()], np.int64)
    place, ticks = watch(numbers, stop.fileno(), int(1000 * TICK), round(silent / TICK))
    watched = transport()
    if place >= 0 and watched is not None:
        reason = f"has been silent for {ticks * TICK:g} seconds" if ticks else "is gone: its connection ended"
        watched.close(f"worker {list(pulses)[place]} {reason}")
    for each in (stop, *pulses.values()):
        each.close()


class _Quiet:
    """For how long nothing has moved."""

    def __init__(self) -> None:
        self._since, self._seen = time.monotonic(), -1

    def seconds(self, moved: int) -> float:
        """The time since the last call with another number."""
        if moved != self._seen:
            self._since, self._seen = time.monotonic(), moved
        return time.monotonic() - self._since


def _prepare(connected: socket.socket) -> None:
    """Without delay for small frames, and with probes that notice a peer that is cut off."""
    connected.setblocking(False)
    if connected.family != socket.AF_UNIX:
        connected.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for option, value in OPTIONS:
            connected.setsockopt(socket.IPPROTO_TCP, option, value)
