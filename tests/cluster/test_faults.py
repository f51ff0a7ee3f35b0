"""Workers, nodes and the process that uses them are killed, stopped, cut off and interrupted."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import clew
from clew.distributed.actors import LostWorkerError
from clew.engines.cluster.transport import LinkError
from tests.cluster.faults import inject, is_running

pytest.importorskip("ray", reason="Ray is not installed")

GRAPH = clew.generate.rmat(9, edge_factor=8, seed=1)
ROUNDS = 3000


def save_often(cluster: clew.distributed.Cluster) -> None:
    """Let workers save their state five times a second; those that replace them do the same."""
    cluster._open()._settings.update(restart=0.2, between_losses=0)

    def change(worker: Any) -> None:
        saved = worker._checkpoints
        saved.restart, saved.between_losses, saved.num_restored = 0.2, 0, 0

    cluster._ray.get([actor.__ray_call__.remote(change) for actor in cluster._open().actors])


def restored(cluster: clew.distributed.Cluster) -> list[int]:
    """How often every worker continued from a saved state."""
    calls = [
        actor.__ray_call__.remote(lambda worker: worker._checkpoints.num_restored) for actor in cluster._open().actors
    ]
    return list(cluster._ray.get(calls))


DRIVER = """
import os, sys, time
import clew
from tests.cluster.test_faults import GRAPH, ROUNDS, save_often

with clew.cluster(workers=2, checkpoints=sys.argv[1]) as cluster:
    spread = GRAPH.spread()
    assert clew.bfs(spread, 3).num_reached
    clew.pagerank(spread, tolerance=0, max_iterations=10)  # compiled
    try:
        print("running", flush=True)
        clew.pagerank(spread, tolerance=0, max_iterations=10**7)
    except KeyboardInterrupt:
        began = time.monotonic()
        assert clew.bfs(spread, 3).num_reached
        assert cluster.num_replaced == 0
        print(f"interrupted {time.monotonic() - began:.1f}", flush=True)
    save_often(cluster)
    clew.pagerank(spread, tolerance=0, max_iterations=3 * ROUNDS)
"""


def test_interrupts_and_the_death_of_the_process_that_uses_a_cluster(shared_ray: Any, tmp_path: Path) -> None:
    """Ctrl-C stops the run and leaves the cluster usable. After kill -9 nothing runs, and another process goes on."""
    root = Path(__file__).parents[2]
    environment = {**os.environ, "PYTHONPATH": f"{root / 'src'}:{root}"}
    command = [sys.executable, "-c", DRIVER, str(tmp_path / "saved")]
    with subprocess.Popen(
        command, cwd=root, env=environment, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as driver:
        try:
            assert driver.stdout is not None
            assert next(driver.stdout) == "running\n"
            time.sleep(1.5)
            os.killpg(driver.pid, signal.SIGINT)
            assert next(driver.stdout).startswith("interrupted")
            deadline = time.monotonic() + 60
            while not _is_saved(tmp_path / "saved") and time.monotonic() < deadline:
                time.sleep(0.1)
            started = _descendants(driver.pid)
            workers = [process for process in started if "ray::Worker" in _command(process)]
            assert len(workers) == 2
            for each in workers:  # they may end the run before Ray ends them, and then remove their files
                os.kill(each, signal.SIGSTOP)
            shutil.copytree(tmp_path / "saved", tmp_path / "left")
        finally:
            driver.kill()
    for each in workers:
        os.kill(each, signal.SIGCONT)
    deadline = time.monotonic() + 20
    while (left := [process for process in started if _matters(process)]) and time.monotonic() < deadline:
        time.sleep(0.2)
    assert not left, [_command(process) for process in left]
    shared_ray.close()
    with clew.cluster(workers=2, resume=tmp_path / "left") as cluster:
        spread = GRAPH.spread()
        found = clew.pagerank(spread, tolerance=0, max_iterations=3 * ROUNDS)
        assert restored(cluster) == [1, 1]
        again = clew.pagerank(spread, tolerance=0, max_iterations=3 * ROUNDS)
        assert restored(cluster) == [1, 1]  # a run that ended is not continued
        assert found.rank.tobytes() == again.rank.tobytes()
        assert found.iterations == 3 * ROUNDS


def _is_saved(folder: Path) -> bool:
    """Whether both workers have saved the same round."""
    rounds = Counter(path.stem.rpartition("-")[0] for path in folder.glob("*/*.npz"))
    return max(rounds.values(), default=0) == 2


def _matters(process: int) -> bool:
    """Whether a process runs, and is none of Ray's two agents: these try to report for a minute, and end then."""
    return is_running(process) and "Agent" not in _command(process)


def _command(process: int) -> str:
    """The command of a process; empty if it is gone."""
    with suppress(OSError):
        return Path(f"/proc/{process}/cmdline").read_text()
    return ""


def _descendants(process: int) -> list[int]:
    """The processes that a process started, and those that they started."""
    parents: dict[int, int] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with suppress(OSError):
                parents[int(folder.name)] = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
    found = [process]
    for each in found:
        found += [child for child, parent in parents.items() if parent == each]
    return found[1:]


def test_a_whole_node_is_lost(shared_ray: Any) -> None:
    """Its workers start again on the nodes that are left."""
    shared_ray.close()
    nodes = shared_ray.nodes
    second = nodes.add_node(num_cpus=4)
    with clew.cluster(workers=4, address=nodes.address) as cluster:
        assert len({each["node"] for each in cluster.workers}) == 2
        spread = GRAPH.spread()
        expected = clew.pagerank(spread, tolerance=0, max_iterations=ROUNDS).rank
        save_often(cluster)
        killer = threading.Timer(1.0, nodes.remove_node, (second, False))
        killer.start()
        began = time.monotonic()
        found = clew.pagerank(spread, tolerance=0, max_iterations=ROUNDS).rank
        assert time.monotonic() - began < 120  # Ray notices it late on a busy machine
        killer.join()
        assert found.tobytes() == expected.tobytes()
        assert restored(cluster) == [1, 1, 1, 1]  # buddies were on the other node
        assert cluster.num_replaced == 2


def test_random_faults_change_no_answer(cluster: clew.distributed.Cluster) -> None:
    """Every kind of fault once; CLEW_FAULTS=200 for the long run."""
    before = cluster.num_replaced
    report = inject(cluster, int(os.environ.get("CLEW_FAULTS", "6")), seed=3)
    assert not report.wrong, report
    assert cluster.num_replaced >= before + 4


@pytest.mark.skipif("CLEW_FAULTS" not in os.environ, reason="CLEW_FAULTS is not set: this takes long")
def test_random_losses_of_nodes_change_no_answer(shared_ray: Any) -> None:
    """A node with two of four workers at first; those that replace lost ones start on the next node."""
    shared_ray.close()
    nodes = shared_ray.nodes
    nodes.add_node(num_cpus=4)
    with clew.cluster(workers=4, address=nodes.address) as cluster:
        report = inject(cluster, int(os.environ["CLEW_FAULTS"]), 5, nodes)
        assert not report.wrong, report
        assert cluster.num_replaced >= 2
    for node in list(nodes.worker_nodes):
        nodes.remove_node(node)


def test_a_long_run_continues_from_what_its_workers_saved(cluster: clew.distributed.Cluster) -> None:
    spread = GRAPH.spread()
    expected = clew.pagerank(spread, tolerance=0, max_iterations=ROUNDS).rank
    save_often(cluster)
    killer = threading.Timer(1.0, os.kill, (cluster.workers[2]["pid"], signal.SIGKILL))
    killer.start()
    found = clew.pagerank(spread, tolerance=0, max_iterations=ROUNDS).rank
    killer.join()
    assert found.tobytes() == expected.tobytes()
    assert restored(cluster) == [1, 1, 1, 1]


@pytest.mark.parametrize("folder", [False, True])
def test_workers_that_are_left_keep_their_parts(
    cluster: clew.distributed.Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: bool
) -> None:
    """With a folder, the new worker opens its part there; without one, all draw the edges and send it its own."""
    if folder:
        monkeypatch.setattr(cluster._recovery, "_folder", tmp_path / "graphs")
    spread = cluster.generate.kronecker(9, seed=1)
    expected = clew.connected_components(spread).label
    if folder:
        assert len(list(tmp_path.glob("graphs/*/*.npz"))) == 4

    key = spread.key

    def block(worker: Any) -> tuple[int, int]:
        share = worker._shares[key]
        return id(share._out), share._out.num_arcs

    def blocks() -> list[tuple[int, int]]:
        return list(cluster._ray.get([actor.__ray_call__.remote(block) for actor in cluster._open().actors]))

    before = blocks()
    os.kill(cluster.workers[2]["pid"], signal.SIGKILL)
    assert np.array_equal(clew.connected_components(spread).label, expected)
    after = blocks()
    assert [arcs for _, arcs in after] == [arcs for _, arcs in before]
    assert [after[rank] for rank in (0, 1, 3)] == [before[rank] for rank in (0, 1, 3)]
    del spread
    gc.collect()
    cluster.call("free_bytes")  # the next call frees what nobody has any more
    assert not list(tmp_path.glob("graphs/*/*"))


def test_messages_through_ray_replace_connections(
    cluster: clew.distributed.Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same workers, connected again where ports are closed."""
    spread, workers = GRAPH.spread(), cluster._open()
    expected = clew.pagerank(GRAPH, tolerance=0, max_iterations=5).rank

    def fail(*_: Any) -> None:
        raise LostWorkerError("") from LinkError("worker 0 at 10.0.0.1 cannot be reached: timed out.")

    monkeypatch.setattr(workers, "_connect_by_sockets", fail)
    workers._transport, workers.broken = "auto", True
    try:
        with pytest.warns(UserWarning, match="cannot be reached: timed out. Workers now send their messages through"):
            clew.bfs(spread, 3)
        assert np.allclose(clew.pagerank(spread, tolerance=0, max_iterations=5).rank, expected, rtol=1e-12)
        assert np.array_equal(clew.bfs(spread, 3).depth, clew.bfs(GRAPH, 3).depth)
        os.kill(cluster.workers[1]["pid"], signal.SIGKILL)
        assert np.array_equal(clew.bfs(spread, 3).depth, clew.bfs(GRAPH, 3).depth)
    finally:
        workers._transport, workers.broken = "sockets", True


def test_a_worker_without_memory_says_how_much_it_needs(cluster: clew.distributed.Cluster) -> None:
    def limit(worker: Any) -> None:
        import resource

        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + (8 << 20), resource.RLIM_INFINITY))

    def unlimit(worker: Any) -> None:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))

    ray, actor = cluster._ray, cluster._open().actors[0]
    large = clew.generate.rmat(18, edge_factor=64, seed=1)
    assert cluster.call("free_bytes")  # connected: a connection needs memory for a thread
    ray.get(actor.__ray_call__.remote(limit))
    try:
        with pytest.raises(
            clew.ClusterError, match=r"need at least [\d,]+ bytes on every worker, .* have [\d,]+ bytes"
        ):
            large.spread()
    finally:
        ray.get(actor.__ray_call__.remote(unlimit))
    assert np.array_equal(clew.bfs(GRAPH.spread(), 3).depth, clew.bfs(GRAPH, 3).depth)
