"""Edges to a graph: 30 M random edges, against SciPy's COO to CSR with duplicates summed, and 10 M of strings."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec

import numpy as np
import pandas as pd
import scipy.sparse as sp

import clew
from bench.harness import Row, peak_bytes, race

EDGES = 30_000_000
SIZES = (1 << 20, 3_000_000)
NAMED_EDGES, NAMES = 10_000_000, 1_000_000

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
    rows = _of_strings()
    rng = np.random.default_rng(0)
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


def _of_strings() -> list[Row]:
    """Edges whose ends are Python strings. Numbering them by pandas is a part of what a graph takes."""
    rng = np.random.default_rng(0)
    names = np.array([f"user{number:07d}" for number in range(NAMES)], dtype=object)
    source, target = (names[rng.integers(0, NAMES, NAMED_EDGES)].tolist() for _ in range(2))
    frame = pd.DataFrame({"source": source, "target": target}, dtype="str")
    objects = frame.astype(object)
    contenders: dict[str, Callable[[], object]] = {
        "clew, lists": lambda: clew.Graph.from_edges(source, target),
        "clew, pandas objects": lambda: clew.Graph.from_pandas(objects),
        "clew, pandas strings": lambda: clew.Graph.from_pandas(frame),
        "pd.factorize alone, lists": lambda: _factorized(source, target),
        "pd.factorize alone, pandas strings": lambda: pd.factorize(pd.concat([frame.source, frame.target])),
    }
    if find_spec("igraph"):
        import igraph

        contenders["igraph, lists"] = lambda: igraph.Graph.TupleList(zip(source, target, strict=True), directed=True)
    if find_spec("networkit"):
        import networkit

        contenders["pd.factorize and NetworKit, lists"] = lambda: networkit.GraphFromCoo(
            tuple(np.split(_factorized(source, target), 2)), n=NAMES, directed=True
        )
    work = f"{NAMED_EDGES // 1_000_000} M edges of strings, {NAMES:,} vertices"
    return race(work, contenders, amount=NAMED_EDGES / 1e6, unit="M edges")


def _factorized(source: list[str], target: list[str]) -> np.ndarray:
    return pd.factorize(np.array(source + target, dtype=object))[0].astype(np.uint64)


def _scipy(source: np.ndarray, target: np.ndarray, weights: np.ndarray, n: int) -> object:
    matrix = sp.coo_array((weights, (source, target)), shape=(n, n)).tocsr()
    matrix.sum_duplicates()
    return matrix
