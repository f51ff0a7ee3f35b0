"""Truss numbers: edges of too few triangles are removed, and the triangles of the others are counted again."""

from __future__ import annotations

import numpy as np

from clew.algorithms.k_truss import of_pairs
from clew.algorithms.registry import Answer
from clew.algorithms.waist import Waist
from clew.graph import Graph
from clew.layouts import coo
from clew.operators import semirings


def k_truss(waist: Waist, graph: Graph) -> Answer:
    """The largest truss of every edge; see ``clew.k_truss``."""
    n, links = graph.num_vertices, waist.simple(graph, directed=False)
    arcs = coo(links)
    keys = arcs.rows.astype(np.int64) * n + arcs.columns
    truss, left, k = np.zeros(keys.size, dtype=np.int32), np.arange(keys.size), 2
    while left.size:
        links = Graph.from_edges(keys[left] // n, keys[left] % n, num_vertices=n)
        # C = A A where A has an entry: the neighbours that the ends of an edge share.
        shared = coo(waist.spgemm(links, links, semirings.plus_pair, mask=links))
        support = np.zeros(left.size, dtype=np.int64)
        assert shared.weights is not None
        support[np.searchsorted(keys[left], shared.rows.astype(np.int64) * n + shared.columns)] = shared.weights
        k = max(k, int(support.min()) + 2)
        falls = support + 2 <= k
        truss[left[falls]] = k
        left = left[~falls]
    once = keys // max(n, 1) < keys % max(n, 1)
    return of_pairs(graph, keys[once], truss[once])
