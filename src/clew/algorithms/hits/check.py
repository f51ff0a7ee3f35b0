"""Checker of hubs and authorities."""

from __future__ import annotations

import numpy as np

from clew.algorithms.checking import arcs, named, require
from clew.dtypes import Array
from clew.graph import Graph
from clew.result import Result


@named
def hits(graph: Graph, result: Result, *, tolerance: float = 1e-8) -> None:
    """Check hubs and authorities.

    1. There are scores for every vertex, and none is negative.
    2. They sum to 1 each, or are all 0 where there are no edges.
    3. Hubs are the authorities they point at, summed up and scaled.
    4. Hubs are an eigenvector: one more round changes them by less than twice the tolerance in all. Where the tolerance
       was not met, there is nothing to hold them to.
    """
    hub, authority = result.hub, result.authority
    sizes = (hub.size, authority.size)
    require(sizes == (graph.num_vertices, graph.num_vertices), "there is an entry for every vertex")
    require((hub >= 0) & (authority >= 0), "scores are numbers of 0 or more")
    total = float(graph.num_arcs > 0)
    slack = 1e-12
    require(abs(hub.sum() - total) <= slack and abs(authority.sum() - total) <= slack, f"scores sum to {total:.0f}")
    if not graph.num_arcs:
        return
    source, target = arcs(graph)

    def pointed_at(scores: Array) -> Array:
        found = np.bincount(source, scores[target], graph.num_vertices)
        return np.asarray(found / max(found.sum(), np.finfo(np.float64).tiny))

    require(np.abs(pointed_at(authority) - hub).sum() <= slack, "hubs are the sums of the authorities they point at")
    if result.converged:
        again = pointed_at(np.bincount(target, hub[source], graph.num_vertices))
        change = np.abs(again - hub).sum()
        require(change <= 2 * tolerance + slack, f"one more round changes little, but hubs changed by {change:.2g}")
