"""Triangles, squares and clustering coefficients."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew import algorithms
from clew.nx.graph import ClewGraph, Node
from clew.nx.nodes import answer, bunch
from clew.nx.serving import graph_has_parallel_edges, graph_is_directed, served, weights_are_asked_for
from clew.nx.squares import square_clustering as squares_of

# ruff: noqa: N803, NetworkX calls its graphs G


@served(graph_has_parallel_edges)
def triangles(G: ClewGraph, nodes: Any = None) -> Any:
    """The number of triangles at every node."""
    return answer(G, algorithms.triangles(G.unweighted).numpy().count, nodes)


def _coefficients(G: ClewGraph) -> Any:
    return algorithms.clustering_coefficient(G.unweighted).numpy().coefficient


@served(graph_is_directed, graph_has_parallel_edges, weights_are_asked_for)
def clustering(
    G: ClewGraph,
    nodes: Any = None,
    weight: str | None = None,  # noqa: ARG001
) -> Any:
    """The share of pairs of neighbours that are neighbours themselves."""
    found = _coefficients(G)
    return answer(G, found, nodes, found == 0)


@served(graph_is_directed, graph_has_parallel_edges, weights_are_asked_for)
def average_clustering(
    G: ClewGraph,
    nodes: Any = None,
    weight: str | None = None,  # noqa: ARG001
    count_zeros: bool = True,
) -> float:
    """The mean of the coefficients."""
    chosen = _coefficients(G)[bunch(G, nodes)]
    if not count_zeros:
        chosen = chosen[chosen != 0]
    if chosen.size == 0:
        raise ZeroDivisionError("division by zero")
    return float(chosen.mean())


@served(graph_is_directed, graph_has_parallel_edges)
def transitivity(G: ClewGraph) -> float:
    """The share of all connected triples that are closed."""
    return float(algorithms.clustering_coefficient(G.unweighted).transitivity) or 0  # the integer, as NetworkX has it


@served(graph_is_directed, graph_has_parallel_edges)
def square_clustering(G: ClewGraph, nodes: Any = None) -> dict[Node, float] | float:
    """The share of possible squares that exist."""
    squares = np.asarray(squares_of(G.unweighted))
    found: Any = answer(G, squares, nodes, (squares == 0) & ~_could_have_squares(G))
    return found  # type: ignore[no-any-return]


def _could_have_squares(G: ClewGraph) -> Any:
    """Whether a vertex that is in no square could be: some neighbour has an edge that is not part of a triangle."""
    real = G.sources != G.indices
    source, target = G.sources[real], G.indices[real]
    degree = np.bincount(source, minlength=len(G))
    around = np.bincount(source, weights=degree[target] - 1, minlength=len(G))
    return (degree > 1) & ((degree - 1) * around - 2 * algorithms.triangles(G.unweighted).numpy().count > 0)
