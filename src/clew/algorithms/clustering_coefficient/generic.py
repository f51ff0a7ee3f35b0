"""Local clustering coefficients: edges among neighbours, from a product where there are neighbours."""

from __future__ import annotations

import numpy as np

from clew.algorithms.registry import Answer
from clew.algorithms.waist import Waist
from clew.graph import Graph
from clew.operators import semirings


def clustering_coefficient(waist: Waist, graph: Graph) -> Answer:
    """How close neighbours are to being linked to each other; see ``clew.clustering_coefficient``."""
    near, edges = waist.simple(graph, directed=False), waist.simple(graph, directed=True)
    # C[v, w] = neighbours u of v with an edge u -> w, for neighbours w of v: a row has all edges among neighbours.
    paths = waist.spgemm(near, edges, semirings.plus_pair, mask=near)
    links = waist.reduce_segments(paths).astype(np.float64)
    degrees = waist.reduce_segments(near)
    possible = waist.elementwise(lambda degree, one: degree * (degree - one), degrees, 1).astype(np.float64)
    coefficient = waist.elementwise(lambda links, possible: links / possible if possible > 0 else 0.0, links, possible)
    most = float(waist.total(possible))
    facts = {
        "average": float(coefficient.mean()) if coefficient.size else 0.0,
        "transitivity": float(links.sum()) / most if most else 0.0,
    }
    return Answer({"coefficient": coefficient}, facts)
