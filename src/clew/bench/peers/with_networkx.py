"""NetworkX in plain Python, with any backends configured. Its dicts by vertex are what it returns to callers."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np

from clew.bench.task import ROUNDS, TOLERANCE, Answer, Prepare, Ready, Task, UnableError, smallest_labels

MOST_EDGES = 5_000_000  # NetworkX stores about 400 bytes an edge


def _graph(task: Task, *, weighted: bool = False) -> Any:
    import networkx as nx

    if task.graph.num_edges > MOST_EDGES:
        raise UnableError(f"more than {MOST_EDGES:,} edges take it too much memory")
    graph = nx.DiGraph() if task.graph.directed else nx.Graph()
    graph.add_nodes_from(range(task.graph.num_vertices))
    ends = [np.asarray(column).tolist() for column in task.graph.edges()[: 2 + weighted]]
    (graph.add_weighted_edges_from if weighted else graph.add_edges_from)(zip(*ends, strict=True))
    return graph


def _values(num_vertices: int, missing: float, by_vertex: Mapping[int, float]) -> Answer:
    values = np.full(num_vertices, missing)
    values[list(by_vertex)] = list(by_vertex.values())
    return Answer(values)


def _distances(weighted: bool, task: Task) -> Ready:
    import networkx as nx

    graph = _graph(task, weighted=weighted)
    search = nx.single_source_dijkstra_path_length if weighted else nx.single_source_shortest_path_length
    missing = np.inf if weighted else -1
    return Ready(
        lambda: search(graph, task.source, backend="networkx"), partial(_values, task.graph.num_vertices, missing)
    )


def _pagerank(rounds: int, tolerance: float, task: Task) -> Ready:
    import networkx as nx

    graph = _graph(task)

    def call() -> Any:
        found: Mapping[int, float] = {}
        with suppress(nx.PowerIterationFailedConvergence):  # raised instead of an answer after that many rounds
            options = {"max_iter": rounds, "tol": tolerance / len(graph), "backend": "networkx"}
            found = nx.pagerank(graph, weight=None, **options)
        return found

    return Ready(call, lambda output: _values(len(graph), 0.0, output) if output else Answer())


def _components(task: Task) -> Ready:
    import networkx as nx

    graph = _graph(task)
    find = nx.weakly_connected_components if task.graph.directed else nx.connected_components

    def answer(components: list[set[int]]) -> Answer:
        labels = np.empty(task.graph.num_vertices, dtype=np.int64)
        for number, members in enumerate(components):
            labels[list(members)] = number
        return Answer(smallest_labels(labels))

    return Ready(lambda: list(find(graph, backend="networkx")), answer)


def _triangles(task: Task) -> Ready:
    import networkx as nx

    task.require_undirected()
    graph = _graph(task)
    return Ready(
        lambda: nx.triangles(graph, backend="networkx"), lambda output: Answer(np.int64(sum(output.values()) // 3))
    )


OFFERS: Mapping[str, Prepare] = {
    "bfs": partial(_distances, False),
    "sssp": partial(_distances, True),
    "pagerank": partial(_pagerank, ROUNDS, 0.0),
    "pagerank_converged": partial(_pagerank, 100, TOLERANCE),
    "connected_components": _components,
    "triangles": _triangles,
}
