"""Katz centrality as a product a round."""

from __future__ import annotations

import numpy as np

from clew.algorithms.powers import inflow, rounds
from clew.algorithms.registry import Answer
from clew.algorithms.waist import Waist
from clew.dtypes import Array
from clew.errors import DivergenceError
from clew.graph import Graph
from clew.operators import monoids


def katz(
    waist: Waist,
    graph: Graph,
    alpha: float | None,
    beta: Array,
    weighted: bool,
    tolerance: float,
    max_iterations: int,
    start: Array,
) -> Answer:
    """Scores with x = beta + alpha A' x; see ``clew.katz``."""
    own, x = beta, start
    if alpha is None:  # the largest row sum of a matrix is no less than its largest eigenvalue
        sums = inflow(waist, graph, np.ones(own.size), weighted=weighted)
        alpha = 1 / (1 + float(waist.total(sums, monoids.max))) if graph.num_arcs else 1.0
    x, changes = rounds(
        waist, lambda x: own + alpha * inflow(waist, graph, x, weighted=weighted), x, tolerance, max_iterations
    )
    if not np.isfinite(changes[-1]):
        raise DivergenceError(
            f"alpha is {alpha}, and the scores grow without bound; expected less than the inverse of the largest "
            "eigenvalue.",
            remedy="Omit alpha, or use a smaller one.",
            option="Omit --alpha, or use a smaller one.",
        )
    converged, facts = bool(changes[-1] < tolerance), {"alpha": alpha}
    return Answer({"centrality": x}, facts, iterations=changes.size, converged=converged, trace={"change": changes})
