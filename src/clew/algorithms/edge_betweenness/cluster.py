"""Edge betweenness on a cluster: every member adds up the scores of its block, whose ends it learns along the grid.

At the end, scores go to the owners of vertices, as edges do, and parallel edges share theirs.
"""

from __future__ import annotations

import numpy as np

from clew import threads
from clew.adjacency import Adjacency
from clew.algorithms.betweenness import with_lengths
from clew.algorithms.betweenness.generic import paths_and_shares
from clew.algorithms.cluster import ClusterWaist
from clew.algorithms.edge_betweenness import kernels_cluster as kernels
from clew.algorithms.registry import Answer
from clew.build.rows import blocks_of
from clew.dtypes import Array
from clew.engines.cluster import products
from clew.engines.cluster.own_rows import OwnRows, own_edges, own_rows, places_in
from clew.engines.cluster.share import Share, build_share, edge_ends

COPIES, NUMBERS_EDGES = (OwnRows(), OwnRows(weights=8)), True


def edge_betweenness(share: Share, sources: Array, scale: float, weighted: bool) -> Answer:
    """The dependencies on every edge, one source after the other; see ``clew.edge_betweenness``."""
    waist, lengths = ClusterWaist(share, "cpu"), with_lengths(share, weighted=weighted)
    options = {"directed": share.directed, "duplicates": "min", "loops": "drop"}
    ends, weights = edge_ends(lengths), lengths.block.weights  # type: ignore[arg-type, attr-defined]
    links = build_share(share.member, *ends, weights, share.partition, **options)  # type: ignore[arg-type]
    block, done = links.block, 0
    score, bounds = np.zeros(block.num_arcs), blocks_of(block)
    while done < sources.size:
        if not weighted:  # sssp saves its own state
            done, score = share.member.checkpoint(done, done, score)
        found = paths_and_shares(waist, links, int(sources[done]), weighted=weighted)
        before, behind = (tuple(products.expand(links, x, axis) for x in found) for axis in ("row", "column"))
        given = (block.unsigned(), block.weights, before, behind, not share.directed, score)
        threads.each(kernels.add_paths, bounds.size - 1, bounds, *given)
        done += 1
    return _summary(share, links, score * scale, sources, weighted=weighted)


def _summary(share: Share, links: Share, score: Array, sources: Array, *, weighted: bool) -> Answer:
    """The answer, from the scores of the block of a graph that has the shortest of parallel edges alone."""
    edges = own_edges(share, weighted=weighted)
    totals = own_rows(links.with_weights(score), weighted=True)
    assert totals.weights is not None
    place = places_in(totals, edges.place, edges.target)
    counts = edges.source != edges.target
    place[~counts] = 0
    if edges.weights is not None:
        counts &= edges.weights.astype(np.float64) == _taken(own_rows(links, weighted=True), place)
    parallel = np.bincount(place[counts], minlength=1)
    total = np.zeros(place.size)
    total[counts] = totals.weights[place[counts]] / parallel[place[counts]]
    facts = {"sources": sources}
    return Answer(
        {"centrality": total}, facts, iterations=sources.size, pairs=(edges.source, edges.target), rows=edges.rows
    )


def _taken(rows: Adjacency, place: Array) -> Array:
    """The weights at some places; of no edges, none."""
    assert rows.weights is not None
    return rows.weights[place] if rows.num_arcs else np.full(place.size, np.nan)
