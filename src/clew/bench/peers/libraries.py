"""SciPy, igraph and NetworKit.

SciPy and igraph use one thread. igraph returns Python lists, and converting to them is part of the time a caller waits.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from clew.bench.task import ROUNDS, TOLERANCE, Answer, Prepare, Ready, Task, smallest_labels

DAMPING = 0.85
FAR = np.finfo(np.float64).max  # NetworKit's distance of unreachable vertices


def _triangles_of(task: Task, share: float) -> Answer:
    """The number of triangles, from the share of wedges that are closed; a triangle closes three."""
    degrees = task.graph.degrees().astype(np.float64)
    wedges = float((degrees * (degrees - 1)).sum()) / 2
    return Answer(np.int64(round(share * wedges / 3)))


# ------------------------------------------------------------------ SciPy: csgraph, or else sparse products


def _matrix(task: Task) -> Any:
    return task.graph.to_scipy().astype(np.float64)


def _scipy_bfs(task: Task) -> Ready:
    from scipy.sparse import csgraph

    matrix = _matrix(task)

    def answer(found: Any) -> Answer:
        order, parent = (array.tolist() for array in found)
        depth = [-1] * task.graph.num_vertices
        depth[task.source] = 0
        for vertex in order[1:]:
            depth[vertex] = depth[parent[vertex]] + 1
        return Answer(np.array(depth))

    return Ready(lambda: csgraph.breadth_first_order(matrix, task.source), answer)


def _scipy_sssp(task: Task) -> Ready:
    from scipy.sparse import csgraph

    matrix = _matrix(task)
    return Ready(lambda: csgraph.dijkstra(matrix, indices=[task.source]), lambda found: Answer(found[0]))


def _scipy_components(task: Task) -> Ready:
    from scipy.sparse import csgraph

    matrix = _matrix(task)
    return Ready(
        lambda: csgraph.connected_components(matrix, directed=task.graph.directed, connection="weak"),
        lambda found: Answer(smallest_labels(found[1])),
    )


def _scipy_pagerank(rounds: int, tolerance: float, task: Task) -> Ready:
    degrees = task.graph.degrees().astype(np.float64)
    into = task.graph.with_weights(None).to_scipy().T.tocsr().astype(np.float64)
    n = degrees.size
    share = np.divide(DAMPING, degrees, out=np.zeros(n), where=degrees > 0)
    dead_ends = np.flatnonzero(degrees == 0)

    def call() -> Any:
        rank = np.full(n, 1 / n)
        for _ in range(rounds):
            lost = DAMPING * rank[dead_ends].sum()
            new = into @ (rank * share) + (1 - DAMPING + lost) / n
            change = np.abs(new - rank).sum() if tolerance else 1.0
            rank = new
            if change < tolerance:
                break
        return rank

    return Ready(call, Answer)


def _scipy_triangles(task: Task) -> Ready:
    from scipy.sparse import triu

    task.require_undirected()
    # Few edges lead from a vertex to ones of higher degree, so the product stays small. Sorting is not timed.
    order = np.argsort(task.graph.degrees(), kind="stable")
    matrix = task.graph.with_weights(None).to_scipy().astype(np.int64)[order][:, order]
    upper = triu(matrix, 1).tocsr()
    return Ready(lambda: (upper @ upper).multiply(upper).sum(), lambda found: Answer(np.int64(found)))


# ------------------------------------------------------------------ igraph


def _igraph(task: Task) -> Any:
    import igraph

    source, target, _ = task.graph.edges()
    ends = np.column_stack([source, target])
    return igraph.Graph(n=task.graph.num_vertices, edges=ends, directed=task.graph.directed)


def _igraph_distances(weighted: bool, task: Task) -> Ready:
    graph = _igraph(task)
    if weighted:
        graph.es["weight"] = np.asarray(task.graph.edges()[2]).tolist()

    def answer(found: Any) -> Answer:
        distance = np.array(found[0], dtype=np.float64)
        return Answer(distance if weighted else np.where(np.isfinite(distance), distance, -1).astype(np.int64))

    weights = "weight" if weighted else None
    return Ready(lambda: graph.distances(source=task.source, weights=weights, mode="out"), answer)


def _igraph_pagerank(task: Task) -> Ready:
    graph = _igraph(task)
    return Ready(lambda: graph.pagerank(damping=DAMPING), lambda found: Answer(np.array(found)))


def _igraph_components(task: Task) -> Ready:
    graph = _igraph(task)
    return Ready(
        lambda: graph.connected_components(mode="weak"), lambda found: Answer(smallest_labels(found.membership))
    )


def _igraph_triangles(task: Task) -> Ready:
    task.require_undirected()
    graph = _igraph(task)
    return Ready(lambda: graph.transitivity_undirected(mode="zero"), partial(_triangles_of, task))


def _igraph_betweenness(task: Task) -> Ready:
    graph = _igraph(task)
    scale = 1.0 if task.graph.directed else 2.0  # igraph halves the sum over sources of an undirected graph
    return Ready(
        lambda: graph.betweenness(directed=task.graph.directed, sources=[task.source]),
        lambda found: Answer(np.array(found) * scale),
    )


# ------------------------------------------------------------------ NetworKit


def _networkit(task: Task, *, weighted: bool = False) -> Any:
    import networkit

    source, target, weights = task.graph.edges()
    ends: Any = (np.array(source, dtype=np.uint64), np.array(target, dtype=np.uint64))  # narrower ids crash it
    if weighted and weights is not None:
        ends = (weights.astype(np.float64), ends)
    networkit.setNumberOfThreads(task.threads)
    return networkit.GraphFromCoo(ends, n=task.graph.num_vertices, weighted=weighted, directed=task.graph.directed)


def _networkit_distances(weighted: bool, task: Task) -> Ready:
    from networkit.distance import BFS, Dijkstra

    graph = _networkit(task, weighted=weighted)
    search = Dijkstra if weighted else BFS

    def answer(found: Any) -> Answer:
        distance = np.array(found.getDistances())
        distance[distance == FAR] = np.inf if weighted else -1
        return Answer(distance if weighted else distance.astype(np.int64))

    return Ready(lambda: search(graph, task.source, storePaths=False).run(), answer)


def _networkit_pagerank(rounds: int, tolerance: float, task: Task) -> Ready:
    from networkit.centrality import Norm, PageRank

    graph = _networkit(task)

    def call() -> Any:
        ranking = PageRank(graph, damp=DAMPING, tol=tolerance)
        ranking.maxIterations, ranking.norm = rounds, Norm.L1_NORM
        return ranking.run()

    return Ready(call, lambda ranking: Answer(np.array(ranking.scores())))


def _networkit_components(task: Task) -> Ready:
    from networkit import components

    graph = _networkit(task)
    find = components.WeaklyConnectedComponents if task.graph.directed else components.ParallelConnectedComponents

    def answer(found: Any) -> Answer:
        labels = np.empty(task.graph.num_vertices, dtype=np.int64)
        for number, members in enumerate(found.getComponents()):
            labels[members] = number
        return Answer(smallest_labels(labels))

    return Ready(lambda: find(graph).run(), answer)


def _networkit_triangles(task: Task) -> Ready:
    from networkit.globals import ClusteringCoefficient

    task.require_undirected()
    graph = _networkit(task)
    return Ready(lambda: ClusteringCoefficient.exactGlobal(graph), partial(_triangles_of, task))


OFFERS: Mapping[str, Mapping[str, Prepare]] = {
    "scipy": {
        "bfs": _scipy_bfs,
        "sssp": _scipy_sssp,
        "pagerank": partial(_scipy_pagerank, ROUNDS, 0.0),
        "pagerank_converged": partial(_scipy_pagerank, 100, TOLERANCE),
        "connected_components": _scipy_components,
        "triangles": _scipy_triangles,
    },
    "igraph": {
        "bfs": partial(_igraph_distances, False),
        "sssp": partial(_igraph_distances, True),
        "pagerank_converged": _igraph_pagerank,  # it solves for the limit, without iterations
        "connected_components": _igraph_components,
        "triangles": _igraph_triangles,
        "betweenness": _igraph_betweenness,
    },
    "networkit": {
        "bfs": partial(_networkit_distances, False),
        "sssp": partial(_networkit_distances, True),
        "pagerank": partial(_networkit_pagerank, ROUNDS, 0.0),
        "pagerank_converged": partial(_networkit_pagerank, 100, TOLERANCE),
        "connected_components": _networkit_components,
        "triangles": _networkit_triangles,
    },
}
