"""Articulation points on a cluster: vertices whose edges in a spanning forest are in several blocks."""

from __future__ import annotations

import numpy as np

from clew.algorithms.biconnectivity.cluster import forest_of
from clew.algorithms.cluster import ClusterWaist
from clew.algorithms.registry import Answer
from clew.engines.cluster.share import Share
from clew.operators import monoids


def articulation_points(share: Share) -> Answer:
    """The vertices whose removal disconnects others; see ``clew.articulation_points``."""
    waist, forest = ClusterWaist(share, "cpu"), forest_of(share)
    label, below = forest.labels(), forest.number >= 0
    # Every block has a tree of edges of the forest, so these name all blocks of a vertex.
    given = forest.tree.parent[below], label[below]
    least, most = (waist.gather_by(share, *given, monoid) for monoid in (monoids.min, monoids.max))
    least[below], most[below] = np.minimum(least, label)[below], np.maximum(most, label)[below]
    member = least < most
    return Answer({"member": member}, {"count": int(share.member.all_reduce(np.count_nonzero(member), np.add))})
