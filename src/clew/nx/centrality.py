"""Centralities: by degree, by paths through a node, by products with the adjacency matrix, PageRank and HITS."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

import networkx as nx
import numpy as np

from clew import algorithms
from clew.dtypes import Array
from clew.errors import DivergenceError
from clew.graph import Graph
from clew.nx.graph import ClewGraph, Node, Weight
from clew.nx.interface import no_parallel_edges, no_weight_function, served
from clew.result import Result

# ruff: noqa: ARG001, N803, signatures are those of NetworkX


def _with_lengths(G: ClewGraph, weight: Weight) -> Graph:
    """The graph, whose weights are lengths of paths that fit in a float; NetworkX counts infinite paths, too."""
    graph = G.weighted(weight)
    if graph.weights is not None and not np.isfinite(float(graph.weights.max(initial=0)) * len(G)):
        raise NotImplementedError("some paths are infinite or too long for a float; clew counts only finite paths.")
    return graph


@served(no_weight_function, endpoints="clew counts only the inner nodes of a path.")
def betweenness_centrality(
    G: ClewGraph,
    k: int | None = None,
    normalized: bool = True,
    weight: Weight = None,
    endpoints: bool = False,
    seed: Random | None = None,
) -> dict[Node, float]:
    """Samples are the nodes that NetworkX draws for the same seed."""
    samples = None
    if k is not None and k != len(G):
        samples = np.array((seed or Random()).sample(range(len(G)), k))
    if len(G) == 0:
        return {}
    graph = _with_lengths(G, weight)
    options: dict[str, Any] = {"samples": samples, "normalized": normalized, "weighted": graph.weighted}
    found = algorithms.betweenness(graph, **options).numpy().centrality
    if samples is not None and samples.size == 1 and len(G) > 2:
        found = found.copy()
        found[samples] = np.nan  # no path between two others begins at the only sample
    return G.by_node(found)


@served(no_parallel_edges, no_weight_function)
def edge_betweenness_centrality(
    G: ClewGraph, k: int | None = None, normalized: bool = True, weight: Weight = None, seed: Random | None = None
) -> dict[tuple[Node, Node], float]:
    """Samples are the nodes that NetworkX draws for the same seed."""
    samples = None if k is None else np.array((seed or Random()).sample(range(len(G)), k), dtype=np.int64)
    once = slice(None) if G.once is None else G.once
    source, target, graph = G.sources[once], G.indices[once], _with_lengths(G, weight)
    options: dict[str, Any] = {"samples": samples, "normalized": normalized, "weighted": graph.weighted}
    score = np.empty(source.size)
    score[np.lexsort((target, source))] = algorithms.edge_betweenness(graph, **options).centrality
    return dict(zip(zip(G.named(source), G.named(target), strict=True), score.tolist(), strict=True))


def _by_degree(G: ClewGraph, degrees: Array) -> dict[Node, float]:
    if len(G) <= 1:
        return dict.fromkeys(G, 1)
    return G.by_node(degrees * (1.0 / (len(G) - 1.0)))


@served(quick=True)
def degree_centrality(G: ClewGraph) -> dict[Node, float]:
    """In- and out-degree together, divided by the number of other nodes."""
    return _by_degree(G, G.degrees)


@served(quick=True)
def in_degree_centrality(G: ClewGraph) -> dict[Node, float]:
    """In-degree, divided by the number of other nodes."""
    return _by_degree(G, G.unweighted.degrees("in"))


@served(quick=True)
def out_degree_centrality(G: ClewGraph) -> dict[Node, float]:
    """Out-degree, divided by the number of other nodes."""
    return _by_degree(G, G.unweighted.degrees())


def _start(G: ClewGraph, scores: Mapping[Node, float]) -> Array:
    if absent := [node for node in scores if node not in G]:
        raise KeyError(absent[0])
    return np.array([scores[node] for node in G], dtype=np.float64)


def _converged(result: Result, max_iter: int) -> Array:
    if not result.converged:
        raise nx.PowerIterationFailedConvergence(max_iter)
    return np.asarray(result.centrality)


@served()
def eigenvector_centrality(
    G: ClewGraph,
    max_iter: int = 100,
    tol: float = 1.0e-6,
    nstart: Mapping[Node, float] | None = None,
    weight: Weight = None,
) -> dict[Node, float]:
    """The same rounds from the same start; NetworkX's tolerance is for the average change of a node."""
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept("cannot compute centrality for the null graph")
    start = None if nstart is None else _start(G, nstart)
    if start is not None and not start.any():
        raise nx.NetworkXError("initial vector cannot have all zero values")
    graph = G.weighted(weight)
    options: dict[str, Any] = {"start": start, "tolerance": tol * len(G), "max_iterations": max_iter}
    return G.by_node(_converged(algorithms.eigenvector(graph, weighted=graph.weighted, **options), max_iter))


def _constants(G: ClewGraph, beta: Any) -> Any:
    """A number, or one for every node."""
    try:
        return float(beta)
    except (TypeError, ValueError) as error:
        if set(beta) != set(G):
            raise nx.NetworkXError("beta dictionary must have a value for every node") from error
        return _start(G, beta)


@served()
def katz_centrality(
    G: ClewGraph,
    alpha: float = 0.1,
    beta: float | Mapping[Node, float] = 1.0,
    max_iter: int = 1000,
    tol: float = 1.0e-6,
    nstart: Mapping[Node, float] | None = None,
    normalized: bool = True,
    weight: Weight = None,
) -> dict[Node, float]:
    """The same rounds; NetworkX divides by the length of the scores."""
    if len(G) == 0:
        return {}
    start, graph = None if nstart is None else _start(G, nstart), G.weighted(weight)
    options: dict[str, Any] = {
        "start": start,
        "tolerance": tol * len(G),
        "max_iterations": max_iter,
        "weighted": graph.weighted,
    }
    try:
        x = _converged(algorithms.katz(graph, alpha=alpha, beta=_constants(G, beta), **options), max_iter)
    except DivergenceError as error:
        raise nx.PowerIterationFailedConvergence(max_iter) from error
    return G.by_node(x / (float(np.linalg.norm(x)) or 1.0) if normalized else x)


def _no_dangling(dangling: Any, personalization: Any) -> str | None:
    if dangling is None or dangling == personalization:
        return None
    return "dangling is given; clew's walkers leave dangling nodes as they jump from others."


def _numbers(G: ClewGraph, scores: Mapping[Node, float]) -> Array:
    return np.array([scores.get(node, 0) for node in G], dtype=np.float64)


@served(_no_dangling)
def pagerank(
    G: ClewGraph,
    alpha: float = 0.85,
    personalization: Mapping[Node, float] | None = None,
    max_iter: int = 100,
    tol: float = 1e-06,
    nstart: Mapping[Node, float] | None = None,
    weight: Weight = "weight",
    dangling: Mapping[Node, float] | None = None,
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


@served(nstart="clew chooses where the iteration starts.", normalized="clew scales scores to sum to 1.")
def hits(
    G: ClewGraph,
    max_iter: int = 100,
    tol: float = 1.0e-8,
    nstart: Mapping[Node, float] | None = None,
    normalized: bool = True,
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
