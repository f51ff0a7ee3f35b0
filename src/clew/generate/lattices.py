"""Grids with missing edges: few edges per vertex and long paths, like road networks."""

from __future__ import annotations

import numpy as np

from clew import threads
from clew.adjacency import Adjacency, BuildReport
from clew.checks import whole
from clew.dtypes import OFFSET, id_dtype
from clew.generate.arguments import check_memory_of_rows, probability
from clew.generate.streams import stream
from clew.generate.weights import random_weights
from clew.graph import Graph


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
    from clew.generate import kernels_grid as kernels

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
    made = Graph(Adjacency(indptr, indices), directed=False, report=BuildReport(given=indices.size // 2))
    return made if heaviest is None else random_weights(made, 1, heaviest, seed=seed)
