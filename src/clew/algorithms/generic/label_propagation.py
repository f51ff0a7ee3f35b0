"""Label propagation: how often a vertex's neighbours have each label is a product of two matrices."""

from __future__ import annotations

import numpy as np

from clew.algorithms.generic.steps import total
from clew.algorithms.generic.waist import compact, elementwise, reduce_segments, spgemm
from clew.dtypes import Array
from clew.graph import Graph
from clew.layouts import coo
from clew.operators import functions, monoids, semirings
from clew.result import Result, Trace


def label_propagation(graph: Graph, *, max_iterations: int = 10, device: str = "auto") -> Result:
    """The most frequent label among the neighbours, the smallest of several; see ``clew.label_propagation``."""
    n = graph.num_vertices
    links = _both_ways(graph)
    ids: Array = np.arange(n, dtype=graph.indices.dtype)
    linked = compact(
        elementwise(lambda a, b: a > b, reduce_segments(links, device=device), 0, device=device), device=device
    )
    label = ids
    changes: list[int] = []
    while len(changes) < max_iterations and (not changes or changes[-1]):
        # C = A P, with an entry P[u, label of u] in every row: C[v, l] is how many neighbours of v have label l.
        counts = coo(spgemm(links, Graph.from_edges(ids, label, num_vertices=n), semirings.plus_pair, device=device))
        assert counts.weights is not None
        # The most frequent, then the smallest, as one number: count · n + (n - 1 - label).
        scaled = elementwise(functions.times, counts.weights, n, device=device)
        votes = elementwise(lambda scaled, label: scaled - label, scaled, counts.columns, device=device)
        segments = np.searchsorted(counts.rows, np.arange(n + 1))
        best = reduce_segments((votes, segments), monoids.max, device=device)[linked]
        after = label.copy()
        after[linked] = elementwise(lambda best, n: (n - best % n) % n, best, n, device=device)
        changed = elementwise(lambda a, b: a != b, after, label, device=device)
        changes.append(int(total(changed.astype(np.int64), device)))
        label = after
    return Result(
        "label_propagation",
        {"label": label},
        names=graph.names,
        facts={"count": np.unique(label).size},
        iterations=len(changes),
        converged=bool(changes) and changes[-1] == 0,
        trace=Trace({"changed": np.array(changes, dtype=np.int64)}),
    )


def _both_ways(graph: Graph) -> Graph:
    """Every edge of a directed graph in both directions, a loop twice; without weights."""
    if not graph.directed:
        return graph.with_weights(None)
    source, target, _ = graph.edges()
    ends = np.concatenate([source, target]), np.concatenate([target, source])
    return Graph.from_edges(*ends, num_vertices=graph.num_vertices)
