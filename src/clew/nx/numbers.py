"""Distances as NetworkX adds them up: from the integer 0, so that they are integers until a float is added."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.dtypes import Array
from clew.nx.graph import ClewGraph, Node
from clew.nx.path_search import Tree
from clew.nx.values import EdgeValues

# ruff: noqa: N803, NetworkX calls its graphs G


def distances(G: ClewGraph, tree: Tree, weight: str | None, vertices: Array, *, backward: bool = False) -> list[Any]:
    """The distances of some vertices that were reached; ``backward`` where the search went against the edges."""
    found = tree.distance[vertices]
    values = G.known(weight)
    if values is None or values.is_float is False:
        return _plain(found)
    if values.is_float is True:
        is_float = tree.parent[vertices] != vertices  # a source has the integer 0
    else:
        is_float = _has_a_float(G, tree, values, backward)[vertices]
    return [float(value) if sums else int(value) for value, sums in zip(found.tolist(), is_float, strict=True)]


def lengths(G: ClewGraph, tree: Tree, weight: str | None, *, backward: bool = False) -> dict[Node, Any]:
    """The distance of every node that was reached."""
    return dict(zip(G.named(tree.order), distances(G, tree, weight, tree.order, backward=backward), strict=True))


def length(G: ClewGraph, tree: Tree, weight: str | None, vertex: int) -> Any:
    """The distance of one vertex that was reached."""
    return distances(G, tree, weight, np.array([vertex]))[0]


def of_path(G: ClewGraph, weight: str | None, distance: Any, way: list[int]) -> Any:
    """The length of one path."""
    values = G.known(weight)
    if values is None or isinstance(values.is_float, bool):
        return float(distance) if values is not None and values.is_float else int(distance)
    tree = Tree(np.array(way), np.zeros(len(G)), np.full(len(G), -1))
    tree.parent[way] = [way[0], *way[:-1]]
    return float(distance) if _has_a_float(G, tree, values, backward=False)[way[-1]] else int(distance)


def _plain(found: Array) -> list[Any]:
    plain: list[Any] = found.tolist()
    return plain


def _has_a_float(G: ClewGraph, tree: Tree, values: EdgeValues, backward: bool) -> Array:
    """For every vertex that was reached, whether there is a float on the path to it."""
    sources, targets = (G.indices, G.sources) if backward else (G.sources, G.indices)
    on_tree = np.flatnonzero((tree.parent[targets] == sources) & (sources != targets))
    # Of parallel edges NetworkX takes the first of the smallest.
    order = on_tree[np.lexsort((values.array[on_tree], targets[on_tree]))]
    reached, first = np.unique(targets[order], return_index=True)
    found = np.zeros(len(G), dtype=np.bool_)
    found[reached] = np.asarray(values.is_float)[order[first]]
    above = np.where(tree.parent < 0, np.arange(len(G)), tree.parent)
    while (above[above] != above).any():  # twice as far up the tree in every round
        found, above = found | found[above], above[above]
    return found | found[above]
