"""Breadth-first search over sparse vectors."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.algorithms.arguments import vertex_of
from clew.algorithms.generic.waist import spmspv
from clew.dtypes import Array
from clew.graph import Graph
from clew.operators import semirings
from clew.result import Result


def bfs(graph: Graph, source: Any = 0, *, device: str = "auto") -> Result:
    """Depths, and parents that are the smallest possible; see ``clew.bfs``."""
    start = vertex_of(graph, source)
    depth = np.full(graph.num_vertices, -1, dtype=np.int32)
    parent = np.full(graph.num_vertices, -1, dtype=graph.indices.dtype)
    reached = np.zeros(graph.num_vertices, dtype=np.bool_)
    frontier: Array = np.array([start], dtype=graph.indices.dtype)
    depth[start], parent[start], reached[start] = 0, start, True
    level = 0
    while frontier.size:
        level += 1
        # Everyone in the frontier offers itself as a parent; of several, the smallest is taken.
        frontier, parents = spmspv(
            graph, (frontier, frontier), semirings.min_second, mask=reached, complement=True, device=device
        )
        depth[frontier], parent[frontier], reached[frontier] = level, parents, True
    return Result(
        "bfs",
        {"depth": depth, "parent": parent},
        names=graph.names,
        unreached=-1,
        facts={"num_reached": int(reached.sum())},
        iterations=level,
    )
