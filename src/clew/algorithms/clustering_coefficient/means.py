"""Coefficients from the weights of triangles: the diagonal of S·S·S, divided by what is possible."""

from __future__ import annotations

import numpy as np

from clew.algorithms.registry import Answer
from clew.dtypes import Array
from clew.graph import Graph


def symmetric_roots(graph: Graph, *, weighted: bool) -> tuple[Graph, Array]:
    """An undirected graph S of cube roots of weights, both directions added up, and the triangles that are possible.

    Each triangle of an undirected graph is possible twice, once for either way round.
    """
    n, (source, target, weights) = graph.num_vertices, graph.edges()
    given = weights.astype(np.float64) if weighted and weights is not None else np.ones(source.size)
    simple = Graph.from_edges(source, target, given, n, graph.directed, "sum" if weighted else "drop", "drop")
    largest = given[source == target].max(initial=0.0)  # loops are in no triangle, but NetworkX compares with them
    source, target, weights = simple.edges()
    assert weights is not None
    roots = np.cbrt(weights / (weights.max(initial=largest) or 1.0))
    near = Graph.from_edges(source, target, roots, n, False, "sum")
    degree = simple.degrees() + (simple.degrees("in") if graph.directed else 0)
    possible = degree.astype(np.float64) * (degree - 1)
    if graph.directed:  # two edges to the same neighbour make no triangle: there are degree - neighbours such pairs
        possible = 2 * (possible - 2 * (degree - near.degrees()))
    return near, possible


def answer(total: Array, possible: Array) -> Answer:
    """The answer, from the sum over the triangles at every vertex."""
    coefficient = np.divide(total, possible, out=np.zeros(total.size), where=possible > 0)
    average = float(coefficient.mean()) if coefficient.size else 0.0
    transitivity = float(total.sum() / possible.sum()) if possible.any() else 0.0
    return Answer({"coefficient": coefficient}, {"average": average, "transitivity": transitivity})
