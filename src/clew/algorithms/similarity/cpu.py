"""Similarity of pairs on the CPU."""

from __future__ import annotations

import numpy as np

from clew import threads
from clew.adjacency import Adjacency
from clew.algorithms.registry import Answer
from clew.algorithms.similarity import METHODS, kernels, values_of
from clew.build.rows import blocks_of
from clew.dtypes import Array, as_bits
from clew.graph import Graph
from clew.workspace import Workspace, result, scratch

GRAIN = 1 << 10  # pairs that are worth a thread


def workspace(graph: Graph, num_pairs: int | None = None) -> Workspace:
    """The scores, and for every vertex what it counts and how many neighbours it has."""
    n = graph.num_vertices
    return Workspace(
        score=result(graph.num_edges if num_pairs is None else num_pairs, np.float64),
        values=scratch(n, np.float64, later=True),
        neighbors=scratch(n, np.int64, later=True),
    )


def similarity(graph: Graph, pairs: tuple[Array, Array] | None, method: str) -> Answer:
    """The score of every pair; see ``clew.similarity``."""
    first, second = graph.edges()[:2] if pairs is None else pairs
    scores = workspace(graph, first.size).allocate().score
    parts = threads.pieces(first.size, GRAIN)
    ends = (as_bits(first), as_bits(second))
    marked = 2 * np.count_nonzero(first[1:] == first[:-1]) > first.size
    given = (graph.outgoing.unsigned(), *ends, METHODS.index(method), *counts_of(graph, method), bool(marked), scores)
    threads.each(kernels.score_pairs, parts, parts, *given)
    return Answer({"score": scores}, pairs=pairs)


def counts_of(graph: Graph, method: str) -> tuple[Array, Array]:
    """What every vertex counts as a shared neighbour, and how many neighbours it has."""
    count = _distinct(graph.outgoing)
    by_degree = METHODS.index(method) > kernels.COSINE
    back = _distinct(graph.incoming) if graph.directed and by_degree else count
    return values_of(back, method), count


def _distinct(rows: Adjacency) -> Array:
    count, bounds = np.zeros(rows.num_vertices, np.int64), blocks_of(rows)
    threads.each(kernels.count_distinct, bounds.size - 1, bounds, rows.unsigned(), count)
    return count
