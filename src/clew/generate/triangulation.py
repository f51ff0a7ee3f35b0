"""Delaunay triangulations of random points: planar graphs, like meshes."""

from __future__ import annotations

import numpy as np

from clew import threads
from clew.checks import whole
from clew.generate.arguments import check_memory
from clew.generate.shapes import path
from clew.generate.streams import stream
from clew.graph import Graph

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
