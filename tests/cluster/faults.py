"""Random faults while algorithms run: ``python -m tests.cluster.faults 200`` reports what 200 of them did.

Workers are killed, stopped for good or for a second, cut off from a peer, or made to send half a frame of garbage, at a
random moment. With ``--nodes 3``, nodes of Ray are killed too, with all their workers. Every run must return the bits
of an undisturbed one, within a minute.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

import clew
from clew.distributed import Cluster

LIMIT = 60  # seconds that a run may take with a fault
ENDED = 20  # seconds within which all processes are gone


def _send(process: int, number: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(process, number)


def kill(cluster: Cluster, chosen: random.Random) -> None:
    """Kill a worker."""
    _send(chosen.choice(cluster.workers)["pid"], signal.SIGKILL)


def kill_several(cluster: Cluster, chosen: random.Random) -> None:
    """Kill two or three workers."""
    for each in chosen.sample(cluster.workers, chosen.choice([2, 3])):
        _send(each["pid"], signal.SIGKILL)


def stop(cluster: Cluster, chosen: random.Random) -> None:
    """Stop a worker for good."""
    _send(chosen.choice(cluster.workers)["pid"], signal.SIGSTOP)


def delay(cluster: Cluster, chosen: random.Random) -> None:
    """Stop a worker for a second; that is no loss."""
    process = chosen.choice(cluster.workers)["pid"]
    _send(process, signal.SIGSTOP)
    time.sleep(1)
    _send(process, signal.SIGCONT)


def cut(cluster: Cluster, chosen: random.Random) -> None:
    """End the connection between two workers."""
    one, other = chosen.sample(range(cluster.grid.workers), 2)

    def end(worker: Any) -> None:
        worker.member.transport._sockets[other].shutdown(2)

    cluster._open().actors[one].__ray_call__.remote(end)


def garble(cluster: Cluster, chosen: random.Random) -> None:
    """Send half a frame that makes no sense."""
    one, other = chosen.sample(range(cluster.grid.workers), 2)

    def send(worker: Any) -> None:
        worker.member.transport._sockets[other].send(bytes(13))

    cluster._open().actors[one].__ray_call__.remote(send)


def kill_node(cluster: Cluster, chosen: random.Random, nodes: Any) -> None:
    """Kill a node with all its workers. The first node stays, since it is the head."""
    used = {each["node"] for each in cluster.workers}
    others = sorted((node for node in nodes.worker_nodes if node.node_id in used), key=lambda node: node.node_id)
    if not others:  # workers move to an empty node when they are replaced
        kill(cluster, chosen)
        return
    nodes.remove_node(chosen.choice(others), allow_graceful=False)


def add_nodes(nodes: Any, count: int) -> None:
    """Start empty nodes in place of those that were killed; Ray does that in the main thread only."""
    while len(nodes.worker_nodes) < count:
        nodes.add_node(num_cpus=4)


FAULTS = (kill, kill_several, stop, delay, cut, garble)
RUNS: dict[str, Callable[[Any], Any]] = {
    "pagerank": lambda graph: clew.pagerank(graph, tolerance=0, max_iterations=300).rank,
    "sssp": lambda graph: clew.sssp(graph, 3).distance,
    "bfs": lambda graph: clew.bfs(graph, 3).depth,
    "components": lambda graph: clew.connected_components(graph).label,
    "label_propagation": lambda graph: clew.label_propagation(graph, max_iterations=10).label,
}


@dataclass
class Report:
    """What happened."""

    faults: Counter[str] = field(default_factory=Counter)
    replaced: int = 0
    seconds: list[float] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    processes: set[int] = field(default_factory=set)

    def __str__(self) -> str:
        left = sum(is_running(each) for each in self.processes)
        faults = ", ".join(f"{name} {count}" for name, count in sorted(self.faults.items()))
        return (
            f"{self.faults.total()} faults ({faults}): {len(self.wrong)} wrong answers, {self.replaced} workers "
            f"replaced, runs took {np.median(self.seconds):.1f} s at the median and {max(self.seconds):.1f} s at most, "
            f"{left} of {len(self.processes)} processes left"
        )


def is_running(process: int) -> bool:
    """Whether a process is there, and no zombie."""
    try:
        with open(f"/proc/{process}/stat") as status:  # noqa: PTH123
            return status.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def inject(cluster: Cluster, count: int, seed: int, nodes: Any = None, *, verbose: bool = False) -> Report:
    """Run algorithms under ``count`` random faults; with the ``nodes`` of ``ray.cluster_utils``, also of these."""
    import sys

    from ray import cloudpickle

    cloudpickle.register_pickle_by_value(sys.modules[__name__])  # workers may not find this module
    chosen, report = random.Random(seed), Report()
    faults: list[Any] = [*FAULTS, *([] if nodes is None else [partial(kill_node, nodes=nodes)])]
    empty = 0 if nodes is None else len(nodes.worker_nodes)
    graph = clew.generate.random_weights(clew.generate.rmat(10, edge_factor=8, seed=1), 1, 9, seed=2)
    spread = graph.spread()
    expected, seconds = {}, {}
    for name, run in RUNS.items():
        run(spread)
        began = time.monotonic()
        expected[name] = run(spread)
        seconds[name] = time.monotonic() - began
    for number in range(count):
        name, fault = chosen.choice(list(RUNS)), faults[number % len(faults)]
        report.processes |= {each["pid"] for each in cluster.workers}
        injector = threading.Timer(chosen.random() * 1.2 * seconds[name], fault, (cluster, chosen))
        began = time.monotonic()
        injector.start()
        found = RUNS[name](spread)
        took = time.monotonic() - began
        injector.join()
        if nodes is not None:
            add_nodes(nodes, empty)
        kind = getattr(fault, "func", fault).__name__
        report.faults[kind] += 1
        report.seconds.append(took)
        if found.tobytes() != expected[name].tobytes():
            report.wrong.append(f"fault {number}: {name} after {kind}")
        if took > LIMIT:
            report.wrong.append(f"fault {number}: {name} took {took:.0f} seconds after {kind}")
        if verbose:
            print(f"{number:4} {name:18} {kind:13} {took:6.2f} s", flush=True)
    report.replaced = cluster.num_replaced
    report.processes |= {each["pid"] for each in cluster.workers}
    return report


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int, nargs="?", default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--nodes", type=int, default=1, help="nodes of Ray, of which all but one may be killed")
    given = parser.parse_args()
    several = None
    if given.nodes > 1:
        from tests.cluster.conftest import SharedRay

        several = SharedRay().nodes
        add_nodes(several, given.nodes - 1)
    with clew.cluster(workers=4, address=None if several is None else several.address) as opened:
        found = inject(opened, given.count, given.seed, several, verbose=True)
    end = time.monotonic() + ENDED
    while any(map(is_running, found.processes)) and time.monotonic() < end:
        time.sleep(0.5)
    print(found)
    print("\n".join(found.wrong) or "no wrong answer")
