"""Local clustering coefficients: edges among neighbours, from a product where there are neighbours."""

from __future__ import annotations

import numpy as np

from clew.algorithms.clustering_coefficient.means import answer, symmetric_roots
from clew.algorithms.registry import Answer
from clew.algorithms.waist import Waist
from clew.graph import Graph
from clew.layouts import coo
from clew.operators import semirings


def clustering_coefficient(waist: Waist, graph: Graph, means: bool, weighted: bool) -> Answer:
    """How close neighbours are to being linked to each other; see ``clew.clustering_coefficient``."""
    if means:
        near, possible = symmetric_roots(graph, weighted=weighted)
        # C = S S where S has an entry; each of these is the rest of a triangle.
        paths, sides = coo(waist.spgemm(near, near, semirings.plus_times, mask=near)), coo(near)
        assert paths.weights is not None
        assert sides.weights is not None
        n = graph.num_vertices
        place = np.searchsorted(sides.rows * np.int64(n) + sides.columns, paths.rows * np.int64(n) + paths.columns)
        return answer(np.bincount(paths.rows, paths.weights * sides.weights[place], minlength=n), possible)
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
