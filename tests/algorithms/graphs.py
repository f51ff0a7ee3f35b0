"""Graphs that every algorithm is tried on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import networkx as nx
import numpy as np
from hypothesis import strategies as st

import clew
from clew import threads
from tests.graph.strategies import edge_lists


@st.composite
def graphs(draw: st.DrawFn, *, directed: bool | None = None, min_vertices: int = 0) -> clew.Graph:
    """Small graphs with self-loops, duplicates, several components and isolated vertices; unweighted."""
    edges = draw(edge_lists().filter(lambda edges: edges.num_vertices >= min_vertices))
    either = draw(st.booleans()) if directed is None else directed
    return clew.Graph.from_edges(edges.source, edges.target, None, edges.num_vertices, either)


#: Shapes that are large enough for several threads, barriers and changes of direction.
LARGE = {
    "kronecker": lambda: clew.generate.kronecker(13, seed=3),
    "rmat, directed": lambda: clew.generate.rmat(13, 8, 0.45, 0.22, 0.22, seed=4),
    "grid": lambda: clew.generate.grid(150, 200, delete=0.1, seed=5),
    "path": lambda: clew.generate.path(60_000),
    "star": lambda: clew.generate.star(60_000),
    "uniform": lambda: clew.generate.uniform(40_000, 200_000, seed=6),
}


@contextmanager
def thread_count(count: int) -> Iterator[None]:
    """Use so many threads within the block."""
    threads.set_count(count)
    try:
        yield
    finally:
        threads.set_count(None)


def as_networkx(graph: clew.Graph) -> nx.Graph:
    """The same graph for NetworkX, without duplicates; vertices are 0…n-1."""
    other = (nx.DiGraph if graph.directed else nx.Graph)()
    other.add_nodes_from(range(graph.num_vertices))
    source, target, weights = graph.edges()
    if weights is None:
        other.add_edges_from(zip(source.tolist(), target.tolist(), strict=True))
    else:
        other.add_weighted_edges_from(zip(source.tolist(), target.tolist(), np.asarray(weights).tolist(), strict=True))
    return other
