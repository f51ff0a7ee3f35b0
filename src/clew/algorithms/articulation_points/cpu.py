"""Articulation points on the CPU: vertices of several blocks."""

from __future__ import annotations

import numpy as np

from clew.algorithms.biconnectivity.cpu import blocks, space
from clew.algorithms.registry import Answer
from clew.graph import Graph
from clew.workspace import Workspace, result


def workspace(graph: Graph) -> Workspace:
    """The arrays of a run."""
    return space(graph, member=result(graph.num_vertices, np.bool_, later=True))


def articulation_points(graph: Graph) -> Answer:
    """The vertices whose removal disconnects others; see ``clew.articulation_points``."""
    *_, points = blocks(graph)
    member = np.zeros(graph.num_vertices, dtype=np.bool_)
    member[points] = True
    return Answer({"member": member}, {"count": points.size})
