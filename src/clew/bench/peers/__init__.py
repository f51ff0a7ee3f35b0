"""The contenders: clew itself, Python libraries, and benchmark programs on the PATH.

Each one maps names of algorithms to functions that prepare a run. Libraries are imported only if a race needs them.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np

import clew
from clew.algorithms.registry import ALGORITHMS
from clew.bench.task import Answer, Prepare, Ready, Task, record_of
from clew.result import Result

#: The Python packages by the name of the module to import.
LIBRARIES = {
    "scipy": "scipy",
    "igraph": "igraph",
    "networkit": "networkit",
    "graphblas": "python-graphblas",
    "networkx": "networkx",
}
PROGRAMS = ("gap", "ligra", "lagraph")
NAMES = (*LIBRARIES, *PROGRAMS)
#: The algorithms that peers have. clew runs its other algorithms alone, with their defaults.
RACED = ("bfs", "sssp", "pagerank", "pagerank_converged", "connected_components", "triangles", "betweenness")


def available(name: str) -> bool:
    """Whether a peer is installed."""
    return find_spec(name) is not None if name in LIBRARIES else bool(offers(name))


def offers(name: str) -> Mapping[str, Prepare]:
    """The algorithms of a contender."""
    from clew.bench.peers import libraries, programs, with_networkx

    if name == "clew":
        return {algorithm: partial(_prepare, algorithm) for algorithm in [*RACED, *sorted(ALGORITHMS)]}
    if name == "networkx":
        return with_networkx.OFFERS
    return programs.offers(name) if name in PROGRAMS else libraries.OFFERS[name]


def _prepare(algorithm: str, task: Task) -> Ready:
    graph = task.graph
    clew.threads.set_count(task.threads)
    _ = graph.incoming  # built once and cached, as every peer's is
    call = partial(record_of(algorithm).function, graph, **task.arguments(algorithm), device=task.device)
    return Ready(call, lambda result: Answer(_values(algorithm, graph.num_vertices, result)))


def _values(algorithm: str, num_vertices: int, result: Result) -> Any:
    """The values of a result in the form that peers return."""
    if algorithm == "triangles":
        return np.int64(result.total)
    if algorithm == "betweenness":  # clew divides by the number of other vertices; undo that
        return np.nan_to_num(result.centrality) * max(num_vertices - 2, 1)
    if not result.values:
        return np.array([fact for fact in result.facts.values() if np.isscalar(fact)])
    values = next(iter(result.values.values()))
    if algorithm == "sssp":
        return np.where(result.parent < 0, np.inf, values.astype(np.float64))
    return values
