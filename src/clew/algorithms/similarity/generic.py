"""Similarity of pairs, from a product of the matrix and its transpose."""

from __future__ import annotations

import numpy as np

from clew.algorithms.registry import Answer
from clew.algorithms.similarity import values_of
from clew.algorithms.waist import Waist
from clew.dtypes import Array
from clew.graph import Graph
from clew.layouts import coo
from clew.operators import semirings


def similarity(waist: Waist, graph: Graph, pairs: tuple[Array, Array] | None, method: str) -> Answer:
    """The score of every pair; see ``clew.similarity``."""
    first, second = (ends.astype(np.int64) for ends in (graph.edges()[:2] if pairs is None else pairs))
    one, other, scores = all_scores(waist, graph, method, np.unique(first))
    keys, n = one * graph.num_vertices + other, graph.num_vertices
    place = np.searchsorted(keys, first * n + second)
    known = np.append(keys, -1)[place] == first * n + second
    return Answer({"score": np.where(known, np.append(scores, 0.0)[place], 0.0)}, pairs=pairs)


def all_scores(waist: Waist, graph: Graph, method: str, chosen: Array) -> tuple[Array, Array, Array]:
    """The pairs of chosen vertices with those that share a neighbour, in order, and their scores."""
    links, n = waist.simple(graph, directed=True), graph.num_vertices
    value, arcs = values_of(links.degrees("in"), method), coo(links)
    here = np.isin(arcs.rows, chosen)
    some = Graph.from_edges(arcs.rows[here], arcs.columns[here], value[arcs.columns[here]], n)
    ones = Graph.from_edges(arcs.columns, arcs.rows, np.ones(arcs.rows.size), n)
    shared = coo(waist.spgemm(some, ones, semirings.plus_times))
    one, other, total = shared.rows.astype(np.int64), shared.columns.astype(np.int64), shared.weights
    sizes = links.degrees()
    total = np.zeros(0) if total is None else total
    if method == "jaccard":
        total = total / np.maximum(sizes[one] + sizes[other] - total, 1)
    elif method == "overlap":
        total = total / np.minimum(sizes[one], sizes[other])
    elif method == "cosine":
        total = total / np.sqrt(sizes[one].astype(np.float64) * sizes[other])
    return one, other, total
