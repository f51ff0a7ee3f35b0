"""Label propagation: how often a vertex's neighbours have each label is a product of two matrices."""

from __future__ import annotations

import numpy as np

from clew.algorithms.registry import Answer, Waist
from clew.dtypes import Array
from clew.graph import Graph
from clew.layouts import coo
from clew.operators import functions, monoids, semirings


def label_propagation(waist: Waist, graph: Graph, max_iterations: int) -> Answer:
    """The most frequent label among the neighbours, the smallest of several; see ``clew.label_propagation``."""
    n = graph.num_vertices
    links = _both_ways(graph)
    ids: Array = np.arange(n, dtype=graph.indices.dtype)
    linked = waist.compact(waist.elementwise(lambda a, b: a > b, waist.reduce_segments(links), 0))
    label = ids
    changes: list[int] = []
    while len(changes) < max_iterations and (not changes or changes[-1]):
        # C = A P, with an entry P[u, label of u] in every row: C[v, l] is how many neighbours of v have label l.
        counts = coo(waist.spgemm(links, Graph.from_edges(ids, label, num_vertices=n), semirings.plus_pair))
        assert counts.weights is not None
        # The most frequent, then the smallest, as one number: count · n + (n - 1 - label).
        scaled = waist.elementwise(functions.times, counts.weights, n)
        votes = waist.elementwise(lambda scaled, label: scaled - label, scaled, counts.columns)
        segments = np.searchsorted(counts.rows, np.arange(n + 1))
        best = waist.reduce_segments((votes, segments), monoids.max)[linked]
        after = label.copy()
        after[linked] = waist.elementwise(lambda best, n: (n - best % n) % n, best, n)
        changed = waist.elementwise(lambda a, b: a != b, after, label)
        changes.append(int(waist.total(changed.astype(np.int64))))
        label = after
    return Answer(
        {"label": label},
        {"count": np.unique(label).size},
        iterations=len(changes),
        converged=bool(changes) and changes[-1] == 0,
        trace={"changed": np.array(changes, dtype=np.int64)},
    )


def _both_ways(graph: Graph) -> Graph:
    """Every edge of a directed graph in both directions, a loop twice; without weights."""
    if not graph.directed:
        return graph.with_weights(None)
    source, target, _ = graph.edges()
    ends = np.concatenate([source, target]), np.concatenate([target, source])
    return Graph.from_edges(*ends, num_vertices=graph.num_vertices)
