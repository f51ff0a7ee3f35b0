"""Graphs for what is read over the link by lines."""

from __future__ import annotations

import numpy as np

import clew
from clew.engines.cuda.balance import frontiers


def begun_at(graph, offset, ids="int32"):
    """The same graph, with its neighbours so many entries after the beginning of a line."""
    room = np.empty(graph.indices.size + offset + 32, ids)
    start = -room.ctypes.data // room.itemsize % 32 + offset
    indices = room[start : start + graph.indices.size]
    indices[...] = graph.indices
    moved = clew.Graph.from_csr(graph.indptr, indices, graph.weights, directed=graph.directed, id_dtype=ids)
    assert moved.indices.ctypes.data // room.itemsize % 32 == offset
    return moved


def read_by_lines(monkeypatch, make):
    """A graph whose rows on the host searches read a line at a time, as those of large graphs; a source, its answer."""
    for name, value in {"LARGE": 1, "DENSE": 1, "ORDERED": 5, "REACH": 0}.items():
        monkeypatch.setattr(frontiers, name, value)
    graph = clew.generate.random_weights(make(9 if make is clew.generate.kronecker else 700), 1, 255, seed=1)
    source = int(np.argmax(graph.degrees())) + 1
    return graph, source, clew.sssp(graph, source, device="cpu")
