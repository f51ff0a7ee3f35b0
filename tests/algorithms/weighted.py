"""Weighted graphs that every algorithm on paths is tried on."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import clew
from tests.algorithms.graphs import LARGE
from tests.graph.strategies import edge_lists


@st.composite
def weighted_graphs(draw: st.DrawFn, dtype: str, low: float, high: float, directed: bool | None = None) -> clew.Graph:
    """Small graphs with self-loops, duplicates and many equal weights."""
    edges = draw(edge_lists().filter(lambda edges: edges.num_vertices > 0))
    elements = (
        st.integers(low, high) if np.dtype(dtype).kind != "f" else st.integers(2 * low, 2 * high).map(lambda x: x / 2)
    )
    weights = draw(hnp.arrays(dtype, edges.source.size, elements=elements))
    either = draw(st.booleans()) if directed is None else directed
    return clew.Graph.from_edges(edges.source, edges.target, weights, edges.num_vertices, either)


def large(name: str, low: float = 1, high: float = 255, dtype: str = "int32") -> tuple[clew.Graph, int]:
    """A graph for several threads with random weights, and its vertex of largest degree."""
    graph = clew.generate.random_weights(LARGE[name](), low, high, seed=7, dtype=dtype)
    return graph, int(np.argmax(graph.degrees()))


def reachable(result: clew.Result, value: str) -> dict[int, float]:
    """The values of the vertices that have a parent."""
    return {v: x for v, x in enumerate(getattr(result, value).tolist()) if result.parent[v] >= 0}
