"""Bridges on the CPU: blocks of one edge."""

from __future__ import annotations

import numpy as np

from clew.algorithms.biconnectivity.cpu import blocks, space
from clew.algorithms.registry import Answer
from clew.graph import Graph
from clew.workspace import Workspace, result


def workspace(graph: Graph) -> Workspace:
    """The arrays of a run."""
    return space(graph, bridge=result(graph.num_edges, np.bool_, later=True))


def bridges(graph: Graph) -> Answer:
    """The edges whose removal disconnects their ends; see ``clew.bridges``."""
    block, sizes, _ = blocks(graph)
    bridge = np.append(sizes == 1, False)[block]
    return Answer({"bridge": bridge}, {"count": int(bridge.sum())})
