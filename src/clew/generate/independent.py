"""Uniform random graphs: every edge is drawn independently from all pairs of vertices."""

from __future__ import annotations

import numpy as np

from clew import threads
from clew.checks import whole
from clew.dtypes import id_dtype
from clew.errors import GraphError
from clew.generate.arguments import check_memory_of_edges
from clew.generate.streams import stream
from clew.graph import Duplicates, Graph, Loops


def uniform(
    num_vertices: int,
    num_edges: int,
    *,
    seed: int = 0,
    directed: bool = True,
    duplicates: Duplicates = "keep",
    loops: Loops = "keep",
) -> Graph:
    """Uniform random graph: edges drawn uniformly and independently, with replacement.

    Parameters
    ----------
    num_vertices, num_edges
        The size of the graph; edges need at least one vertex.
    seed
        The random seed.
    directed
        Whether edges are directed. If not, every drawn pair is an edge in both directions.
    duplicates, loops
        What to do with repeated pairs and self-loops (see ``Graph.from_edges``). Dropping both gives a simple graph
        with fewer edges than requested.

    Notes
    -----
    Besides the memory of ``Graph.from_edges``, the endpoints take 8 bytes per edge (16 from 2^31 vertices on).

    References
    ----------
    P. Erdős, A. Rényi: "On random graphs I", Publicationes Mathematicae 6, 1959; here with replacement, as in
    benchmarks.
    """
    from clew.generate import kernels_edges as kernels

    count, size = whole("num_vertices", num_vertices, 0), whole("num_edges", num_edges, 0)
    if size and not count:
        raise GraphError(f"num_edges is {size:,}, but num_vertices is 0; expected at least one vertex.")
    check_memory_of_edges(count, size, directed=directed)
    source = np.empty(size, dtype=id_dtype(count))
    target = np.empty_like(source)
    parts = threads.pieces(size)
    threads.each(kernels.uniform_edges, parts, parts, stream(seed, "uniform"), count, source, target)
    return Graph.from_edges(source, target, None, count, directed, duplicates, loops)
