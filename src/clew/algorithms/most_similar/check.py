"""Checker of the most similar vertices."""

from __future__ import annotations

import numpy as np

from clew.algorithms.checking import named, require
from clew.algorithms.similarity.check import Scores
from clew.graph import Graph
from clew.result import Result


@named
def most_similar(graph: Graph, result: Result, *, k: int = 10, method: str = "jaccard") -> None:
    """Check the most similar vertices.

    1. Every list has distinct other vertices, and then none.
    2. Every score is that of the two sets of neighbours.
    3. No other vertex has a better score than one in the list.
    """
    n, scores = graph.num_vertices, Scores(graph, method)
    require(
        result.similar.shape == result.score.shape == (n, result.similar.shape[1]), "there is a list for every vertex"
    )
    require(result.similar.shape[1] == k, f"a list has {k} places")
    for u in range(n):
        listed, real = result.similar[u].tolist(), int((result.similar[u] >= 0).sum())
        distinct = len({*listed[:real]} - {u}) == real and max(listed, default=-1) < n
        require(np.array([distinct and max(listed[real:], default=-1) < 0]), "others are distinct", np.array([u]))
        expected = sorted((s for v in range(n) if v != u and (s := scores(u, v)) > 0), reverse=True)[: len(listed)]
        mine = [scores(u, v) for v in listed[:real]]
        good = len(mine) == len(expected) and np.allclose(mine, expected, rtol=1e-9, atol=0)
        require(np.array([good]), "no other vertex has a better score", np.array([u]))
        padded = np.pad(mine, (0, len(listed) - real))
        close = np.allclose(result.score[u], padded, rtol=1e-9, atol=0)
        require(np.array([close]), f"the {method} score follows from the shared neighbours", np.array([u]))
