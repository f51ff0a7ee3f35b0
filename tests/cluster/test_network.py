"""Members on two hosts with a slow network between them: network namespaces, a pair of virtual cards, and ``tbf``."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import clew
from clew.engines.cluster.listener import Listener
from clew.engines.cluster.member import Member
from clew.engines.cluster.share import Share, build_share
from clew.engines.cluster.transport import LinkError, Sockets
from tests.cluster.team import together

GRAPH = clew.generate.rmat(9, edge_factor=8, seed=1)
TOKEN = b"network"
NEW_NETWORK = 0x40000000  # CLONE_NEWNET
HOSTS = ("10.213.0.1", "10.213.0.2")
RATE = 100e6  # bits per second
SILENT = 2.0


def command(*words: object) -> str:
    """Run a command of a system administrator; returns what went wrong, if anything did."""
    done = subprocess.run(list(map(str, words)), check=False, capture_output=True, text=True)
    return done.stderr.strip() if done.returncode else ""


@pytest.fixture
def hosts() -> Iterator[list[str]]:
    """The names of two network namespaces whose cards are connected."""
    if shutil.which("ip") is None or shutil.which("tc") is None:
        pytest.skip("ip and tc are not installed")
    names = [f"clew{os.getpid()}-{k}" for k in range(2)]
    try:
        steps: list[tuple[object, ...]] = [("ip", "netns", "add", name) for name in names]
        steps.append(("ip", "-n", names[0], "link", "add", "card", "type", "veth", "peer", "card", "netns", names[1]))
        for name, host in zip(names, HOSTS, strict=True):
            steps.append(("ip", "-n", name, "addr", "add", f"{host}/24", "dev", "card"))
            steps += [("ip", "-n", name, "link", "set", card, "up") for card in ("lo", "card")]
            shape = ("rate", f"{RATE:.0f}bit", "burst", "64kb", "latency", "50ms")
            steps.append(("tc", "-n", name, "qdisc", "add", "dev", "card", "root", "tbf", *shape))
        for step in steps:
            if problem := command(*step):
                pytest.skip(f"this machine does not allow network namespaces with tbf: {problem}")
        yield names
    finally:
        for name in names:
            command("ip", "netns", "del", name)


def on_hosts(names: list[str], work: Callable[[Sockets], Any]) -> list[Any]:
    """What four members find, two on each host; every thread is in the namespace of its host."""
    addresses: dict[int, dict[str, Any]] = {}
    ready = threading.Barrier(4)

    def member(rank: int) -> Any:
        with Path(f"/run/netns/{names[rank % 2]}").open() as namespace:
            assert ctypes.CDLL(None, use_errno=True).setns(namespace.fileno(), NEW_NETWORK) == 0
        listener = Listener(HOSTS[rank % 2], unix=False)
        addresses[rank] = listener.address
        ready.wait(30)
        transport = listener.connect(rank, [addresses[k] for k in range(4)], TOKEN, silent=SILENT)
        try:
            return work(transport)
        finally:
            transport.close()

    return together(member, range(4))


def share_of(transport: Sockets) -> Share:
    source = np.repeat(np.arange(GRAPH.num_vertices), np.diff(GRAPH.indptr))
    mine = slice(transport.rank, None, 4)
    return build_share(Member(transport), source[mine], GRAPH.indices[mine].astype(np.int64), None, GRAPH.num_vertices)


def test_answers_over_a_slow_network(hosts: list[str]) -> None:
    all_through = threading.Barrier(4)

    def work(transport: Sockets) -> tuple[Any, ...]:
        share = share_of(transport)
        found = share.ids, clew.bfs(share, 3).depth, clew.pagerank(share).rank
        began, other = time.monotonic(), (transport.rank + 1) % 2 + transport.rank // 2 * 2
        transport.exchange([other], [np.zeros(1 << 20, np.uint8)])
        took = time.monotonic() - began
        all_through.wait(60)  # one that ended before would be lost to the others
        return *found, took

    for ids, depth, rank, seconds in on_hosts(hosts, work):
        assert np.array_equal(depth, clew.bfs(GRAPH, 3).depth[ids])
        assert np.allclose(rank, clew.pagerank(GRAPH).rank[ids], rtol=1e-12)
        assert seconds > 0.8 * 8 * (1 << 20) / RATE  # the network is as slow as it was made


def test_all_notice_that_a_cable_is_cut(hosts: list[str]) -> None:
    cut: list[float] = []

    def cut_the_cable() -> None:
        cut.append(time.monotonic())
        assert not command("ip", "-n", hosts[0], "link", "set", "card", "down")

    def work(transport: Sockets) -> float:
        share = share_of(transport)
        clew.pagerank(share, tolerance=0, max_iterations=5)
        if transport.rank == 0:
            threading.Timer(0.5, cut_the_cable).start()
        with pytest.raises(LinkError):
            clew.pagerank(share, tolerance=0, max_iterations=10**7)
        return time.monotonic()

    assert max(on_hosts(hosts, work)) - cut[0] < SILENT + 5
