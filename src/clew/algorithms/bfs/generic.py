"""Breadth-first search over sparse vectors."""

from __future__ import annotations

import numpy as np

from clew.algorithms.registry import Answer, Waist
from clew.dtypes import Array
from clew.graph import Graph
from clew.operators import semirings


def bfs(waist: Waist, graph: Graph, source: int) -> Answer:
    """Depths, and parents that are the smallest possible; see ``clew.bfs``."""
    depth = np.full(graph.num_vertices, -1, dtype=np.int32)
    parent = np.full(graph.num_vertices, -1, dtype=graph.indices.dtype)
    reached = np.zeros(graph.num_vertices, dtype=np.bool_)
    frontier: Array = np.array([source], dtype=graph.indices.dtype)
    depth[source], parent[source], reached[source] = 0, source, True
    level = 0
    while frontier.size:
        level += 1
        # Everyone in the frontier offers itself as a parent; of several, the smallest is taken.
        frontier, parents = waist.spmspv(
            graph, (frontier, frontier), semirings.min_second, mask=reached, complement=True
        )
        depth[frontier], parent[frontier], reached[frontier] = level, parents, True
    facts = {"num_reached": int(reached.sum())}
    return Answer({"depth": depth, "parent": parent}, facts, unreached=-1, iterations=level)
