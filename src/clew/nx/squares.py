"""Square clustering on the CPU."""

from __future__ import annotations

import numpy as np

from clew import threads
from clew.build.rows import blocks_of
from clew.dtypes import Array
from clew.graph import Graph


def square_clustering(graph: Graph) -> Array:
    """The share of possible squares that exist at every vertex of an undirected graph without parallel edges."""
    from clew.nx import kernels_squares as kernels

    sources = np.repeat(np.arange(graph.num_vertices), graph.degrees())
    loops = np.bincount(sources[sources == graph.indices], minlength=graph.num_vertices)
    coefficient = np.empty(graph.num_vertices)
    bounds = blocks_of(graph.outgoing)
    degrees = graph.degrees() - loops
    threads.each(kernels.squares, bounds.size - 1, bounds, *graph.outgoing.unsigned(), degrees, coefficient)
    return coefficient
