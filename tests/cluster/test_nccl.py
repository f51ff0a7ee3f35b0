"""The transport between GPUs, with a communicator that copies memory of the host: none of this ran on GPUs."""

from __future__ import annotations

import queue
import sys
import threading
import time
from collections import defaultdict
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import clew
from clew.engines.cluster import nccl as module
from clew.engines.cluster.member import Member
from clew.engines.cluster.nccl import CupyGpu, Nccl
from clew.engines.cluster.transport import LinkError, Sockets
from tests.cluster.team import mesh, run_on_team, together

GRAPH = clew.generate.random_weights(clew.generate.rmat(6, edge_factor=4, seed=2), 1, 9, seed=3)


class FakeNccl:
    """The module of CuPy as ``CupyGpu`` calls it: a group of transfers is done when all its parts are there."""

    NCCL_UINT8 = 1

    def __init__(self) -> None:
        self.mail: dict[tuple[int, int], queue.Queue[bytes]] = defaultdict(queue.Queue)
        self.here = threading.local()
        self.memory: dict[int, np.ndarray] = {}
        self.sent = 0
        self.aborted: list[int] = []
        self.lock = threading.Lock()

    def get_unique_id(self) -> tuple[int, ...]:
        return tuple(range(-64, 64))

    def groupStart(self) -> None:  # noqa: N802
        self.here.takes = []

    def groupEnd(self) -> None:  # noqa: N802
        pass

    def NcclCommunicator(self, size: int, token: tuple[int, ...], rank: int) -> Any:  # noqa: N802
        assert token == self.get_unique_id()

        def send(pointer: int, count: int, kind: int, peer: int, stream: int) -> None:
            assert kind == self.NCCL_UINT8
            with self.lock:
                self.sent += 1
                self.mail[rank, peer].put(self.memory[pointer][:count].tobytes())

        def recv(pointer: int, count: int, kind: int, peer: int, stream: int) -> None:
            with self.lock:
                self.here.takes.append((self.mail[peer, rank], self.memory[pointer][:count]))

        return SimpleNamespace(
            send=send, recv=recv, check_async_error=lambda: None, abort=lambda: self.aborted.append(rank)
        )

    def is_done(self) -> bool:
        waiting = []
        for box, room in self.here.takes:
            try:
                room[:] = np.frombuffer(box.get_nowait(), np.uint8)
            except queue.Empty:
                waiting.append((box, room))
        self.here.takes = waiting
        return not waiting


class DeviceArray:
    """Bytes with a place in the memory of a GPU."""

    def __init__(self, nccl: FakeNccl, values: np.ndarray) -> None:
        self.values = np.array(values, np.uint8)
        self.size, self.data = self.values.size, SimpleNamespace(ptr=self.values.ctypes.data)
        nccl.memory[self.data.ptr] = self.values

    def get(self) -> np.ndarray:
        return self.values.copy()


class Stream:
    ptr = 7

    def __init__(self, **_: Any) -> None:
        pass

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: Any) -> None:
        pass


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> FakeNccl:
    nccl = FakeNccl()

    class Event:
        def __init__(self, **_: Any) -> None:
            pass

        def record(self, stream: Any) -> None:
            pass

        done = property(lambda self: nccl.is_done())

    copied = partial(DeviceArray, nccl)
    cuda = SimpleNamespace(nccl=nccl, Stream=Stream, Event=Event)
    cupy = SimpleNamespace(cuda=cuda, asarray=copied, empty=lambda size, dtype: copied(np.zeros(size)))
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    monkeypatch.setitem(sys.modules, "cupy.cuda", cuda)
    monkeypatch.setattr(module, "SHORT", 64)
    return nccl


def test_short_and_long_messages_arrive(fake: FakeNccl) -> None:
    def talk(links: Sockets) -> None:
        member = Member(Nccl(links, CupyGpu(links)))
        assert not member.has_sockets
        for step in range(5):
            assert member.all_reduce(np.int64(step + links.rank), np.add) == 4 * step + 6
        parts = member.all_to_all("all", [np.full(40 * links.rank, peer) for peer in range(4)])
        assert [part.tolist() for part in parts] == [[links.rank] * 40 * peer for peer in range(4)]
        rooms = [np.zeros(100 * (peer + 1), np.uint8) for peer in range(4)]
        member.exchange("all", [np.full(100 * (links.rank + 1), links.rank, np.uint8)] * 4, rooms)
        for peer, room in enumerate(rooms):
            assert peer == links.rank or (room == peer).all()

    together(talk, mesh(4))
    assert fake.sent == 9 + 12  # the first member's lists are empty


def test_algorithms_find_what_they_find_on_one_machine(fake: FakeNccl) -> None:
    def work(share: Any) -> clew.Result:
        links = share.member.transport
        share.member.transport = Nccl(links, CupyGpu(links))
        return clew.pagerank(share, max_iterations=4)

    found = run_on_team(4, GRAPH, work)
    assert np.allclose(found.rank, clew.pagerank(GRAPH, max_iterations=4).rank, rtol=1e-12)
    assert fake.sent


def test_a_loss_ends_a_transfer_that_waits(fake: FakeNccl) -> None:
    """The other member announces a long message, and is gone before it sends it."""

    def talk(links: Sockets) -> None:
        transport = Nccl(links, CupyGpu(links))
        if links.rank:
            links.exchange([0], [np.array([1000], np.int64).view(np.uint8)])
            links.exchange([0], [np.empty(0, np.uint8)])
            time.sleep(0.2)
            links.close()
            return
        threading.Timer(0.5, links.close, ("worker 1 is gone",)).start()  # as pulses do
        with pytest.raises(LinkError, match="worker 1 is gone"):
            transport.exchange([1], [np.zeros(8, np.uint8)])

    together(talk, mesh(2))
    assert fake.aborted == [0]


def test_lengths_that_nobody_expects_are_refused(fake: FakeNccl) -> None:
    def talk(links: Sockets) -> None:
        transport = Nccl(links, CupyGpu(links))
        if links.rank:
            links.exchange([0], [np.array([-5], np.int64).view(np.uint8)])
            return
        with pytest.raises(LinkError, match="announced a message of -5 bytes"):
            transport.exchange([1], [np.zeros(8, np.uint8)])

    together(talk, mesh(2))


def test_without_cupy_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(clew.MissingDependencyError, match="needs CuPy with NCCL"):
        CupyGpu(Sockets(0, {}))
    with pytest.raises(clew.ClusterError, match="needs gpus=True"):
        clew.cluster(workers=2, transport="nccl")
