"""Spanning forests by Borůvka's rounds: every component takes its lightest edge to another one."""

from __future__ import annotations

import numpy as np

from clew.algorithms.minimum_spanning_forest import forest, sort_keys
from clew.algorithms.registry import Answer
from clew.algorithms.waist import Waist
from clew.graph import Graph
from clew.operators import monoids


def minimum_spanning_forest(waist: Waist, graph: Graph, maximum: bool) -> Answer:
    """The edges of least or largest total weight; see ``clew.minimum_spanning_forest``."""
    source, target, weights = graph.edges()
    edge = np.arange(source.size)
    if weights is not None:
        edge = np.argsort(sort_keys(weights, maximum=maximum), kind="stable")
    rank = np.arange(edge.size)  # all different, so that no cycle of equal edges is taken
    first, second = source[edge].astype(np.int64), target[edge].astype(np.int64)
    label, found, rounds = np.arange(graph.num_vertices), [np.empty(0, dtype=np.int64)], 0
    while True:
        outer = np.flatnonzero(label[first] != label[second])
        rank, first, second = rank[outer], first[outer], second[outer]
        if not rank.size:
            break
        rounds += 1
        ends = np.concatenate([label[first], label[second]])
        lightest = waist.gather_by(graph, ends, np.tile(rank, 2), monoids.min)
        roots = np.unique(ends)
        place = np.searchsorted(rank, lightest[roots])
        found.append(np.unique(rank[place]))
        # Components point to the ones they join. Of two that point at each other, the smaller is the root.
        above = np.arange(label.size)
        above[roots] = label[first[place]] + label[second[place]] - roots
        above[(above[above] == np.arange(label.size)) & (above > np.arange(label.size))] = -1
        above = np.where(above < 0, np.arange(label.size), above)
        while not np.array_equal(above, above[above]):
            above = above[above]
        label = above[label]
    return forest(graph, weights, edge[np.concatenate(found)], rounds)
