"""Random walk with restart: the PageRank whose jumps all lead to one vertex."""

from __future__ import annotations

from typing import Any

from clew.algorithms.arguments import vertex_of
from clew.algorithms.flow import check_fraction
from clew.algorithms.generic.pagerank import pagerank
from clew.graph import Graph
from clew.result import Result


def random_walk_with_restart(
    graph: Graph,
    source: Any = 0,
    *,
    restart: float = 0.15,
    tolerance: float = 1e-6,
    max_iterations: int = 100,
    weighted: bool = False,
    device: str = "auto",
) -> Result:
    """How likely a walker is at each vertex; see ``clew.random_walk_with_restart``."""
    ranks = pagerank(
        graph,
        damping=1 - check_fraction("restart", restart),
        tolerance=tolerance,
        max_iterations=max_iterations,
        personalization={graph.name(vertex_of(graph, source)): 1.0},
        weighted=weighted,
        device=device,
    )
    return Result(
        "random_walk_with_restart",
        {"visiting": ranks.rank},
        names=graph.names,
        iterations=ranks.iterations,
        converged=ranks.converged,
        trace=ranks.trace,
    )
