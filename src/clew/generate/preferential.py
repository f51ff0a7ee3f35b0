"""Preferential attachment: the rich get richer."""

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
    """An undirected graph that grows: each new vertex is joined to earlier ones in proportion to their degrees.

    It starts as a complete graph of ``edges_per_vertex + 1`` vertices, so no vertex has fewer than ``edges_per_vertex``
    edges. The edges of one vertex are drawn independently, so that some lead to the same vertex; there are no
    self-loops.

    Parameters
    ----------
    num_vertices
        At least ``edges_per_vertex + 1``.
    edges_per_vertex
        How many edges a new vertex brings, at least 1.
    seed
        Another seed, another graph.
    duplicates
        "drop" makes the graph simple, at the price of some edges.

    Notes
    -----
    Edges are computed independently of each other in an expected constant number of steps, without looking at the graph
    so far. Takes 8 bytes an edge (16 from 2^31 vertices on) for the endpoints, beside what ``Graph.from_edges`` takes.

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
            f"num_vertices is {count:,} and edges_per_vertex {per_vertex:,}; expected more vertices than that: "
            f"the graph starts with {per_vertex + 1:,}."
        )
    size = per_vertex * (per_vertex + 1) // 2 + (count - per_vertex - 1) * per_vertex
    check_memory_of_edges(count, size, directed=False)
    source = np.empty(size, dtype=id_dtype(count))
    target = np.empty_like(source)
    parts = threads.pieces(size)
    threads.each(kernels.attached_edges, parts, parts, stream(seed, "attachment"), per_vertex, source, target)
    return Graph.from_edges(source, target, None, count, False, duplicates)
