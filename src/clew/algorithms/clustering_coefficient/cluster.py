"""Clustering coefficients on a cluster: triangles whose edges count their directions, or have weights.

The owner of an edge's smaller end fetches the neighbours of the larger one, and multiplies the weights of triangles.
"""

from __future__ import annotations

import numpy as np

from clew import threads
from clew.algorithms.cluster import ClusterWaist
from clew.algorithms.clustering_coefficient import kernels_cluster as kernels
from clew.algorithms.registry import Answer
from clew.algorithms.triangles.cluster import simple, weights_opposite
from clew.dtypes import Array
from clew.engines.cluster.own_rows import Batches, own_edges, own_rows
from clew.engines.cluster.share import Share, build_share, edge_ends
from clew.operators import monoids


def clustering_coefficient(share: Share, means: bool, weighted: bool) -> Answer:
    """Links among neighbours over the possible ones; see ``clew.clustering_coefficient``."""
    if means:
        roots, possible = _symmetric_roots(share, weighted=weighted)
        return _summary(share, _weights_of_triangles(roots), possible)
    near = _with_directions(share) if share.directed else simple(share)
    links = weights_opposite(near) * (1 if share.directed else 2)
    degrees = near.own_degrees()
    return _summary(share, links, degrees.astype(np.float64) * (degrees - 1))


def _summary(share: Share, links: Array, possible: Array) -> Answer:
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


def _symmetric_roots(share: Share, *, weighted: bool) -> tuple[Share, Array]:
    """As ``means.symmetric_roots``: a graph of cube roots, and the triangles that are possible at own vertices."""
    member, partition, (source, target) = share.member, share.partition, edge_ends(share)
    given = np.ones(source.size) if share.weights is None or not weighted else share.weights.astype(np.float64)
    options = {"directed": share.directed, "duplicates": "sum" if weighted else "drop", "loops": "drop"}
    links = build_share(member, source, target, given, partition, **options)  # type: ignore[arg-type]
    sums = links.block.weights
    assert sums is not None
    here = np.array([given[source == target].max(initial=0.0), sums.max(initial=0.0)])
    links = links.with_weights(np.cbrt(sums / (member.all_reduce(here, np.maximum).max() or 1.0)))
    degree = links.own_degrees()
    if not share.directed:
        return links, degree.astype(np.float64) * (degree - 1)
    options = {"directed": False, "symmetrize": True, "duplicates": "sum"}
    near = build_share(member, *edge_ends(links), links.block.weights, partition, **options)  # type: ignore[arg-type]
    degree = degree + links.own_degrees(transpose=True)
    possible = degree.astype(np.float64) * (degree - 1)
    return near, 2 * (possible - 2 * (degree - near.own_degrees()))


def _weights_of_triangles(roots: Share) -> Array:
    """For each of this member's vertices, the products of the weights of all triangles, each counted twice."""
    member, rows, edges = roots.member, own_rows(roots, weighted=True), own_edges(roots, weighted=True)
    assert rows.weights is not None
    assert edges.weights is not None
    total, batches, done = np.zeros(edges.place.size), Batches(roots, rows, edges.target), 0
    while done < len(batches):
        done, total = member.checkpoint(done, done, total)
        some, slots, _, there = batches.fetch(done, rows.weights)
        found = np.empty(some.size)
        given = (*rows.unsigned(), rows.weights, there, edges.place[some], slots, found)
        threads.in_pieces(kernels.products_of_pairs, some.size, *given)
        total[some] = found
        done += 1
    total *= edges.weights
    here = np.bincount(edges.place, total, roots.ids.size)
    return here + ClusterWaist(roots, "cpu").gather_by(roots, edges.target, total, monoids.plus)
