"""What the checkers of communities share."""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from clew.algorithms.checking import require
from clew.dtypes import Array
from clew.graph import Graph
from clew.result import Result

TOLERANCE = 1e-9


def check_communities(graph: Graph, result: Result, resolution: float) -> None:
    """Check the numbers and their order, the modularity, and that no merge of two communities raises it."""
    n, community = graph.num_vertices, np.asarray(result.community)
    require(community.size == n, "there is an entry for every vertex")
    sizes = np.bincount(community, minlength=1)
    require(bool((community >= 0).all()) and (n == 0 or bool(sizes.all())), "communities have the numbers 0, 1, …")
    require(result.count == (sizes.size if n else 0), "the communities are counted")
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
    shape = (graph.num_vertices, graph.num_vertices)
    links = coo_array((np.ones(int(inner.sum()), np.int8), (source[inner], target[inner])), shape=shape)
    pieces = connected_components(links, directed=False)[0] if graph.num_vertices else 0
    require(pieces == np.unique(community).size, "every community is connected")


def _both_ends(graph: Graph) -> tuple[Array, Array, Array]:
    """Every edge in both directions, with float weights."""
    source, target, weights = graph.edges()
    weight = np.ones(source.size) if weights is None else weights.astype(np.float64)
    return np.concatenate([source, target]), np.concatenate([target, source]), np.concatenate([weight, weight])
