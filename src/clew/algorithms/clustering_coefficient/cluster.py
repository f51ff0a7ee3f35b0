"""Clustering coefficients on a cluster: triangles whose edges count their directions."""

from __future__ import annotations

import numpy as np

from clew.algorithms.registry import Answer
from clew.algorithms.triangles.cluster import simple, weights_opposite
from clew.engines.cluster.share import Share, build_share, edge_ends
from clew.errors import GraphError


def clustering_coefficient(share: Share, means: bool, weighted: bool) -> Answer:  # noqa: ARG001
    """Links among neighbours over the possible ones; see ``clew.clustering_coefficient``."""
    if means:
        raise GraphError(
            "clustering coefficients with weights, or of directed triangles, do not run on a cluster yet; "
            "use a graph in one process."
        )
    near = _with_directions(share) if share.directed else simple(share)
    links = weights_opposite(near) * (1 if share.directed else 2)
    degrees = near.own_degrees()
    possible = degrees.astype(np.float64) * (degrees - 1)
    coefficient = np.divide(links, possible, out=np.zeros(links.size), where=possible > 0)
    sums = share.member.all_reduce(np.array([coefficient.sum(), links.sum(), possible.sum()]), np.add)
    average = float(sums[0]) / share.num_vertices if share.num_vertices else 0.0
    transitivity = float(sums[1] / sums[2]) if sums[2] else 0.0
    return Answer({"coefficient": coefficient}, {"average": average, "transitivity": transitivity})


def _with_directions(share: Share) -> Share:
    """The simple undirected graph; the weight of an edge is the number of directions that it has."""
    member, partition = share.member, share.partition
    once = build_share(member, *edge_ends(share), None, partition, duplicates="drop", loops="drop")
    ends = edge_ends(once)
    ones = np.ones(ends[0].size, np.uint8)
    return build_share(member, *ends, ones, partition, directed=False, symmetrize=True, duplicates="sum")
