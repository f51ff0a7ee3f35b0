"""Colouring by rounds: whoever has the largest or the smallest random value around gets a colour."""

from __future__ import annotations

import numpy as np

from clew.algorithms.generic.steps import simple
from clew.algorithms.generic.waist import compact, elementwise, spmv
from clew.dtypes import Array
from clew.graph import Graph
from clew.operators import semirings
from clew.result import Result, Trace


def coloring(graph: Graph, *, seed: int = 0, device: str = "auto") -> Result:
    """Two colours a round, none used again; see ``clew.coloring`` with ``method="rounds"``."""
    links = simple(graph, directed=False)
    n = graph.num_vertices
    value: Array = np.random.default_rng(seed).permutation(n)
    high, low = value, value  # those with a colour are -1 in one and n in the other, which beats nobody
    color = np.full(n, -1, dtype=np.int32)
    colored: list[int] = []
    while sum(colored) < n:
        largest = spmv(links, high, semirings.max_second, device=device)
        smallest = spmv(links, low, semirings.min_second, device=device)
        first = compact(
            elementwise(lambda own, near: own > near and own >= 0, high, largest, device=device), device=device
        )
        color[first] = 2 * len(colored)
        second = elementwise(lambda own, near: own < near, low, smallest, device=device)
        second = compact(
            elementwise(lambda second, color: second and color < 0, second, color, device=device), device=device
        )
        color[second] = 2 * len(colored) + 1
        high, low = high.copy(), low.copy()
        for chosen in (first, second):
            high[chosen], low[chosen] = -1, n
        colored.append(first.size + second.size)
    used, numbered = np.unique(color, return_inverse=True)
    return Result(
        "coloring",
        {"color": numbered.astype(np.int32)},
        names=graph.names,
        facts={"count": used.size},
        iterations=len(colored),
        trace=Trace({"colored": np.array(colored)}),
    )
