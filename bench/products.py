"""Products on the CPU: clew, SciPy and SuiteSparse:GraphBLAS on the same matrices, with one thread and with two."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from math import exp, log
from typing import Any

import numpy as np

import clew
from bench.algorithms import GRAPHS as COMMON
from bench.harness import Row, race
from clew import threads
from clew.dtypes import Array

os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # or idle threads of GraphBLAS take a core from who comes next
try:
    import graphblas
except ImportError:
    graphblas = None

Call = Callable[[], Any]

LARGE: dict[str, Callable[[], clew.Graph]] = {
    **COMMON,
    "delaunay20": lambda: clew.generate.delaunay(1 << 20, seed=1),
    "star": lambda: clew.generate.star(2_000_000),  # one row has half of all edges
}
SQUARED: dict[str, Callable[[], clew.Graph]] = {
    "kron12": lambda: clew.generate.kronecker(12, seed=1),
    "kron14": lambda: clew.generate.kronecker(14, seed=1),
    "delaunay16": COMMON["delaunay16"],
    "grid1000": COMMON["grid1000"],
}
SHARES = (1e-5, 1e-3, 0.03, 0.5)  # of the vertices that a sparse vector has values for

# The arithmetic of plus_times, written as a user would.
OWN = clew.Semiring(add=lambda a, b: a + b, identity=0, multiply=lambda weight, x: weight * x, name="own")


def run() -> list[Row]:
    rows: list[Row] = []
    for name, make in LARGE.items():
        graph = _weighted(make())
        for count in (1, 2):
            rows += _dense(name, graph, count)
            for share in SHARES:
                rows += _sparse(name, graph, count, share)
    for name, make in SQUARED.items():
        graph = _weighted(make())
        for count in (1, 2):
            rows += _matrices(name, graph, count)
    _threads(None)
    _summary(rows)
    return rows


def _weighted(graph: clew.Graph) -> clew.Graph:
    rng = np.random.default_rng(1)
    return clew.Graph.from_csr(graph.indptr, graph.indices, rng.random(graph.num_arcs))


def _dense(name: str, graph: clew.Graph, count: int) -> list[Row]:
    """Matrix times dense vector."""
    x = np.random.default_rng(2).random(graph.num_vertices)
    out = np.empty_like(x)
    matrix = graph.to_scipy()
    _threads(count)
    contenders: dict[str, Call] = {
        "clew": lambda: clew.spmv(graph, x),
        "clew, out": lambda: clew.spmv(graph, x, out=out),
        "clew, own semiring": lambda: clew.spmv(graph, x, OWN),
        "scipy": lambda: matrix @ x,
    }
    if graphblas is not None:
        contenders["graphblas"] = _their_dense(graph, x)
        np.testing.assert_allclose(contenders["graphblas"]().to_dense(0), matrix @ x, rtol=1e-9)
    np.testing.assert_allclose(clew.spmv(graph, x), matrix @ x, rtol=1e-9)
    return _race(_work("spmv", name, count), contenders, 12)


def _sparse(name: str, graph: clew.Graph, count: int, share: float) -> list[Row]:
    """Matrix times sparse vector, along the edges of the vertices that have a value."""
    from scipy.sparse import csr_array

    rng = np.random.default_rng(3)
    n = graph.num_vertices
    active = np.sort(rng.choice(n, max(1, int(share * n)), replace=False)).astype(np.int32)
    values = rng.random(active.size)
    vector = csr_array((values, active, np.array([0, active.size], np.int32)), shape=(1, n))
    matrix = graph.to_scipy()
    _threads(count)
    contenders: dict[str, Call] = {
        "clew": lambda: clew.spmspv(graph, (active, values)),
        "scipy": lambda: vector @ matrix,
    }
    for merge in ("none", "merge", "radix"):
        contenders[f"clew, {merge}"] = partial(clew.spmspv, graph, (active, values), merge=merge)
    if graphblas is not None:
        contenders["graphblas"] = _their_sparse(graph, active, values)
    expected = contenders["scipy"]()
    expected.sort_indices()
    found = contenders["clew"]()
    np.testing.assert_array_equal(found[0], expected.indices)
    np.testing.assert_allclose(found[1], expected.data, rtol=1e-9)
    return _race(_work(f"spmspv {share:g}", name, count), contenders, 8)


def _matrices(name: str, graph: clew.Graph, count: int) -> list[Row]:
    """The matrix times itself, everywhere and where it has entries; SciPy leaves its rows unsorted."""
    matrix = graph.to_scipy()
    _threads(count)
    plain: dict[str, Call] = {"clew": lambda: clew.spgemm(graph, graph), "scipy": lambda: matrix @ matrix}
    masked: dict[str, Call] = {"clew": lambda: clew.spgemm(graph, graph, mask=graph)}
    if graphblas is not None:
        plain["graphblas"], masked["graphblas"] = _their_products(graph)
    assert plain["clew"]().num_edges == plain["scipy"]().nnz
    rows = race(_work("spgemm", name, count), plain, rounds=3)
    return rows + race(_work("spgemm masked", name, count), masked, rounds=3)


def _race(work: str, contenders: dict[str, Call], rounds: int) -> list[Row]:
    """As ``race``, but each contender has several turns in a row.

    Peers keep copies of the matrix, so who comes after another would find the caches full of what it has no use for.
    """
    best = dict.fromkeys(contenders, float("inf"))
    for _ in range(rounds):
        for name, call in contenders.items():
            for row in race(work, {name: call}, rounds=4):
                best[name] = min(best[name], row.seconds)
    return [Row(work, name, seconds) for name, seconds in best.items()]


def _work(what: str, name: str, count: int) -> str:
    return f"{what} {name}, {count} thread{'s' if count > 1 else ''}"


def _threads(count: int | None) -> None:
    threads.set_count(count)
    if graphblas is not None:
        graphblas.ss.config["nthreads"] = count or threads.count()


def _their_matrix(graph: clew.Graph) -> Any:
    return graphblas.Matrix.from_csr(graph.indptr, graph.indices, graph.weights, ncols=graph.num_vertices)


def _their_dense(graph: clew.Graph, x: Array) -> Call:
    a, v = _their_matrix(graph), graphblas.Vector.from_dense(x)
    return lambda: a.mxv(v, graphblas.semiring.plus_times).new()


def _their_sparse(graph: clew.Graph, active: Array, values: Array) -> Call:
    a, v = _their_matrix(graph), graphblas.Vector.from_coo(active, values, size=graph.num_vertices)
    return lambda: v.vxm(a, graphblas.semiring.plus_times).new()


def _their_products(graph: clew.Graph) -> tuple[Call, Call]:
    """Without a mask and with; what GraphBLAS leaves for later is part of the work."""
    a = _their_matrix(graph)

    def finished(mask: Any) -> Any:
        product = a.mxm(a, graphblas.semiring.plus_times).new(mask=mask)
        product.wait("materialize")
        return product

    return lambda: finished(None), lambda: finished(a.S)


def _summary(rows: list[Row]) -> None:
    """The geometric mean over graphs of everyone's time divided by clew's."""
    for kind, count in dict.fromkeys(
        (row.work.split(",")[0].rsplit(" ", 1)[0], row.work.rsplit(", ")[-1]) for row in rows
    ):
        group = [row for row in rows if row.work.rsplit(" ", 3)[0] == kind and row.work.endswith(count)]
        ours = {row.work: row.seconds for row in group if row.contender == "clew"}
        for peer in dict.fromkeys(row.contender for row in group if row.contender != "clew"):
            ratios = [row.seconds / ours[row.work] for row in group if row.contender == peer]
            mean = exp(sum(map(log, ratios)) / len(ratios))
            print(f"{kind}, {count}: {peer} takes {mean:.2f} times as long as clew (geometric mean)")
