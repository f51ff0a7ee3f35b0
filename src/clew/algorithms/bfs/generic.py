"""Breadth-first search over sparse vectors."""

from __future__ import annotations

import numpy as np

from clew.algorithms.registry import Answer
from clew.algorithms.waist import Waist
from clew.dtypes import Array
from clew.graph import Graph
from clew.operators import semirings


def bfs(waist: Waist, graph: Graph, source: int) -> Answer:
    """Depths, and parents that are the smallest possible; see ``clew.bfs``."""
    ids = waist.ids(graph)
    depth = np.full(ids.size, -1, dtype=np.int32)
    parent: Array = np.full_like(ids, -1)
    frontier: Array = np.flatnonzero(ids == source)
    depth[frontier], parent[frontier] = 0, source
    reached = depth == 0
    level = 0
    while waist.any(frontier.size):
        level += 1
        # Every vertex in the frontier offers itself as a parent; of several, the smallest is taken.
        frontier, parents = waist.spmspv(
            graph, (frontier, ids[frontier]), semirings.min_second, mask=reached, complement=True
        )
        depth[frontier], parent[frontier], reached[frontier] = level, parents, True
    facts = {"num_reached": int(waist.total(reached.astype(np.int64)))}
    return Answer({"depth": depth, "parent": parent}, facts, unreached=-1, iterations=level)
