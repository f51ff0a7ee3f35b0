"""The two sides of a bipartite graph, found or checked."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from clew import threads
from clew.algorithms.bipartite_matching import kernels
from clew.build.rows import blocks_of
from clew.dtypes import Array, as_bits
from clew.engines.cluster.share import Share
from clew.errors import GraphError
from clew.graph import Graph
from clew.names import shown
from clew.transform import as_mask


def left_side(graph: Graph, left: Any) -> Array:
    """The requested side, or that of the file, or one that a search finds; a bool per vertex."""
    side: Array
    sides: Any = sys.modules[__name__]
    if isinstance(graph, Share):
        from clew.algorithms.bipartite_matching import sides_on_cluster as sides
    if left is not None:
        side = sides.requested_side(graph, left)
        if (edge := sides.edge_within_a_side(graph, side)) is not None:
            where = "left" if sides.is_left(graph, side, edge[0]) else "right"
            raise GraphError(
                f"the edge {shown(graph.names, *edge)} has both ends on the {where} side; expected every edge to join "
                "the two sides. Omit left to detect the sides."
            )
        return side
    match graph.metadata.get("bipartite"):
        case [int(first), int(second)] if first >= 0 and first + second == graph.num_vertices:
            side = sides.requested_side(graph, np.arange(graph.num_vertices) < first)
            if sides.edge_within_a_side(graph, side) is None:
                return side
    side, edge = sides.two_sides(graph)
    if edge is not None:
        raise GraphError(
            f"the graph is not bipartite: the edge {shown(graph.names, *edge)} closes a cycle of odd length; expected "
            "every edge to join two sides."
        )
    return side


def requested_side(graph: Graph, left: Any) -> Array:
    """The side that the user passed, a bool per vertex: as such, or as ids or names."""
    given = np.asarray(left)
    if graph.names is not None and given.dtype != np.bool_:
        given = graph.names.ids_of(left)
    return as_mask(given, graph.num_vertices)


def is_left(graph: Graph, left: Array, vertex: int) -> bool:  # noqa: ARG001
    """Whether a vertex is on the left side."""
    return bool(left[vertex])


def edge_within_a_side(graph: Graph, left: Array) -> tuple[int, int] | None:
    """An edge whose ends are both in ``left`` or both outside, where there is one."""
    bounds = blocks_of(graph.outgoing)
    rows = graph.outgoing.unsigned()
    found = threads.each(kernels.edge_within_a_side, bounds.size - 1, bounds, rows, left.view(np.uint8))
    return next(((int(u), int(v)) for u, v, wrong in found if wrong), None)


def two_sides(graph: Graph) -> tuple[Array, tuple[int, int] | None]:
    """Which vertices are on the left, and an edge that closes an odd cycle where there is one."""
    side = np.zeros(graph.num_vertices, dtype=np.uint8)
    queue = np.empty(graph.num_vertices, dtype=as_bits(graph.indices).dtype)
    u, v, odd = kernels.two_sides(graph.outgoing.unsigned(), side, queue)
    return side == kernels.LEFT, (int(u), int(v)) if odd else None
