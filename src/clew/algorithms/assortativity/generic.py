"""Assortativity, from one product on any engine."""

from __future__ import annotations

import numpy as np

from clew.algorithms.registry import Answer
from clew.algorithms.waist import Waist
from clew.dtypes import Array
from clew.graph import Graph
from clew.operators import semirings


def assortativity(waist: Waist, graph: Graph, values: tuple[Array, Array], numeric: bool) -> Answer:
    """Whether edges connect vertices with similar values; see ``clew.assortativity``."""
    graph, edges = graph.with_weights(None), graph.num_arcs
    out, into = graph.degrees(), graph.degrees("in")  # how many edges have the vertex at either end
    if not edges:
        return Answer({}, {"coefficient": float("nan")})
    if numeric:
        x, y = (side - np.average(side, weights=ends) for side, ends in zip(values, (out, into), strict=True))
        shared = (x * waist.spmv(graph, y, semirings.plus_second)).sum()
        spread = np.sqrt((out * x**2).sum() * (into * y**2).sum())
        return Answer({}, {"coefficient": float(shared / spread) if spread > 0 else float("nan")})
    kind = values[0]
    source, target, _ = graph._as_directed().edges()
    within = np.count_nonzero(kind[source] == kind[target]) / edges
    random = float((np.bincount(kind, out) * np.bincount(kind, into)).sum()) / edges**2
    return Answer({}, {"coefficient": float((within - random) / (1 - random)) if random < 1 else float("nan")})
