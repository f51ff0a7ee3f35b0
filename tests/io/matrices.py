"""The matrix that a graph or a Matrix Market file stands for."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import scipy.io
import scipy.sparse

import clew


def dense(graph: clew.Graph) -> np.ndarray:
    """The matrix of a graph as wide as sums of parallel edges need."""
    matrix = graph.to_scipy().astype(np.float64).toarray()
    if "bipartite" in graph.metadata:
        rows, _ = graph.metadata["bipartite"]
        assert not matrix[rows:].any()
        assert not matrix[:, :rows].any()
        matrix = matrix[:rows, rows:]
    return np.asarray(matrix)


def by_scipy(data: bytes | Path) -> np.ndarray:
    matrix = scipy.io.mmread(io.BytesIO(data) if isinstance(data, bytes) else data)
    return (matrix.toarray() if scipy.sparse.issparse(matrix) else np.asarray(matrix)).astype(np.float64)
