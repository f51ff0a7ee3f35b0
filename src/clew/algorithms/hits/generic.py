"""Hubs and authorities: two products a round."""

from __future__ import annotations

import numpy as np

from clew.algorithms.registry import Answer
from clew.algorithms.waist import Waist
from clew.dtypes import Array
from clew.graph import Graph
from clew.operators import functions, semirings


def hits(waist: Waist, graph: Graph, tolerance: float, max_iterations: int) -> Answer:
    """Scores that sum to 1 each; see ``clew.hits``."""
    n = graph.num_vertices
    hub: Array = np.full(waist.ids(graph).size, 1 / n if n else 0.0)
    changes: list[float] = []
    while len(changes) < max_iterations and (not changes or changes[-1] >= tolerance):
        hub, changes = waist.checkpoint(len(changes), hub, changes)
        # authority = A' hub and hub = A authority, each scaled to sum to 1
        authority = _scaled(waist, waist.spmv(graph, hub, semirings.plus_second, transpose=True))
        after = _scaled(waist, waist.spmv(graph, authority, semirings.plus_second))
        changes.append(float(waist.total(waist.elementwise(lambda a, b: abs(a - b), after, hub))))
        hub = after
    scores, trace = {"hub": hub, "authority": authority}, {"change": np.array(changes)}
    return Answer(scores, iterations=len(changes), converged=changes[-1] < tolerance, trace=trace)


def _scaled(waist: Waist, scores: Array) -> Array:
    """Scores that sum to 1, or 0 everywhere where there are none."""
    scaled: Array = waist.elementwise(functions.times, scores, 1 / (waist.total(scores) or 1.0))
    return scaled
