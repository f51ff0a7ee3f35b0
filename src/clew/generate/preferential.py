"""Preferential attachment."""

from __future__ import annotations

import numpy as np

from clew import threads
from clew.checks import whole
from clew.dtypes import id_dtype
from clew.errors import GraphError
from clew.generate.arguments import check_memory_of_edges
from clew.generate.streams import stream
from clew.graph import Duplicates, Graph


def barabasi_albert(
    num_vertices: int, edges_per_vertex: int, *, seed: int = 0, duplicates: Duplicates = "keep"
) -> Graph:
    """Barabási-Albert graph: new vertices attach to earlier ones in proportion to their degrees; undirected.

    It starts as a complete graph of ``edges_per_vertex + 1`` vertices, so every vertex has at least
    ``edges_per_vertex`` edges. The edges of a vertex are drawn independently, so some are duplicates. There are no
    self-loops.

    Parameters
    ----------
    num_vertices
        The number of vertices, at least ``edges_per_vertex + 1``.
    edges_per_vertex
        The number of edges that a new vertex adds, at least 1.
    seed
        The random seed.
    duplicates
        What to do with duplicate edges; "drop" makes the graph simple.

    Notes
    -----
    Each edge is computed independently in an expected constant number of steps, without reading the graph so far.
    Besides the memory of ``Graph.from_edges``, the endpoints take 8 bytes per edge (16 from 2^31 vertices on).

    References
    ----------
    A.-L. Barabási, R. Albert: "Emergence of scaling in random networks", Science 286, 1999.
    P. Sanders, C. Schulz: "Scalable generation of scale-free graphs", Information Processing Letters 116, 2016.
    """
    from clew.generate import kernels_edges as kernels

    per_vertex = whole("edges_per_vertex", edges_per_vertex, 1)
    count = whole("num_vertices", num_vertices, 0)
    if count <= per_vertex:
        raise GraphError(
            f"num_vertices is {count:,} and edges_per_vertex is {per_vertex:,}; expected at least {per_vertex + 1:,} "
            "vertices, with which the graph starts."
        )
    size = per_vertex * (per_vertex + 1) // 2 + (count - per_vertex - 1) * per_vertex
    check_memory_of_edges(count, size, directed=False)
    source = np.empty(size, dtype=id_dtype(count))
    target = np.empty_like(source)
    parts = threads.pieces(size)
    threads.each(kernels.attached_edges, parts, parts, stream(seed, "attachment"), per_vertex, source, target)
    return Graph.from_edges(source, target, None, count, False, duplicates)
