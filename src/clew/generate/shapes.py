"""Graphs without chance: path, cycle, star and complete graph, for tests and for known answers."""

from __future__ import annotations

import numpy as np

from clew.adjacency import Adjacency, BuildReport
from clew.checks import whole
from clew.dtypes import OFFSET, id_dtype
from clew.generate.arguments import check_memory_of_edges, check_memory_of_rows
from clew.graph import Graph


def path(num_vertices: int, directed: bool = False) -> Graph:
    """Vertices in a row, each joined to the next: n-1 edges.

    Parameters
    ----------
    num_vertices
        How many; a path of one vertex has no edge.
    directed
        Whether edges lead from each vertex to the next only.

    Notes
    -----
    Takes about three times the graph's memory while it is made, as do ``cycle`` and ``star``.
    """
    count = whole("num_vertices", num_vertices, 0)
    check_memory_of_edges(count, count, directed=directed)
    ids = np.arange(count, dtype=id_dtype(count))
    return Graph.from_edges(ids[:-1], ids[1:], None, count, directed)


def cycle(num_vertices: int, directed: bool = False) -> Graph:
    """Vertices in a ring, each joined to the next: n edges.

    Parameters
    ----------
    num_vertices
        3 or more.
    directed
        Whether edges lead from each vertex to the next only.
    """
    count = whole("num_vertices", num_vertices, 3)
    check_memory_of_edges(count, count, directed=directed)
    ids = np.arange(count, dtype=id_dtype(count))
    return Graph.from_edges(ids, np.roll(ids, -1), None, count, directed)


def star(num_vertices: int) -> Graph:
    """Vertex 0, joined to each of the others: n-1 edges; undirected.

    Parameters
    ----------
    num_vertices
        How many, the centre included.
    """
    count = whole("num_vertices", num_vertices, 0)
    check_memory_of_edges(count, count, directed=False)
    leaves = np.arange(1, max(1, count), dtype=id_dtype(count))
    return Graph.from_edges(np.zeros_like(leaves), leaves, None, count, False)


def complete(num_vertices: int) -> Graph:
    """Every vertex joined to every other: n(n-1)/2 edges; undirected.

    Parameters
    ----------
    num_vertices
        How many.

    Notes
    -----
    Takes about twice the graph's memory while it is made.
    """
    count = whole("num_vertices", num_vertices, 0)
    size = count * (count - 1) // 2
    check_memory_of_rows(count, 2 * size)
    row = np.arange(count, dtype=id_dtype(count))
    indices = np.tile(row, (count, 1))[~np.eye(count, dtype=np.bool_)]
    indptr = np.arange(count + 1, dtype=OFFSET) * max(0, count - 1)
    return Graph(Adjacency(indptr, indices), directed=False, report=BuildReport(given=size))
