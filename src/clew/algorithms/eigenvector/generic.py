"""Eigenvector centrality by power iteration."""

from __future__ import annotations

import numpy as np

from clew.algorithms.powers import inflow, rounds
from clew.algorithms.registry import Answer
from clew.algorithms.waist import Waist
from clew.dtypes import Array
from clew.graph import Graph
from clew.operators import monoids


def eigenvector(
    waist: Waist, graph: Graph, weighted: bool, tolerance: float, max_iterations: int, start: Array | None
) -> Answer:
    """Scores of length 1; see ``clew.eigenvector``."""
    ids = waist.ids(graph)
    x = np.full(ids.size, 1 / max(1, graph.num_vertices)) if start is None else start

    def step(x: Array) -> Array:
        # x = (A' + I) x, scaled to length 1. Squares of large numbers overflow, so the largest is scaled to 1 first.
        following = x + inflow(waist, graph, x, weighted=weighted)
        following /= waist.total(following, monoids.max) if graph.num_vertices else 1.0
        following /= np.sqrt(waist.total(following * following)) or 1.0
        return following

    x, changes = rounds(waist, step, x, tolerance, max_iterations)
    converged = bool(changes[-1] < tolerance)
    return Answer({"centrality": x}, iterations=changes.size, converged=converged, trace={"change": changes})
