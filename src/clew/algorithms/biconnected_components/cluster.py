"""Biconnected components on a cluster: blocks, numbered by their first edges."""

from __future__ import annotations

import numpy as np

from clew.algorithms.biconnectivity.cluster import NONE, forest_of
from clew.algorithms.cluster import ClusterWaist
from clew.algorithms.registry import Answer
from clew.engines.cluster.own_rows import distinct
from clew.engines.cluster.share import Share
from clew.operators import monoids


def biconnected_components(share: Share) -> Answer:
    """Sets of edges that no vertex disconnects; see ``clew.biconnected_components``.

    The first member alone has the sizes.
    """
    member, waist, forest = share.member, ClusterWaist(share, "cpu"), forest_of(share)
    edges = forest.edges
    label, real = forest.of_edges(forest.labels()), edges.source != edges.target
    blocks, slot = distinct(share.num_vertices, label[real])
    numbers = np.full(blocks.size, NONE)
    np.minimum.at(numbers, slot, edges.rows.numbers[real])
    first = waist.gather_by(share, blocks, numbers, monoids.min)
    sizes = waist.gather_by(share, blocks, np.bincount(slot, minlength=blocks.size), monoids.plus)
    own = np.flatnonzero(sizes)
    rank = np.full(sizes.size, -1)
    rank[own] = member.ranks(first[own])
    component = np.full(label.size, -1)
    component[real] = waist.take(share, rank, blocks)[slot]
    count, largest = (
        member.all_reduce(np.int64(each), combine).item()
        for each, combine in ((own.size, np.add), (sizes.max(initial=0), np.maximum))
    )
    facts: dict[str, object] = {"count": count, "largest": largest}
    ranks, counts = (member.at_first(each[own]) for each in (rank, sizes))
    if member.rank == 0:
        facts["sizes"] = counts[np.argsort(ranks)]
    found = {"component": component}
    return Answer(found, facts, unreached=-1, pairs=(edges.source, edges.target), rows=edges.rows)
