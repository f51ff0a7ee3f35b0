"""What the checkers of communities share."""

from __future__ import annotations

import numpy as np

from clew.algorithms.checking import require
from clew.algorithms.connected_components.check import smallest_reachable
from clew.dtypes import Array
from clew.graph import Graph
from clew.result import Result

TOLERANCE = 1e-9


def check_communities(graph: Graph, result: Result, resolution: float) -> None:
    """Check the numbers and their order, the modularity, and that no merge of two communities raises it."""
    n, community = graph.num_vertices, np.asarray(result.community)
    require(community.size == n, "there is an entry for every vertex")
    require((community >= 0) & (community < result.count), "a community is a number below the count")
    sizes = np.bincount(community, minlength=result.count)
    require(bool(sizes.all()), "every community has a vertex")
    require(bool((np.diff(sizes) <= 0).all()), "larger communities come first")
    source, target, weight = _both_ends(graph)
    total = weight.sum()
    if total == 0:
        require(np.isnan(result.modularity), "the modularity of no edges is NaN")
        return
    strong = np.bincount(community[source], weight, sizes.size) / total
    inside = weight[community[source] == community[target]].sum() / total
    quality = inside - resolution * (strong**2).sum()
    require(abs(quality - result.modularity) <= TOLERANCE, "the modularity is that of the communities")
    alone = np.bincount(source, weight, n) / total
    loops = weight[source == target].sum() / total
    require(quality >= loops - resolution * (alone**2).sum() - TOLERANCE, "they are no worse than every vertex alone")
    for level in result.facts.get("hierarchy", ())[:-1]:
        joined = np.unique(np.stack([level, community]), axis=1)
        require(joined.shape[1] == np.unique(level).size, "every level divides the communities of the next")


def require_connected(graph: Graph, community: Array) -> None:
    """Check that every community is connected by edges inside it."""
    source, target, _ = _both_ends(graph)
    inner = community[source] == community[target]
    piece = smallest_reachable(graph.num_vertices, source[inner], target[inner])
    first = np.full(piece.size, piece.size)
    np.minimum.at(first, community, np.arange(piece.size))
    require(piece == first[community], "every community is connected")


def _both_ends(graph: Graph) -> tuple[Array, Array, Array]:
    """Every edge in both directions, with float weights."""
    source, target, weights = graph.edges()
    weight = np.ones(source.size) if weights is None else weights.astype(np.float64)
    return np.concatenate([source, target]), np.concatenate([target, source]), np.concatenate([weight, weight])
