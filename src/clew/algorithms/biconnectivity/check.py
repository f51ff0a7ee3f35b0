"""Blocks by another method, for the checkers: Tarjan and Vishkin's relation of edges, over a breadth-first tree."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from clew.algorithms.checking import ranges
from clew.algorithms.connected_components.check import smallest_reachable
from clew.graph import Graph

Ids = npt.NDArray[np.int64]


class _Tree(NamedTuple):
    parent: Ids
    edge: Ids  # to the parent; -1 at roots
    levels: list[Ids]


def blocks(graph: Graph) -> Ids:
    """A number for the block of every edge; -1 for loops."""
    n, (source, target) = graph.num_vertices, (ends.astype(np.int64) for ends in graph.edges()[:2])
    tree = _breadth_first(n, source, target)
    first, size = _preorder(n, tree)
    others = np.ones(source.size, dtype=np.bool_)
    others[tree.edge[tree.edge >= 0]] = False
    others[source == target] = False
    early, late = source[others], target[others]
    swap = first[early] > first[late]
    early, late = np.where(swap, late, early), np.where(swap, early, late)
    # The first and last vertices that an edge outside the tree leads to from a subtree.
    low, high = first.copy(), first.copy()
    for reach, take in ((low, np.minimum), (high, np.maximum)):
        take.at(reach, early, first[late])
        take.at(reach, late, first[early])
        for level in reversed(tree.levels[1:]):
            take.at(reach, tree.parent[level], reach[level])
    # A vertex stands for its tree edge. Edges are in one block where a cycle runs through both.
    apart = first[early] + size[early] <= first[late]
    inner = np.flatnonzero((tree.edge >= 0) & (tree.edge[tree.parent] >= 0))
    above = tree.parent[inner]
    leaves = (low[inner] < first[above]) | (high[inner] >= first[above] + size[above])
    one, other = np.append(early[apart], inner[leaves]), np.append(late[apart], above[leaves])
    label = smallest_reachable(n, one, other)
    block = np.full(source.size, -1)
    block[others] = label[late]
    children = np.flatnonzero(tree.edge >= 0)
    block[tree.edge[children]] = label[children]
    return block


def _breadth_first(n: int, source: Ids, target: Ids) -> _Tree:
    """A tree in every component, level by level."""
    number = np.tile(np.arange(source.size), 2)
    tail, head = np.append(source, target), np.append(target, source)
    order = np.argsort(tail, kind="stable")
    head, number, offsets = head[order], number[order], np.searchsorted(tail[order], np.arange(n + 1))
    parent, edge = np.arange(n), np.full(n, -1)
    level = np.unique(smallest_reachable(n, source, target))
    seen = np.zeros(n, dtype=np.bool_)
    seen[level] = True
    levels = []
    while level.size:
        levels.append(level)
        places = ranges(offsets[level], offsets[level + 1])
        owner = np.repeat(level, offsets[level + 1] - offsets[level])
        new = ~seen[head[places]]
        level, first = np.unique(head[places][new], return_index=True)
        parent[level], edge[level] = owner[new][first], number[places][new][first]
        seen[level] = True
    return _Tree(parent, edge, levels)


def _preorder(n: int, tree: _Tree) -> tuple[Ids, Ids]:
    """Numbers by which every subtree is a range, and the sizes of the subtrees."""
    size, first = np.ones(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    for level in reversed(tree.levels[1:]):
        np.add.at(size, tree.parent[level], size[level])
    for depth, level in enumerate(tree.levels):
        by_parent = level[np.argsort(tree.parent[level], kind="stable")] if depth else level
        before = np.cumsum(size[by_parent]) - size[by_parent]
        if depth:
            above = tree.parent[by_parent]
            start = np.searchsorted(above, above)
            before += first[above] + 1 - before[start]
        first[by_parent] = before
    return first, size
