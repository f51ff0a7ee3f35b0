"""Minimum cut on a cluster, from a maximum flow."""

from __future__ import annotations

import numpy as np

from clew.algorithms.cluster import ClusterWaist
from clew.algorithms.flows.cluster import Flow
from clew.algorithms.registry import Answer
from clew.engines.cluster.share import Share


def minimum_cut(share: Share, source: int, sink: int) -> Answer:
    """The edges of least weight that separate two vertices; see ``clew.minimum_cut``.

    The first member alone has the cut and the flow.
    """
    found, member = Flow(share, source, sink), share.member
    found.run()
    away, _ = found.distances(found.sink)
    side, edges = away < 0, found.edges
    there = ClusterWaist(share, "cpu").take(share, side, edges.target)
    here = side[edges.place]
    cut = here & ~there if share.directed else here != there
    facts = {"value": found.value()}
    numbers, cuts, flows = (member.at_first(each) for each in (edges.rows.numbers, cut, found.flow()))
    if member.rank == 0:
        order = np.argsort(numbers)
        facts |= {"cut": cuts[order], "flow": flows[order]}
    return Answer({"side": side}, facts, iterations=max(1, found.rounds))
