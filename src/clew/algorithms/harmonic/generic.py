"""Harmonic centrality, from searches on any engine."""

from __future__ import annotations

import numpy as np

from clew.algorithms.distances import sums_of
from clew.algorithms.registry import Answer
from clew.algorithms.waist import Waist
from clew.dtypes import Array
from clew.graph import Graph
from clew.names import called


def harmonic(waist: Waist, graph: Graph, sources: Array, weighted: bool, normalized: bool) -> Answer:
    """The mean inverse distance from all others, or its sum; see ``clew.harmonic``."""
    n = graph.num_vertices
    sums = sums_of(waist, graph, sources, weighted=weighted)
    mean = np.divide(sums.inverse, sums.counted, out=np.full(sums.counted.size, np.nan), where=sums.counted > 0)
    if n == 1:
        mean[:] = 0
    centrality = mean if normalized else mean * (n - 1)
    return Answer({"centrality": centrality}, {"sources": called(graph.names, sources)}, iterations=sources.size)
