"""PageRank, and hubs and authorities."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import networkx as nx
import numpy as np

from clew import algorithms
from clew.dtypes import Array
from clew.nx.graph import ClewGraph, Node
from clew.nx.serving import served

# ruff: noqa: N803, NetworkX calls its graphs G


def _start_is_given(nstart: Any) -> str | None:
    return "nstart is given; clew chooses where the iteration starts." if nstart is not None else None


def _dangling_differs(dangling: Any, personalization: Any) -> str | None:
    if dangling is None or dangling == personalization:
        return None
    return "dangling is given; clew's walkers leave dangling nodes as they jump from others."


def _is_not_normalized(normalized: bool) -> str | None:
    return None if normalized else "normalized is False; clew scales scores to sum to 1."


def _numbers(G: ClewGraph, given: Mapping[Node, float]) -> Array:
    return np.array([given.get(node, 0) for node in G], dtype=np.float64)


@served(_dangling_differs)
def pagerank(
    G: ClewGraph,
    alpha: float = 0.85,
    personalization: Mapping[Node, float] | None = None,
    max_iter: int = 100,
    tol: float = 1e-06,
    nstart: Mapping[Node, float] | None = None,
    weight: str | None = "weight",
    dangling: Mapping[Node, float] | None = None,  # noqa: ARG001
) -> dict[Node, float]:
    """The same rounds from the same start: NetworkX stops early enough that both show in the digits.

    NetworkX's tolerance is for the average change of a node, clew's for the sum of all.
    """
    if len(G) == 0:
        return {}
    jumps = None if personalization is None else _numbers(G, personalization)
    if jumps is not None and jumps.sum() == 0:
        raise ZeroDivisionError
    graph = G.weighted(weight)
    found = algorithms.pagerank(
        graph,
        damping=alpha,
        tolerance=tol * len(G),
        max_iterations=max_iter,
        personalization=jumps,
        start=np.ones(len(G)) if nstart is None else _numbers(G, nstart),
        weighted=graph.weighted,
    ).numpy()
    if not found.converged:
        raise nx.PowerIterationFailedConvergence(max_iter)
    return G.by_node(found.rank)


@served(_start_is_given, _is_not_normalized)
def hits(
    G: ClewGraph,
    max_iter: int = 100,
    tol: float = 1.0e-8,
    nstart: Mapping[Node, float] | None = None,  # noqa: ARG001
    normalized: bool = True,  # noqa: ARG001
) -> tuple[dict[Node, float], dict[Node, float]]:
    """By power iteration; NetworkX decomposes the matrix, which converges where this does not."""
    if len(G) == 0:
        return {}, {}
    if max_iter <= 0:
        raise nx.PowerIterationFailedConvergence(max_iter)
    graph = G.weighted("weight")
    if graph.weighted:
        raise NotImplementedError("edges have weights; clew's hubs and authorities count every edge as 1.")
    if graph.num_edges == 0:
        raise NotImplementedError("the graph has no edges; clew gives scores of 0 then, and NetworkX others.")
    if len(G) == 1:
        raise NotImplementedError("the graph has one node; NetworkX cannot decompose its matrix.")
    found = algorithms.hits(graph, tolerance=tol, max_iterations=max_iter).numpy()
    if not found.converged:
        raise NotImplementedError(f"the scores still changed after {max_iter:,} rounds; NetworkX finds them otherwise.")
    return G.by_node(found.hub), G.by_node(found.authority)
