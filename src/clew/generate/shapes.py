"""Regular and planar graphs: path, cycle, star, complete graph, grid, and Delaunay triangulation."""

from __future__ import annotations

import numpy as np

from clew import threads
from clew.adjacency import Adjacency, BuildReport
from clew.checks import whole
from clew.dtypes import OFFSET, id_dtype
from clew.generate.arguments import check_memory, check_memory_of_edges, check_memory_of_rows, probability, stream
from clew.generate.weights import random_weights
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


def grid(
    height: int,
    width: int,
    *,
    diagonals: bool = False,
    delete: float = 0.0,
    max_weight: int | None = None,
    seed: int = 0,
) -> Graph:
    """Undirected grid, a model of road networks: vertex ``row * width + column`` is joined to its neighbours.

    Parameters
    ----------
    height, width
        The number of vertices in each direction.
    diagonals
        Whether to join each vertex to its four diagonal neighbours too.
    delete
        The probability of removing each edge. Below about 0.5 (without diagonals) most vertices of a large grid stay
        connected.
    max_weight
        The weights are random integers from 1 to this number; by default there are none.
    seed
        The random seed, for removed edges and weights.

    Notes
    -----
    Rows are written directly, without an edge list, so memory is that of the graph.
    """
    from clew.generate import kernels

    height, width = whole("height", height, 0), whole("width", width, 0)
    delete = probability("delete", delete)
    heaviest = None if max_weight is None else whole("max_weight", max_weight, 1, 2**63 - 1)
    size = height * width
    check_memory_of_rows(size, (4 if diagonals else 2) * size)
    parts = threads.pieces(size)
    shape = (stream(seed, "grid"), height, width, diagonals, delete)
    indptr = np.zeros(size + 1, dtype=OFFSET)
    threads.each(kernels.grid_rows, parts, parts, *shape, indptr, None)
    np.cumsum(indptr, out=indptr)
    indices = np.empty(indptr[-1], dtype=id_dtype(size))
    threads.each(kernels.grid_rows, parts, parts, *shape, indptr, indices)
    graph = Graph(Adjacency(indptr, indices), directed=False, report=BuildReport(given=indices.size // 2))
    return graph if heaviest is None else random_weights(graph, 1, heaviest, seed=seed)


BYTES_PER_POINT = 700  # what Qhull takes, measured


def delaunay(num_vertices: int, *, seed: int = 0, points: bool = False) -> Graph:
    """Delaunay triangulation of random points in the unit square; undirected.

    It has 3n-3-h edges for 3 or more vertices, where h is the number of points on the convex hull. Two vertices are
    joined.

    Parameters
    ----------
    num_vertices
        The number of points.
    seed
        The random seed.
    points
        Store the points as ``metadata["coordinates"]``, an array of shape (num_vertices, 2).

    Notes
    -----
    SciPy's Qhull computes it on one core, in about 10 microseconds and 700 bytes of memory per point.

    References
    ----------
    B. Delaunay: "Sur la sphère vide", 1934. C. B. Barber, D. P. Dobkin, H. Huhdanpaa: "The Quickhull algorithm for
    convex hulls", ACM Transactions on Mathematical Software 22, 1996.
    """
    from clew.generate import kernels_random as kernels

    count = whole("num_vertices", num_vertices, 0, 2**31 - 1)
    check_memory(BYTES_PER_POINT * count, count, 3 * count)
    places = np.empty((count, 2))
    parts = threads.pieces(places.size)
    threads.each(kernels.fill_units, parts, parts, stream(seed, "points"), places.reshape(-1))
    metadata = {"coordinates": places} if points else None
    if count < 3:
        tiny = path(count)
        return Graph(tiny.outgoing, directed=False, report=tiny.report, metadata=metadata)
    from scipy.spatial import Delaunay

    indptr, indices = Delaunay(places).vertex_neighbor_vertices
    return Graph.from_csr(indptr, indices, directed=False, metadata=metadata)
