"""Hubs and authorities: two products a round."""

from __future__ import annotations

import numpy as np

from clew.algorithms.flow import check_rounds
from clew.algorithms.generic.steps import total
from clew.algorithms.generic.waist import elementwise, spmv
from clew.dtypes import Array
from clew.graph import Graph
from clew.operators import functions, semirings
from clew.result import Result, Trace


def hits(graph: Graph, *, tolerance: float = 1e-8, max_iterations: int = 100, device: str = "auto") -> Result:
    """Scores that sum to 1 each; see ``clew.hits``."""
    tolerance, max_iterations = check_rounds(tolerance, max_iterations)
    n = graph.num_vertices
    hub: Array = np.full(n, 1 / n if n else 0.0)
    changes: list[float] = []
    while len(changes) < max_iterations and (not changes or changes[-1] >= tolerance):
        # authority = A' hub and hub = A authority, each scaled to sum to 1
        authority = _scaled(spmv(graph, hub, semirings.plus_second, transpose=True, device=device), device)
        after = _scaled(spmv(graph, authority, semirings.plus_second, device=device), device)
        changes.append(float(total(elementwise(lambda a, b: abs(a - b), after, hub, device=device), device)))
        hub = after
    return Result(
        "hits",
        {"hub": hub, "authority": authority},
        names=graph.names,
        iterations=len(changes),
        converged=changes[-1] < tolerance,
        trace=Trace({"change": np.array(changes)}),
    )


def _scaled(scores: Array, device: str) -> Array:
    """Scores that sum to 1, or 0 everywhere where there are none."""
    scaled: Array = elementwise(functions.times, scores, 1 / (total(scores, device) or 1.0), device=device)
    return scaled
