"""Biconnected components on the CPU."""

from __future__ import annotations

import numpy as np

from clew.algorithms.biconnectivity.cpu import blocks, space
from clew.algorithms.registry import Answer
from clew.graph import Graph
from clew.workspace import Workspace, result


def workspace(graph: Graph) -> Workspace:
    """The arrays of a run."""
    return space(graph, component=result(graph.num_edges, np.int64, later=True))


def biconnected_components(graph: Graph) -> Answer:
    """Sets of edges that no vertex disconnects; see ``clew.biconnected_components``."""
    block, sizes, _ = blocks(graph)
    facts = {"count": sizes.size, "sizes": sizes, "largest": int(sizes.max(initial=0))}
    return Answer({"component": block}, facts, unreached=-1)
