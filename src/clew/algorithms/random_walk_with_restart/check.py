"""Checker of a random walk with restart."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.algorithms.checking import named
from clew.algorithms.pagerank.check import check_walk
from clew.graph import Graph
from clew.result import Result


@named
def random_walk_with_restart(
    graph: Graph, source: Any, result: Result, *, restart: float = 0.15, tolerance: float = 1e-6, weighted: bool = False
) -> None:
    """Check probabilities of visits: the rules of ``pagerank``, with all jumps leading to the source."""
    jumps = np.zeros(graph.num_vertices)
    jumps[graph.vertex(source)] = 1
    check_walk(graph, result, result.visiting, 1 - restart, tolerance, jumps, weighted)
