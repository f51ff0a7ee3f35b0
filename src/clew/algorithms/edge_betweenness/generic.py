"""Edge betweenness from searches and products on any engine."""

from __future__ import annotations

import numpy as np

from clew.algorithms.betweenness import with_lengths
from clew.algorithms.betweenness.generic import on_shortest_paths, paths_and_shares
from clew.algorithms.edge_betweenness import summary
from clew.algorithms.registry import Answer
from clew.algorithms.waist import Waist
from clew.dtypes import Array
from clew.graph import Graph
from clew.layouts import coo


def edge_betweenness(waist: Waist, graph: Graph, sources: Array, scale: float, weighted: bool) -> Answer:
    """The dependencies on every edge, one source after the other; see ``clew.edge_betweenness``."""
    source, target, weights = with_lengths(graph, weighted=weighted).edges()
    links = Graph.from_edges(source, target, weights, graph.num_vertices, graph.directed, "min", "drop")
    arcs = coo(links)
    score = np.zeros(links.num_arcs)
    for start in sources.tolist():
        paths, shares, away = paths_and_shares(waist, links, start, weighted=weighted)
        used = on_shortest_paths(arcs.weights, away[arcs.rows], away[arcs.columns])
        score[used] += (paths[arcs.rows] * shares[arcs.columns])[used]
    return summary(graph, sources, links, score * scale, weighted=weighted)
