"""Colouring by rounds: local maxima and minima of random values get a colour."""

from __future__ import annotations

import numpy as np

from clew.algorithms.registry import Answer
from clew.algorithms.waist import Waist
from clew.graph import Graph
from clew.operators import semirings


def coloring(waist: Waist, graph: Graph, seed: int) -> Answer:
    """Two colours a round, none used again; see ``clew.coloring`` with ``method="rounds"``."""
    links = waist.simple(graph, directed=False)
    n = graph.num_vertices
    value = waist.shuffled(graph, seed)
    high, low = value, value  # those with a colour are -1 in one and n in the other, which beats no vertex
    color = np.full(value.size, -1, dtype=np.int32)
    colored: list[int] = []
    while sum(colored) < n:
        high, low, color, colored = waist.checkpoint(len(colored), high, low, color, colored)
        largest = waist.spmv(links, high, semirings.max_second)
        smallest = waist.spmv(links, low, semirings.min_second)
        first = waist.compact(waist.elementwise(lambda own, near: own > near and own >= 0, high, largest))
        color[first] = 2 * len(colored)
        second = waist.elementwise(lambda own, near: own < near, low, smallest)
        second = waist.compact(waist.elementwise(lambda second, color: second and color < 0, second, color))
        color[second] = 2 * len(colored) + 1
        high, low = high.copy(), low.copy()
        for chosen in (first, second):
            high[chosen], low[chosen] = -1, n
        colored.append(int(waist.total(np.array([first.size + second.size]))))
    used = np.unique(waist.collect(np.unique(color)))
    numbered = np.searchsorted(used, color)  # unused colours are dropped
    trace = {"colored": np.array(colored)}
    return Answer({"color": numbered.astype(np.int32)}, {"count": used.size}, iterations=len(colored), trace=trace)
