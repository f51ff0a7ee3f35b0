"""Checker of label propagation: the whole of it once more, by sorting votes."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from clew.algorithms.checking import arcs, named, require
from clew.graph import Graph
from clew.result import Result

Ids = npt.NDArray[np.int64]


@named
def label_propagation(graph: Graph, result: Result) -> None:
    """Repeat all rounds and compare the labels, and whether the last round changed any."""
    source, target = arcs(graph)
    if graph.directed:
        source, target = np.concatenate([source, target]), np.concatenate([target, source])
    before = labels = np.arange(graph.num_vertices, dtype=np.int64)
    for _ in range(result.iterations):
        before, labels = labels, _after_a_round(labels, source, target)
    require(result.label.size == labels.size, "there is an entry for every vertex")
    require(result.label == labels, "a label is what most neighbours had, the smallest of several")
    settled = result.iterations > 0 and bool(np.array_equal(before, labels))
    require(result.converged == settled, "it has converged exactly if the last round changed nothing")
    require(result.facts.get("count") == np.unique(labels).size, "the different labels are counted")


def _after_a_round(labels: Ids, source: Ids, target: Ids) -> Ids:
    """Every source's most frequent label among its targets."""
    votes, number = np.unique(source * labels.size + labels[target], return_counts=True)
    voter, label = votes // max(labels.size, 1), votes % max(labels.size, 1)
    best_last = np.lexsort((-label, number, voter))
    after = labels.copy()
    after[voter[best_last]] = label[best_last]  # of several assignments to one place, the last one stays
    return after
