"""NetworKit: C++ and OpenMP behind Python."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.bench.answers import smallest_labels
from clew.bench.peers.with_clew import ROUNDS, TOLERANCE
from clew.bench.task import Answer, Maker, Ready, Task, UnableError

FAR = np.finfo(np.float64).max  # what it calls unreachable


def offers() -> dict[str, Maker]:
    """What it can do."""
    return {
        "bfs": _bfs,
        "sssp": _sssp,
        "pagerank": lambda task: _pagerank(task, ROUNDS, 0.0),
        "pagerank_converged": lambda task: _pagerank(task, 100, TOLERANCE),
        "connected_components": _components,
        "triangles": _triangles,
    }


def _graph(task: Task, *, weighted: bool = False) -> Any:
    import networkit

    source, target, weights = task.graph.edges()
    ends: Any = (np.array(source, dtype=np.uint64), np.array(target, dtype=np.uint64))  # narrower ids crash it
    if weighted and weights is not None:
        ends = (weights.astype(np.float64), ends)
    networkit.setNumberOfThreads(task.threads)
    return networkit.GraphFromCoo(ends, n=task.graph.num_vertices, weighted=weighted, directed=task.graph.directed)


def _bfs(task: Task) -> Ready:
    from networkit.distance import BFS

    graph = _graph(task)

    def answer(search: Any) -> Answer:
        distance = np.array(search.getDistances())
        return Answer(np.where(distance == FAR, -1, distance).astype(np.int64))

    return Ready(lambda: BFS(graph, task.source, storePaths=False).run(), answer)


def _sssp(task: Task) -> Ready:
    from networkit.distance import Dijkstra

    graph = _graph(task, weighted=True)

    def answer(search: Any) -> Answer:
        distance = np.array(search.getDistances())
        return Answer(np.where(distance == FAR, np.inf, distance))

    return Ready(lambda: Dijkstra(graph, task.source, storePaths=False).run(), answer)


def _pagerank(task: Task, rounds: int, tolerance: float) -> Ready:
    from networkit.centrality import Norm, PageRank

    graph = _graph(task)

    def call() -> Any:
        ranking = PageRank(graph, damp=0.85, tol=tolerance)
        ranking.maxIterations, ranking.norm = rounds, Norm.L1_NORM
        return ranking.run()

    return Ready(call, lambda ranking: Answer(np.array(ranking.scores())))


def _components(task: Task) -> Ready:
    from networkit import components

    graph = _graph(task)
    kind = components.WeaklyConnectedComponents if task.graph.directed else components.ParallelConnectedComponents
    return Ready(
        lambda: kind(graph).run(),
        lambda found: Answer(smallest_labels(_labels(found, task.graph.num_vertices))),
    )


def _labels(found: Any, num_vertices: int) -> Any:
    labels = np.empty(num_vertices, dtype=np.int64)
    for number, members in enumerate(found.getComponents()):
        labels[members] = number
    return labels


def _triangles(task: Task) -> Ready:
    from networkit.globals import ClusteringCoefficient

    if task.graph.directed:
        raise UnableError("only of undirected graphs")
    graph = _graph(task)
    degrees = task.graph.degrees().astype(np.float64)
    wedges = float((degrees * (degrees - 1)).sum()) / 2
    # It gives the share of wedges that are closed; a triangle closes three.
    return Ready(
        lambda: ClusteringCoefficient.exactGlobal(graph),
        lambda share: Answer(np.int64(round(share * wedges / 3))),
    )
