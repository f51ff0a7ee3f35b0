"""Nccl: messages between workers with a GPU each, by NCCL. It has run with an emulated communicator only.

Connections stay: the lengths of messages and short messages go over them, and they notice a worker that is lost. NCCL
itself would wait for it forever.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from clew.engines.cluster.transport import Bytes, LinkError, Sockets
from clew.errors import MissingDependencyError

SHORT = 1 << 16  # bytes: an exchange whose parts are all shorter goes over the connections
TICK = 2e-5  # seconds between two checks of a transfer


class Gpu(Protocol):
    """What a transfer needs of a GPU and of a communicator on it."""

    def upload(self, part: Bytes) -> Any:
        """The part in the memory of the GPU."""

    def empty(self, size: int) -> Any:
        """Room for ``size`` bytes there."""

    def download(self, array: Any) -> Bytes:
        """The bytes of an array there, in memory of the host."""

    def start(self, peers: Sequence[int], leaving: Sequence[Any], arriving: Sequence[Any]) -> None:
        """Begin to send an array to every peer, and to receive one from each."""

    def is_done(self) -> bool:
        """Whether the transfer that was started last is complete."""

    def abort(self) -> None:
        """End the communicator; a transfer that waits for a peer ends too."""


class Nccl:
    """A transport that sends long messages from GPU to GPU; see ``Transport``."""

    def __init__(self, links: Sockets, gpu: Gpu) -> None:
        self._links, self._gpu = links, gpu
        self.rank, self.size = links.rank, links.size

    @property
    def ended(self) -> str:
        """Why there are no connections; empty if there are."""
        return self._links.ended

    def exchange(
        self, peers: Sequence[int], parts: Sequence[Bytes], most: int = 1 << 62, rooms: Sequence[Bytes] | None = None
    ) -> Sequence[Bytes]:
        """Send a part to every peer and receive one from each."""
        if not peers:
            return []
        # Both peers must choose the same, so each message goes the way that its own length says.
        short = [part if part.size <= SHORT else part[:0] for part in parts]
        heads = [_head(part) for part in parts]
        lengths = [int(head.view(np.int64)[0]) for head in self._links.exchange(peers, heads, 8)]
        for peer, length, k in zip(peers, lengths, range(len(peers)), strict=True):
            if not 0 <= length <= (most if rooms is None else rooms[k].size):
                self._links.close(f"worker {peer} announced a message of {length:,} bytes, which no peer expects")
                raise LinkError(f"{self.ended}. The run on the cluster has stopped.")
        arrived = list(self._links.exchange(peers, short, SHORT))
        sends = [k for k, part in enumerate(parts) if part.size > SHORT]
        takes = [k for k, length in enumerate(lengths) if length > SHORT]
        if sends or takes:
            long = self._transfer(peers, {k: parts[k] for k in sends}, {k: lengths[k] for k in takes})
            for k, part in long.items():
                arrived[k] = part
        if rooms is None:
            return arrived
        for room, part in zip(rooms, arrived, strict=True):
            room[: part.size] = part
        return [room[: part.size] for room, part in zip(rooms, arrived, strict=True)]

    def _transfer(self, peers: Sequence[int], leaving: dict[int, Bytes], sizes: dict[int, int]) -> dict[int, Bytes]:
        gpu, empty = self._gpu, np.empty(0, np.uint8)
        sent = [gpu.upload(leaving.get(k, empty)) for k in range(len(peers))]
        rooms = [gpu.empty(sizes.get(k, 0)) for k in range(len(peers))]
        gpu.start(peers, sent, rooms)
        while not gpu.is_done():
            if self.ended:
                gpu.abort()
                raise LinkError(f"{self.ended}. The run on the cluster has stopped.")
            time.sleep(TICK)
        return {k: gpu.download(rooms[k]) for k in sizes}

    def close(self) -> None:
        """End all connections, which the peers notice at once. A transfer that waits ends itself then."""
        self._links.close()


class CupyGpu:
    """A GPU with a communicator, by CuPy."""

    def __init__(self, links: Sockets) -> None:
        try:
            import cupy
            from cupy.cuda import nccl
        except ImportError:
            raise MissingDependencyError(
                'transport="nccl" needs CuPy with NCCL, which is not installed.',
                remedy="Install cupy-cuda13x or cupy-cuda12x, and nvidia-nccl.",
            ) from None
        self._cupy, self._nccl = cupy, nccl
        peers = [rank for rank in range(links.size) if rank != links.rank]
        token = np.array(nccl.get_unique_id(), np.int64) if links.rank == 0 else np.empty(0, np.int64)
        if peers:
            arrived = links.exchange(peers, [token.view(np.uint8)] * len(peers))
            token = token if links.rank == 0 else arrived[0].view(np.int64)
        self._communicator = nccl.NcclCommunicator(links.size, tuple(token.tolist()), links.rank)
        self._stream, self._event = cupy.cuda.Stream(non_blocking=True), cupy.cuda.Event(disable_timing=True)

    def upload(self, part: Bytes) -> Any:
        """The part in the memory of the GPU."""
        with self._stream:
            return self._cupy.asarray(part)

    def empty(self, size: int) -> Any:
        """Room for ``size`` bytes there."""
        with self._stream:
            return self._cupy.empty(size, np.uint8)

    def download(self, array: Any) -> Bytes:
        """The bytes of an array there, in memory of the host."""
        with self._stream:
            found: Bytes = array.get()
        return found

    def start(self, peers: Sequence[int], leaving: Sequence[Any], arriving: Sequence[Any]) -> None:
        """Begin to send an array to every peer, and to receive one from each, as one group."""
        nccl, number = self._nccl, self._stream.ptr
        nccl.groupStart()
        for peer, sent, room in zip(peers, leaving, arriving, strict=True):
            if sent.size:
                self._communicator.send(sent.data.ptr, sent.size, nccl.NCCL_UINT8, peer, number)
            if room.size:
                self._communicator.recv(room.data.ptr, room.size, nccl.NCCL_UINT8, peer, number)
        nccl.groupEnd()
        self._event.record(self._stream)

    def is_done(self) -> bool:
        """Whether the transfer that was started last is complete; an error of NCCL is raised."""
        self._communicator.check_async_error()
        return bool(self._event.done)

    def abort(self) -> None:
        """End the communicator."""
        self._communicator.abort()


def _head(part: Bytes) -> Bytes:
    return np.array([part.size], np.int64).view(np.uint8)
