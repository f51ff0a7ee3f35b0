"""Label propagation: how often a vertex's neighbours have each label is a product of two matrices."""

from __future__ import annotations

import numpy as np

from clew.algorithms.registry import Answer
from clew.algorithms.waist import Waist
from clew.dtypes import Array
from clew.graph import Graph
from clew.operators import functions, monoids


def label_propagation(waist: Waist, graph: Graph, max_iterations: int) -> Answer:
    """The most frequent label among the neighbours, the smallest of several; see ``clew.label_propagation``."""
    n, ids = graph.num_vertices, waist.ids(graph)
    links = waist.both_directions(graph)
    linked = waist.compact(waist.elementwise(lambda a, b: a > b, waist.reduce_segments(links), 0))
    label: Array = ids
    changes: list[int] = []
    while len(changes) < max_iterations and (not changes or changes[-1]):
        label, changes = waist.checkpoint(len(changes), label, changes)
        places, labels, counts = waist.neighbor_counts(links, label)
        # The most frequent, then the smallest, as one number: count · n + (n - 1 - label).
        scaled = waist.elementwise(functions.times, counts, n)
        votes = waist.elementwise(lambda scaled, label: scaled - label, scaled, labels)
        segments = np.searchsorted(places, np.arange(ids.size + 1))
        best = waist.reduce_segments((votes, segments), monoids.max)[linked]
        after = label.copy()
        after[linked] = waist.elementwise(lambda best, n: (n - best % n) % n, best, n)
        changed = waist.elementwise(lambda a, b: a != b, after, label)
        changes.append(int(waist.total(changed.astype(np.int64))))
        label = after
    return Answer(
        {"label": label},
        {"count": int(waist.total((waist.tally(graph, label) > 0).astype(np.int64)))},
        iterations=len(changes),
        converged=bool(changes) and changes[-1] == 0,
        trace={"changed": np.array(changes, dtype=np.int64)},
    )
