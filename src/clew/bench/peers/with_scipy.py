"""SciPy: csgraph where it has the algorithm, else sparse products; one thread."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.bench.answers import smallest_labels
from clew.bench.peers.with_clew import ROUNDS, TOLERANCE
from clew.bench.task import Answer, Maker, Ready, Task, UnableError

DAMPING = 0.85


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


def _matrix(task: Task) -> Any:
    return task.graph.to_scipy().astype(np.float64)


def _bfs(task: Task) -> Ready:
    from scipy.sparse import csgraph

    matrix = _matrix(task)

    def answer(found: Any) -> Answer:
        order, above = (array.tolist() for array in found)
        depth = [-1] * task.graph.num_vertices
        depth[task.source] = 0
        for vertex in order[1:]:
            depth[vertex] = depth[above[vertex]] + 1
        return Answer(np.array(depth))

    return Ready(lambda: csgraph.breadth_first_order(matrix, task.source), answer)


def _sssp(task: Task) -> Ready:
    from scipy.sparse import csgraph

    matrix = _matrix(task)
    return Ready(lambda: csgraph.dijkstra(matrix, indices=[task.source]), lambda found: Answer(found[0]))


def _components(task: Task) -> Ready:
    from scipy.sparse import csgraph

    matrix = _matrix(task)
    directed = task.graph.directed
    return Ready(
        lambda: csgraph.connected_components(matrix, directed=directed, connection="weak"),
        lambda found: Answer(smallest_labels(found[1])),
    )


def _pagerank(task: Task, rounds: int, tolerance: float) -> Ready:
    degrees = task.graph.degrees().astype(np.float64)
    into = task.graph.with_weights(None).to_scipy().T.tocsr().astype(np.float64)
    n = degrees.size
    share = np.divide(DAMPING, degrees, out=np.zeros(n), where=degrees > 0)
    stranded = np.flatnonzero(degrees == 0)

    def call() -> Any:
        rank = np.full(n, 1 / n)
        for _ in range(rounds):
            lost = DAMPING * rank[stranded].sum()
            new = into @ (rank * share) + (1 - DAMPING + lost) / n
            change = np.abs(new - rank).sum() if tolerance else 1.0
            rank = new
            if change < tolerance:
                break
        return rank

    return Ready(call, Answer)


def _triangles(task: Task) -> Ready:
    if task.graph.directed:
        raise UnableError("only of undirected graphs")
    # Few edges lead from a vertex to ones of higher degree, so that the product stays small; not timed.
    order = np.argsort(task.graph.degrees(), kind="stable")
    matrix = task.graph.with_weights(None).to_scipy().astype(np.int64)[order][:, order]
    from scipy.sparse import triu

    upper = triu(matrix, 1).tocsr()
    return Ready(lambda: (upper @ upper).multiply(upper).sum(), lambda found: Answer(np.int64(found)))
