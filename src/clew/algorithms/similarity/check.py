"""Checker of similarity."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np

from clew.algorithms.checking import arcs, named, require
from clew.graph import Graph
from clew.result import Result


class Scores:
    """Scores of pairs, from sets of neighbours."""

    def __init__(self, graph: Graph, method: str) -> None:
        source, target = (ends.tolist() for ends in arcs(graph))
        real = {(u, v) for u, v in zip(source, target, strict=True) if u != v}
        self.near: list[set[int]] = [set() for _ in range(graph.num_vertices)]
        for u, v in real:
            self.near[u].add(v)
        self.degree = Counter(v for _, v in real)
        self.method = method

    def __call__(self, u: int, v: int) -> float:
        """The score of two vertices."""
        one, other = self.near[u], self.near[v]
        shared = one & other
        if not shared:
            return 0.0
        if self.method == "adamic_adar":
            return sum(1 / math.log(self.degree[w]) for w in shared if self.degree[w] > 1)
        if self.method == "resource_allocation":
            return sum(1 / self.degree[w] for w in shared if self.degree[w] > 1)
        sizes = {"jaccard": len(one | other), "overlap": min(len(one), len(other))}
        return len(shared) / sizes.get(self.method, math.sqrt(len(one) * len(other)))


@named
def similarity(graph: Graph, result: Result, *, pairs: Any = None, method: str = "jaccard") -> None:
    """Compare every score with that of two sets of neighbours; ``pairs`` as they were given."""
    given = [[graph.vertex(name) for name in pair] for pair in ([] if pairs is None else pairs)]
    ends = graph.edges()[:2] if pairs is None else np.array(given, np.int64).reshape(-1, 2).T
    require(result.score.size == ends[0].size, "there is an entry for every pair")
    scores = Scores(graph, method)
    expected = [scores(u, v) for u, v in zip(ends[0].tolist(), ends[1].tolist(), strict=True)]
    close = np.isclose(result.score, expected, rtol=1e-9, atol=0)
    require(close, f"the {method} score follows from the shared neighbours", (ends[0], ends[1]))
