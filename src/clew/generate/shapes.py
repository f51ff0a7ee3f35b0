"""Deterministic graphs: path, cycle, star and complete graph, for tests and examples."""

from __future__ import annotations

import numpy as np

from clew.adjacency import Adjacency, BuildReport
from clew.checks import whole
from clew.dtypes import OFFSET, id_dtype
from clew.generate.arguments import check_memory_of_edges, check_memory_of_rows
from clew.graph import Graph


def path(num_vertices: int, directed: bool = False) -> Graph:
    """Path: each vertex is joined to the next; n-1 edges.

    Parameters
    ----------
    num_vertices
        The number of vertices; a path of one vertex has no edge.
    directed
        Whether edges are directed, from each vertex to the next.

    Notes
    -----
    Building it takes about three times the graph's memory, as do ``cycle`` and ``star``.
    """
    count = whole("num_vertices", num_vertices, 0)
    check_memory_of_edges(count, count, directed=directed)
    ids = np.arange(count, dtype=id_dtype(count))
    return Graph.from_edges(ids[:-1], ids[1:], None, count, directed)


def cycle(num_vertices: int, directed: bool = False) -> Graph:
    """Cycle: each vertex is joined to the next, and the last to the first; n edges.

    Parameters
    ----------
    num_vertices
        The number of vertices, at least 3.
    directed
        Whether edges are directed, from each vertex to the next.
    """
    count = whole("num_vertices", num_vertices, 3)
    check_memory_of_edges(count, count, directed=directed)
    ids = np.arange(count, dtype=id_dtype(count))
    return Graph.from_edges(ids, np.roll(ids, -1), None, count, directed)


def star(num_vertices: int) -> Graph:
    """Star: vertex 0 is joined to every other vertex; n-1 edges; undirected.

    Parameters
    ----------
    num_vertices
        The number of vertices, including the centre.
    """
    count = whole("num_vertices", num_vertices, 0)
    check_memory_of_edges(count, count, directed=False)
    leaves = np.arange(1, max(1, count), dtype=id_dtype(count))
    return Graph.from_edges(np.zeros_like(leaves), leaves, None, count, False)


def complete(num_vertices: int) -> Graph:
    """Complete graph: every vertex is joined to every other; n(n-1)/2 edges; undirected.

    Parameters
    ----------
    num_vertices
        The number of vertices.

    Notes
    -----
    Building it takes about twice the graph's memory.
    """
    count = whole("num_vertices", num_vertices, 0)
    size = count * (count - 1) // 2
    check_memory_of_rows(count, 2 * size)
    row = np.arange(count, dtype=id_dtype(count))
    indices = np.tile(row, (count, 1))[~np.eye(count, dtype=np.bool_)]
    indptr = np.arange(count + 1, dtype=OFFSET) * max(0, count - 1)
    return Graph(Adjacency(indptr, indices), directed=False, report=BuildReport(given=size))
