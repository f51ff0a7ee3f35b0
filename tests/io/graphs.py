"""Random graphs for round trips, and the bytes of a graph in any format."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

import clew
from tests.graph.strategies import edge_lists


@st.composite
def graphs(draw: st.DrawFn, *, named: bool = True, weight_dtypes: Sequence[str] | None = None) -> clew.Graph:
    """Directed or not, with or without weights and names, with loops, duplicates and isolated vertices, or empty."""
    edges = draw(edge_lists(max_vertices=8, max_edges=16))
    weights, names = edges.weights, None
    if weights is not None and weight_dtypes is not None and weights.dtype not in weight_dtypes:
        weights = np.arange(edges.source.size).astype(draw(st.sampled_from(weight_dtypes)))
    if named and edges.num_vertices:
        n = edges.num_vertices
        kinds = {
            "int64": st.integers(-(2**63), 2**63 - 1),
            "uint64": st.integers(0, 2**64 - 1),
            "str": st.text(max_size=6),
        }
        kind = draw(st.sampled_from([None, *kinds]))
        if kind is not None:
            names = draw(st.lists(kinds[kind], min_size=n, max_size=n, unique=True))
            names = names if kind == "str" else np.array(names, dtype=kind)
    directed = draw(st.booleans())
    return clew.Graph.from_edges(
        edges.source, edges.target, weights, edges.num_vertices, directed=directed, names=names
    )


def stored(graph: clew.Graph, suffix: str, **options: Any) -> bytes:
    """What ``clew.write`` makes of the graph."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"graph{suffix}"
        clew.write(graph, path, **options)
        return path.read_bytes()


def small(directed: bool = True, weights: Any = (3, 1, 2, 5, 4), names: Any = None) -> clew.Graph:
    """Five edges among six vertices: a loop, a duplicate and an isolated vertex."""
    return clew.Graph.from_edges([0, 0, 1, 2, 3], [1, 1, 2, 2, 4], weights, 6, directed=directed, names=names)


def prefixes(data: bytes) -> Iterator[bytes]:
    """The data cut short after every byte."""
    return (data[:length] for length in range(len(data)))


def refused(data: bytes, format_name: str, match: str | None = None, **options: Any) -> str:
    """The message with which the data are refused."""
    with pytest.raises(clew.FormatError, match=match) as caught:
        clew.read(data, format=format_name, **options)
    return str(caught.value)
