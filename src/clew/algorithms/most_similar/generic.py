"""The most similar vertices, from a product of the matrix and its transpose."""

from __future__ import annotations

import numpy as np

from clew.algorithms.most_similar import summary
from clew.algorithms.registry import Answer
from clew.algorithms.similarity.generic import all_scores
from clew.algorithms.waist import Waist
from clew.graph import Graph


def most_similar(waist: Waist, graph: Graph, k: int, method: str) -> Answer:
    """The best others of every vertex; see ``clew.most_similar``."""
    n = graph.num_vertices
    one, other, score = all_scores(waist, graph, method, np.arange(n))
    real = (one != other) & (score > 0)
    order = np.lexsort((other[real], -score[real], one[real]))
    one, other, score = (array[real][order] for array in (one, other, score))
    place = np.arange(one.size) - np.searchsorted(one, one)
    best = place < k
    similar, scores = np.full((n, k), -1, graph.indices.dtype), np.zeros((n, k))
    similar[one[best], place[best]], scores[one[best], place[best]] = other[best], score[best]
    return summary(similar, scores)
