"""Blocks on a cluster: Tarjan and Vishkin's relation of tree edges, over a breadth-first forest.

1. All members search from the smallest vertex of every component at once, level by level.
2. Up the levels, vertices send the sizes of their subtrees to their parents. Down again, every subtree becomes a range
   of numbers.
3. Up once more, vertices learn the first and the last number that an edge outside the forest leads to from their
   subtree. A tree edge is a bridge if both are in the subtree.
4. Tree edges on a common cycle are joined. The components of a graph whose vertices are tree edges are the blocks.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clew.algorithms.cluster import ClusterWaist
from clew.algorithms.registry import run
from clew.dtypes import Array
from clew.engines.cluster.own_rows import OwnEdges, distinct, own_edges
from clew.engines.cluster.share import Share, build_share
from clew.operators import monoids, semirings

NONE = np.iinfo(np.int64).max
CHILD = np.dtype([("place", np.int64), ("size", np.int64)])


class Targets:
    """The distinct targets of this member's edges, whose values come from their owners."""

    def __init__(self, share: Share, edges: OwnEdges) -> None:
        self._member = share.member
        ids, self._slot = distinct(share.num_vertices, edges.target)
        self._owners = share.partition.place(ids)

    def take(self, values: Array) -> Array:
        """The values of the edges' targets; collective."""
        return self._member.fetch(*self._owners, values)[self._slot]


@dataclass
class Tree:
    """A breadth-first tree of every component: this member's vertices, with their parents and levels."""

    share: Share
    parent: Array  # -1 at roots
    levels: list[Array]  # the places of vertices by distance from the root
    owner: Array  # of the parent
    place: Array  # of the parent, in its owner's segment


@dataclass
class Forest:
    """What a member knows of its vertices and edges.

    ``number`` is that of the edge to the parent, -1 at roots. ``first`` numbers vertices so that every subtree is a
    range of ``size`` numbers. ``low`` and ``high`` are the first and the last number that edges outside the forest lead
    to from the subtree.
    """

    tree: Tree
    edges: OwnEdges
    targets: Targets
    number: Array
    first: Array
    size: Array
    low: Array
    high: Array

    def bridges(self) -> Array:
        """Which of this member's vertices have a bridge to the parent."""
        inside = (self.low >= self.first) & (self.high < self.first + self.size)
        found: Array = inside & (self.number >= 0)
        return found

    def labels(self) -> Array:
        """The block of the edge from every vertex to its parent, as one of the vertices with such an edge; collective.

        The label of a root is the root.
        """
        share, edges, tree = self.tree.share, self.edges, self.tree
        here, there = self.first[edges.place], self.targets.take(self.first)
        sizes = np.where(here < there, self.size[edges.place], self.targets.take(self.size))
        apart = np.minimum(here, there) + sizes <= np.maximum(here, there)  # neither end is above the other
        inner = np.flatnonzero(self.number >= 0)
        first, size, number = (
            share.member.fetch(tree.owner[inner], tree.place[inner], each)
            for each in (self.first, self.size, self.number)
        )
        leaves = (number >= 0) & ((self.low[inner] < first) | (self.high[inner] >= first + size))
        one = np.append(edges.source[apart], share.ids[inner[leaves]])
        other = np.append(edges.target[apart], tree.parent[inner[leaves]])
        joined = build_share(share.member, one, other, None, share.partition)
        label: Array = run("connected_components", joined, "cpu").label
        return label

    def of_edges(self, label: Array) -> Array:
        """The labels of this member's edges, those of the end that is later in the forest; collective."""
        later = self.first[self.edges.place] > self.targets.take(self.first)
        found: Array = np.where(later, label[self.edges.place], self.targets.take(label))
        return found


def forest_of(share: Share) -> Forest:
    """A breadth-first forest of a graph without directions; collective."""
    waist, edges = ClusterWaist(share, "cpu"), own_edges(share)
    tree, targets = _searched(waist, share), Targets(share, edges)
    number = _tree_edges(waist, tree, edges, targets)
    first, size = _ranges(tree)
    return Forest(tree, edges, targets, number, first, size, *_reached(waist, tree, edges, targets, number, first))


def _searched(waist: ClusterWaist, share: Share) -> Tree:
    graph, ids = waist.both_directions(share), share.ids
    is_root = run("connected_components", share, "cpu").label == ids
    depth, parent = np.where(is_root, 0, -1), np.full_like(ids, -1)
    frontier, level = np.flatnonzero(is_root), 0
    while waist.any(frontier.size):
        level, depth, parent, frontier = waist.checkpoint(level, level, depth, parent, frontier)
        level += 1
        offers = (frontier, ids[frontier])
        frontier, parents = waist.spmspv(graph, offers, semirings.min_second, mask=depth >= 0, complement=True)
        depth[frontier], parent[frontier] = level, parents
    by_depth = np.argsort(depth, kind="stable")
    levels = np.split(by_depth, np.searchsorted(depth[by_depth], np.arange(1, level)))
    return Tree(share, parent, levels, *share.partition.place(np.maximum(parent, 0)))


def _tree_edges(waist: ClusterWaist, tree: Tree, edges: OwnEdges, targets: Targets) -> Array:
    """The number of the edge from every vertex to its parent; of parallel ones, the first."""
    up, down = tree.parent[edges.place] == edges.target, targets.take(tree.parent) == edges.source
    numbers = edges.rows.numbers
    number = waist.gather_by(tree.share, edges.target[down], numbers[down], monoids.min)
    np.minimum.at(number, edges.place[up], numbers[up])
    number[number == NONE] = -1
    return number


def _ranges(tree: Tree) -> tuple[Array, Array]:
    """Numbers by which every subtree is a range, and the sizes of the subtrees."""
    member, depth = tree.share.member, len(tree.levels)
    size, before = np.ones(tree.parent.size, np.int64), np.zeros(tree.parent.size, np.int64)

    def add(given: Array) -> Array:
        """Add to the sizes of parents; answers the sizes of the siblings before."""
        order = np.argsort(given["place"], kind="stable")
        starts: Array = np.cumsum(given["size"][order]) - given["size"][order]
        is_first = np.diff(given["place"][order], prepend=-1) != 0
        answers = np.empty_like(starts)
        answers[order] = starts - starts[np.flatnonzero(is_first)][np.cumsum(is_first) - 1]
        np.add.at(size, given["place"], given["size"])
        return answers

    done = 0
    while done < depth - 1:
        done, size, before = member.checkpoint(done, done, size, before)
        level = tree.levels[depth - 1 - done]
        given = np.empty(level.size, CHILD)
        given["place"], given["size"] = tree.place[level], size[level]
        before[level] = member.ask(tree.owner[level], given, add)
        done += 1
    roots = tree.levels[0]
    sizes = np.concatenate(member.all_gather("all", size[roots].sum(keepdims=True)))
    first = before
    first[roots] = sizes[: member.rank].sum() + np.cumsum(size[roots]) - size[roots]
    done = 1
    while done < depth:
        done, first = member.checkpoint(done - 1, done, first)
        level = tree.levels[done]
        first[level] += 1 + member.fetch(tree.owner[level], tree.place[level], first)
        done += 1
    return first, size


def _reached(
    waist: ClusterWaist, tree: Tree, edges: OwnEdges, targets: Targets, number: Array, first: Array
) -> tuple[Array, Array]:
    """The first and the last vertices that edges outside the forest lead to from every subtree."""
    share, numbers, depth = tree.share, edges.rows.numbers, len(tree.levels)
    outside = (number[edges.place] != numbers) & (targets.take(number) != numbers) & (edges.source != edges.target)
    place, target, there = edges.place[outside], edges.target[outside], targets.take(first)[outside]
    low = np.minimum(first, waist.gather_by(share, target, first[place], monoids.min))
    high = np.maximum(first, waist.gather_by(share, target, first[place], monoids.max))
    np.minimum.at(low, place, there)
    np.maximum.at(high, place, there)
    done = 0
    while done < depth - 1:
        done, low, high = share.member.checkpoint(done, done, low, high)
        level = tree.levels[depth - 1 - done]
        columns = [tree.place[level], low[level], high[level]]
        places, lows, highs = share.member.send_to_owners(tree.owner[level], columns)
        np.minimum.at(low, places, lows)
        np.maximum.at(high, places, highs)
        done += 1
    return low, high
