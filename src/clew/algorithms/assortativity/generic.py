"""Assortativity, from one product on any engine."""

from __future__ import annotations

import numpy as np

from clew.algorithms.assortativity import Direction
from clew.algorithms.registry import Answer
from clew.algorithms.waist import Waist
from clew.dtypes import Array
from clew.graph import Graph
from clew.operators import semirings


def assortativity(
    waist: Waist, graph: Graph, column: Array | None, numeric: bool, ends: tuple[Direction, Direction]
) -> Answer:
    """Whether edges connect vertices with similar values; see ``clew.assortativity``."""
    graph, edges = graph.with_weights(None), graph.num_arcs
    if not edges:
        return Answer({}, {"coefficient": float("nan")})
    out, into = waist.degrees(graph), waist.degrees(graph, "in")  # how many edges have the vertex at either end
    if numeric or column is None:
        values = [waist.degrees(graph, end) if column is None else column for end in ends]
        means = [
            waist.total(side * count.astype(np.float64)) / edges
            for side, count in zip(values, (out, into), strict=True)
        ]
        x, y = (side - mean for side, mean in zip(values, means, strict=True))
        shared = waist.total(x * waist.spmv(graph, y, semirings.plus_second))
        spread = np.sqrt(waist.total(out * x**2) * waist.total(into * y**2))
        return Answer({}, {"coefficient": float(shared / spread) if spread > 0 else float("nan")})
    kind = column
    source, target, _ = graph._as_directed().edges()
    within = np.count_nonzero(kind[source] == kind[target]) / edges
    random = float((np.bincount(kind, out) * np.bincount(kind, into)).sum()) / edges**2
    return Answer({}, {"coefficient": float((within - random) / (1 - random)) if random < 1 else float("nan")})
