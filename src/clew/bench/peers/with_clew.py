"""clew itself: every registered algorithm, and for those that peers have, the settings that make it the same work."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

import clew
from clew.algorithms.registry import ALGORITHMS
from clew.bench.task import Answer, Maker, Ready, Task
from clew.result import Result

#: Those that are raced; the others run with their defaults, alone.
RACED = (
    "bfs",
    "sssp",
    "pagerank",
    "pagerank_converged",
    "connected_components",
    "triangles",
    "betweenness",
)
ROUNDS, TOLERANCE = 20, 1e-6  # of the two kinds of PageRank


def offers() -> dict[str, Maker]:
    """Everything there is."""
    return {name: partial(_ready, name) for name in dict.fromkeys([*RACED, *sorted(ALGORITHMS)])}


def function_name(algorithm: str) -> str:
    """The function that does it: PageRank is raced twice."""
    return algorithm.removesuffix("_converged")


def arguments(algorithm: str, task: Task) -> dict[str, Any]:
    """How clew is called."""
    settings: dict[str, dict[str, Any]] = {
        "pagerank": {"tolerance": 0, "max_iterations": ROUNDS, "dtype": "float32"},
        "pagerank_converged": {"tolerance": TOLERANCE},
        "triangles": {"per_vertex": False},
        "betweenness": {"samples": [task.source]},
        "multi_source_bfs": {"sources": range(min(64, task.graph.num_vertices))},
    }
    given = dict(settings.get(algorithm, {}))
    if ALGORITHMS[function_name(algorithm)].needs_source:
        given["source"] = task.source
    return given


def _ready(algorithm: str, task: Task) -> Ready:
    graph = task.graph
    clew.threads.set_count(task.threads)
    _ = graph.incoming  # built once and kept, as every peer's is
    function = ALGORITHMS[function_name(algorithm)].function
    call = partial(function, graph, **arguments(algorithm, task), device=task.device)
    return Ready(call, lambda result: Answer(_values(algorithm, graph.num_vertices, result)))


def _values(algorithm: str, num_vertices: int, result: Result) -> Any:
    """The answer, as peers give it."""
    if algorithm == "triangles":
        return np.int64(result.total)
    if algorithm == "betweenness":  # what each vertex is to the paths from one source: scaled back
        return np.nan_to_num(result.centrality) * max(num_vertices - 2, 1)
    values = next(iter(result.values.values()))
    if algorithm == "sssp":
        distance = values.astype(np.float64)
        distance[result.parent < 0] = np.inf
        return distance
    return values
