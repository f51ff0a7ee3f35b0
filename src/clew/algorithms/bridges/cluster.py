"""Bridges on a cluster: edges to parents that no edge passes by."""

from __future__ import annotations

import numpy as np

from clew.algorithms.biconnectivity.cluster import forest_of
from clew.algorithms.registry import Answer
from clew.engines.cluster.share import Share


def bridges(share: Share) -> Answer:
    """The edges whose removal disconnects their ends; see ``clew.bridges``."""
    forest = forest_of(share)
    edges, number = forest.edges, np.where(forest.bridges(), forest.number, -1)
    bridge = (number[edges.place] == edges.rows.numbers) | (forest.targets.take(number) == edges.rows.numbers)
    count = int(share.member.all_reduce(np.count_nonzero(bridge), np.add))
    return Answer({"bridge": bridge}, {"count": count}, pairs=(edges.source, edges.target), rows=edges.rows)
