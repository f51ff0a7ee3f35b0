"""Checker of assortativity."""

from __future__ import annotations

import numpy as np

from clew.algorithms.checking import arcs, named, require
from clew.graph import Graph
from clew.result import Result


@named
def assortativity(graph: Graph, result: Result, *, attribute: str | None = None, x: str = "out", y: str = "in") -> None:
    """Compare with the correlation, or the matrix of categories, over the list of all edges."""
    u, v = arcs(graph)
    if attribute is None:
        degree = {
            "out": np.bincount(u, minlength=graph.num_vertices),
            "in": np.bincount(v, minlength=graph.num_vertices),
        }
        both = degree[x][u], degree[y][v]
    else:
        column = graph.vertex_columns[attribute].to_numpy()
        both = column[u], column[v]
    expected = np.nan
    if attribute is None or both[0].dtype.kind in "iuf":
        if u.size and np.ptp(both[0]) and np.ptp(both[1]):
            expected = np.corrcoef(*both)[0, 1]
    elif u.size:
        kinds, codes = np.unique(np.concatenate(both), return_inverse=True)
        mixing = np.zeros((kinds.size, kinds.size))
        np.add.at(mixing, (codes[: u.size], codes[u.size :]), 1 / u.size)
        random = (mixing.sum(axis=0) * mixing.sum(axis=1)).sum()
        expected = (np.trace(mixing) - random) / (1 - random) if kinds.size > 1 else np.nan
    close = np.isclose(result.coefficient, expected, rtol=1e-9, atol=1e-9, equal_nan=True)
    require(close, f"the coefficient is {expected:.6g}")
