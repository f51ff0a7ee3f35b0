"""igraph: C behind Python; one thread. Its results are Python lists, which is part of what a caller waits for."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.bench.answers import smallest_labels
from clew.bench.task import Answer, Maker, Ready, Task, UnableError


def offers() -> dict[str, Maker]:
    """What it can do; its PageRank solves for the limit and knows no rounds."""
    return {
        "bfs": _bfs,
        "sssp": _sssp,
        "pagerank_converged": _pagerank,
        "connected_components": _components,
        "triangles": _triangles,
        "betweenness": _betweenness,
    }


def _graph(task: Task) -> Any:
    import igraph

    source, target, weights = task.graph.edges()
    ends = np.column_stack([source, target])
    graph = igraph.Graph(n=task.graph.num_vertices, edges=ends, directed=task.graph.directed)
    return graph, weights


def _bfs(task: Task) -> Ready:
    graph, _ = _graph(task)

    def answer(found: Any) -> Answer:
        depth = np.array(found[0])
        return Answer(np.where(np.isfinite(depth), depth, -1).astype(np.int64))

    return Ready(lambda: graph.distances(source=task.source, mode="out"), answer)


def _sssp(task: Task) -> Ready:
    graph, weights = _graph(task)
    graph.es["weight"] = weights.tolist()
    return Ready(
        lambda: graph.distances(source=task.source, weights="weight", mode="out"),
        lambda found: Answer(np.array(found[0], dtype=np.float64)),
    )


def _pagerank(task: Task) -> Ready:
    graph, _ = _graph(task)
    return Ready(lambda: graph.pagerank(damping=0.85), lambda found: Answer(np.array(found)))


def _components(task: Task) -> Ready:
    graph, _ = _graph(task)
    return Ready(
        lambda: graph.connected_components(mode="weak"),
        lambda found: Answer(smallest_labels(found.membership)),
    )


def _triangles(task: Task) -> Ready:
    if task.graph.directed:
        raise UnableError("only of undirected graphs")
    graph, _ = _graph(task)
    degrees = task.graph.degrees().astype(np.float64)
    wedges = float((degrees * (degrees - 1)).sum()) / 2
    # It gives the share of wedges that are closed; a triangle closes three.
    return Ready(
        lambda: graph.transitivity_undirected(mode="zero"),
        lambda share: Answer(np.int64(round(share * wedges / 3))),
    )


def _betweenness(task: Task) -> Ready:
    graph, _ = _graph(task)
    scale = 1.0 if task.graph.directed else 2.0  # it halves the sum over sources in an undirected graph
    return Ready(
        lambda: graph.betweenness(directed=task.graph.directed, sources=[task.source]),
        lambda found: Answer(np.array(found) * scale),
    )
