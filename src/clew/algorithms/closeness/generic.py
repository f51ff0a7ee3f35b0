"""Closeness, from searches on any engine."""

from __future__ import annotations

import numpy as np

from clew.algorithms.distances import sums_of
from clew.algorithms.registry import Answer
from clew.algorithms.waist import Waist
from clew.dtypes import Array
from clew.graph import Graph
from clew.names import called


def closeness(waist: Waist, graph: Graph, sources: Array, weighted: bool) -> Answer:
    """The share of sources that reach a vertex, divided by their mean distance; see ``clew.closeness``."""
    reached, total, _, counted = sums_of(waist, graph, sources, weighted=weighted)
    share = np.divide(reached, counted, out=np.full(reached.size, np.nan), where=counted > 0)
    if graph.num_vertices == 1:
        share[:] = 0
    near = np.divide(reached, total, out=np.zeros(reached.size), where=total > 0)
    return Answer({"centrality": share * near}, {"sources": called(graph.names, sources)}, iterations=sources.size)
