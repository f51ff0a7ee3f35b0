"""The native format: a graph of 100 M edges opened, checked and written."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

import clew
from bench.harness import Row, race

VERTICES = 1 << 22
EDGES = 100_000_000


def run() -> list[Row]:
    rng = np.random.default_rng(0)
    degrees = rng.multinomial(EDGES, np.full(VERTICES, 1 / VERTICES))
    indptr = np.concatenate([[0], np.cumsum(degrees)])
    # Ascending ids within each row; which ones does not matter here.
    indices = (np.arange(EDGES) - np.repeat(indptr[:-1], degrees)).astype(np.int32)
    graph = clew.Graph.from_csr(indptr, indices)
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.clew"
        size = graph.nbytes / 1e6
        rows += race("write", {"clew": lambda: clew.write(graph, path)}, rounds=1, amount=size, unit="MB")
        rows += race("open", {"clew": lambda: clew.read(path)})
        checked = {"clew": lambda: clew.read(path, check=True)}
        rows += race("open and verify every byte", checked, amount=size, unit="MB")
    return rows
