"""Local clustering coefficients: edges among neighbours, from a product where there are neighbours."""

from __future__ import annotations

import numpy as np

from clew.algorithms.generic.steps import simple
from clew.algorithms.generic.waist import elementwise, reduce_segments, spgemm
from clew.graph import Graph
from clew.operators import semirings
from clew.result import Result


def clustering_coefficient(graph: Graph, *, device: str = "auto") -> Result:
    """How close neighbours are to being linked to each other; see ``clew.clustering_coefficient``."""
    near, edges = simple(graph, directed=False), simple(graph, directed=True)
    # C[v, w] = neighbours u of v with an edge u -> w, for neighbours w of v: a row has all edges among neighbours.
    paths = spgemm(near, edges, semirings.plus_pair, mask=near, device=device)
    links = reduce_segments(paths, device=device).astype(np.float64)
    degrees = reduce_segments(near, device=device)
    possible = elementwise(lambda degree, one: degree * (degree - one), degrees, 1, device=device).astype(np.float64)
    coefficient = elementwise(
        lambda links, possible: links / possible if possible > 0 else 0.0, links, possible, device=device
    )
    most = float(reduce_segments((possible, [0, possible.size]), device=device)[0])
    facts = {
        "average": float(coefficient.mean()) if coefficient.size else 0.0,
        "transitivity": float(links.sum()) / most if most else 0.0,
    }
    return Result("clustering_coefficient", {"coefficient": coefficient}, names=graph.names, facts=facts)
