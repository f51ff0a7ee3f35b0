"""Checker of PageRank: one more round must change little."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from clew.algorithms.checking import arcs, named, require
from clew.dtypes import Array, Numbers
from clew.graph import Graph
from clew.result import Result


@named
def pagerank(
    graph: Graph,
    result: Result,
    *,
    damping: float = 0.85,
    tolerance: float = 1e-6,
    personalization: Numbers | None = None,
    weighted: bool = False,
) -> None:
    """Check ranks: pass the arguments that they were computed with.

    1. There is a rank for every vertex, none is negative, and they sum to 1.
    2. One more round, pushed along out-edges, changes them by less than damping times tolerance in all; or, where the
       tolerance was not met, by less than 2 · damping^iterations: every round shrinks the distance by that factor.
    """
    check_walk(graph, result, result.rank, damping, tolerance, _jumps(graph, personalization), weighted)


def check_walk(
    graph: Graph, result: Result, rank: Array, damping: float, tolerance: float, jumps: Array, weighted: bool
) -> None:
    """The rules for a walk whose jumps lead to ``jumps``."""
    require(rank.size == graph.num_vertices, "there is an entry for every vertex")
    require(rank >= 0, "ranks are numbers of 0 or more")
    if not graph.num_vertices:
        return
    # Every round rounds each rank a few times, relative to its size; ranks sum to 1.
    slack = 4 * float(np.finfo(rank.dtype).eps) * (result.iterations + 1) + 1e-12
    rank = rank.astype(np.float64)
    require(abs(rank.sum() - 1) <= slack, f"ranks sum to 1, but these sum to {rank.sum():.9g}")
    change = np.abs(_one_round(graph, rank, damping, jumps, weighted) - rank).sum()
    bound = damping * tolerance if result.converged else 2 * damping**result.iterations
    require(change <= bound + slack, f"one more round changes at most {bound:.2g} in all, but it changed {change:.2g}")


def _one_round(graph: Graph, rank: Array, damping: float, jumps: Array, weighted: bool) -> Array:
    source, target = arcs(graph)
    weights = np.ones(source.size) if not weighted else np.asarray(graph.weights, dtype=np.float64)
    weights = weights / weights.max(initial=np.finfo(np.float64).tiny)
    leaving = np.bincount(source, weights, graph.num_vertices)
    stranded = leaving == 0
    pushed = np.bincount(target, rank[source] * weights / np.where(stranded, 1, leaving)[source], graph.num_vertices)
    return np.asarray(damping * pushed + (damping * rank[stranded].sum() + 1 - damping) * jumps)


def _jumps(graph: Graph, personalization: Numbers | None) -> Array:
    n = graph.num_vertices
    if personalization is None:
        return np.full(n, 1 / max(n, 1))
    if not isinstance(personalization, Mapping):
        given = personalization(np.arange(n)) if callable(personalization) else personalization
        given = np.asarray(given, dtype=np.float64)
    else:
        given = np.zeros(n)
        for name, value in personalization.items():
            given[graph.vertex(name)] = value
    return np.asarray(given / given.sum())
