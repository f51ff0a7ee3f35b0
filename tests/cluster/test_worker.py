"""What a worker does in one process, without Ray: errors, memory and messages by mailbox."""

from __future__ import annotations

import queue
import subprocess
import sys
import threading
import time
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import clew
from clew.distributed import worker as worker_module
from clew.distributed.nodes import threads_each
from clew.distributed.worker import Worker
from clew.engines import base
from clew.engines.cluster.mailbox import Mailbox
from clew.engines.cluster.member import Member
from clew.engines.cluster.transport import LinkError, Sockets
from tests.cluster.team import together


def test_a_worker_without_memory_says_what_it_needs_and_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_module, "build_share", lambda *_, **__: np.empty(1 << 55))
    worker = Worker(1)
    worker._member = Member(Sockets(0, {}))
    rows = (0, np.array([0, 1]), np.array([0]), None)
    with pytest.raises(clew.ClusterError, match=r"too little memory: Unable to allocate .*; [\d,]+ bytes are free"):
        worker.spread(1, rows, {"num_vertices": 1, "directed": True}, None)
    assert worker.ended() == "the run was stopped"  # so that the others do not wait for it


def test_ranks_without_room_for_a_second_copy_of_the_edges_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    worker = Worker(1)
    worker._member = Member(Sockets(0, {}))
    rows = (0, np.array([0, 1, 1]), np.array([1]), None)
    worker.spread(1, rows, {"num_vertices": 2, "directed": True}, None)
    monkeypatch.setattr(base, "UNCHECKED", 0)
    monkeypatch.setattr(base, "available_bytes", lambda: 5)
    sentence = r"^a second copy of a worker's edges, by target, needs [\d,]+ bytes, but 5 bytes are available; use more"
    assert worker.run(1, 2, "bfs", (0,), {}, None)["facts"] == {"num_reached": 2}  # a search does without
    with pytest.raises(clew.ResourceError, match=sentence):
        worker.run(1, 3, "pagerank", (), {}, None)


def test_a_process_of_its_own_leaves_pandas_to_those_who_import_it() -> None:
    pytest.importorskip("pandas", reason="pandas is not installed")
    lines = """
import sys
from clew.engines.base import keep_little_memory
keep_little_memory()
import pyarrow as pa
assert pa.array([1]).to_numpy()[0] == 1 and "pandas" not in sys.modules
import pandas as pd
assert pa.table({"a": [1]}).to_pandas().a[0] == 1 and pa.array(pd.Series([1])).to_pylist() == [1]
"""
    subprocess.run([sys.executable, "-c", lines], check=True)


def test_a_worker_that_ray_ends_for_its_memory_is_not_started_again() -> None:
    exceptions = pytest.importorskip("ray", reason="Ray is not installed").exceptions
    from clew.distributed.actors import LostWorkerError, Workers

    workers: Any = SimpleNamespace(_ray=SimpleNamespace(exceptions=exceptions), about=[{"host": "here"}])
    full = Workers._explained(workers, 0, exceptions.OutOfMemoryError("memory used is 15.9 GB of 16.0 GB"))
    assert "Ray ended worker 0 on here, whose memory is full: memory used is 15.9 GB" in str(full)
    assert not isinstance(full, LostWorkerError)
    assert isinstance(Workers._explained(workers, 0, exceptions.ActorDiedError()), LostWorkerError)


class Post:
    """Carries messages between mailboxes in threads of its own; members may be gone, or stopped."""

    def __init__(self) -> None:
        self.boxes: dict[int, Mailbox] = {}
        self.gone: set[int] = set()
        self.stopped: set[int] = set()

    def send(self, peer: int, *message: Any) -> Any:
        receipt: queue.Queue[bool] = queue.Queue()

        def carry() -> None:
            if peer in self.gone:
                receipt.put(False)
            elif peer not in self.stopped:
                self.boxes[peer].deliver(*message)
                receipt.put(True)

        threading.Thread(target=carry).start()
        return receipt

    def delivered(self, receipt: Any) -> bool | None:
        try:
            state: bool = receipt.get_nowait()
        except queue.Empty:
            return None
        receipt.put(state)
        return state


def mailboxes(members: int, post: Post, stalled: float = 20) -> list[Mailbox]:
    boxes = [Mailbox(rank, members, post, run=5, stalled=stalled) for rank in range(members)]
    post.boxes = dict(enumerate(boxes))
    return boxes


def test_mailboxes_exchange_what_sockets_do() -> None:
    def talk(box: Mailbox) -> None:
        member = Member(box)
        assert not member.has_sockets
        for step in range(20):
            assert member.all_reduce(np.int64(step + box.rank), np.add) == 4 * step + 6
        parts = member.all_to_all("all", [np.full(box.rank, peer) for peer in range(4)])
        assert [part.tolist() for part in parts] == [[box.rank] * peer for peer in range(4)]

    together(talk, mailboxes(4, Post()))


@pytest.mark.parametrize("end", ["gone", "stopped", "closed"])
def test_mailboxes_notice_a_member_that_ends(end: str) -> None:
    post = Post()
    boxes = mailboxes(3, post, stalled=0.5)
    if end == "closed":
        boxes[2].close()
    else:
        getattr(post, end).add(2)
    began = time.monotonic()

    def notice(box: Mailbox) -> None:
        with pytest.raises(LinkError, match=r"worker 2|worker [01] has ended"):
            Member(box).all_gather("all", np.zeros(3))

    together(notice, boxes[:2])
    assert time.monotonic() - began < 5


def test_a_mailbox_waits_for_a_member_that_computes() -> None:
    def talk(box: Mailbox) -> None:
        if box.rank:
            time.sleep(2.5)
        Member(box).all_gather("all", np.zeros(3))

    together(talk, mailboxes(2, Post(), stalled=0.3))


def test_workers_have_as_many_threads_as_fit_on_their_nodes() -> None:
    for cores, workers, threads in (([4, 4, 4], 4, 2), ([4, 4, 4], 3, 4), ([8, 2], 2, 4), ([2], 5, 1), ([16, 1], 2, 8)):
        assert threads_each(cores, workers) == threads
