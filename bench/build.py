"""Edges to a graph: 30 M random edges, against SciPy's COO to CSR with duplicates summed."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

import clew
from bench.harness import Row, peak_bytes, race

EDGES = 30_000_000
SIZES = (1 << 20, 3_000_000)

SETUP = """
import numpy as np, clew
rng = np.random.default_rng(0)
n, m = {n}, {m}
source, target = (rng.integers(0, n, m, dtype=np.int32) for _ in range(2))
weights = {weights}
warm = slice(0, 100_000)
clew.Graph.from_edges(source[warm], target[warm], None if weights is None else weights[warm], n, duplicates="sum")
"""
WORK = """
graph = clew.Graph.from_edges(source, target, weights, n, duplicates="sum")
"""


def run() -> list[Row]:
    rng = np.random.default_rng(0)
    rows: list[Row] = []
    for n in SIZES:
        source, target = (rng.integers(0, n, EDGES, dtype=np.int32) for _ in range(2))
        weights = rng.random(EDGES, dtype=np.float32)
        rows += race(
            f"{EDGES // 1_000_000} M edges, {n:,} vertices, float32, duplicates summed",
            {
                "clew": lambda s=source, t=target, w=weights, n=n: clew.Graph.from_edges(s, t, w, n, duplicates="sum"),
                "scipy": lambda s=source, t=target, w=weights, n=n: _scipy(s, t, w, n),
            },
            amount=EDGES / 1e6,
            unit="M edges",
            rounds=5,
        )
        ones = np.ones(EDGES, dtype=np.int8)
        rows += race(
            f"{EDGES // 1_000_000} M edges, {n:,} vertices, unweighted (SciPy: int8), duplicates dropped",
            {
                "clew": lambda s=source, t=target, n=n: clew.Graph.from_edges(s, t, None, n, duplicates="drop"),
                "scipy": lambda s=source, t=target, w=ones, n=n: _scipy(s, t, w, n),
            },
            amount=EDGES / 1e6,
            unit="M edges",
            rounds=5,
        )
    for n in SIZES:
        for weights, width in (("None", 0), ("rng.random(m, dtype=np.float32)", 4)):
            final = EDGES * (4 + width) + 8 * (n + 1)
            peak = peak_bytes(SETUP.format(n=n, m=EDGES, weights=weights), WORK)
            print(f"peak memory, {n:,} vertices, {width}-byte weights: {peak / final:.2f} times the final arrays")
    return rows


def _scipy(source: np.ndarray, target: np.ndarray, weights: np.ndarray, n: int) -> object:
    matrix = sp.coo_array((weights, (source, target)), shape=(n, n)).tocsr()
    matrix.sum_duplicates()
    return matrix
