"""Maximal independent set by Luby's rounds."""

from __future__ import annotations

import numpy as np

from clew.algorithms.generic.steps import simple
from clew.algorithms.generic.waist import compact, elementwise, spmv, spvisit
from clew.dtypes import Array
from clew.graph import Graph
from clew.operators import functions, semirings
from clew.result import Result, Trace

OUT = -1  # the key of who has joined or cannot any more


def maximal_independent_set(graph: Graph, *, seed: int = 0, device: str = "auto") -> Result:
    """Whoever has the largest random key around joins, and discards its neighbours."""
    links = simple(graph, directed=False)
    key: Array = np.random.default_rng(seed).permutation(graph.num_vertices)
    member = np.zeros(graph.num_vertices, dtype=np.bool_)
    left: list[int] = []
    while (alive := compact(elementwise(lambda key, zero: key >= zero, key, 0, device=device), device=device)).size:
        left.append(alive.size)
        largest = spmv(links, key, semirings.max_second, device=device)
        joining = elementwise(lambda own, near: own > near and own >= 0, key, largest, device=device)
        member = elementwise(functions.lor, member, joining, device=device)
        near = spvisit(links, joining, device=device)
        decided = elementwise(functions.lor, joining, near, device=device)
        key = key.copy()
        key[compact(decided, device=device)] = OUT
    return Result(
        "maximal_independent_set",
        {"member": member},
        names=graph.names,
        facts={"size": int(member.sum())},
        iterations=len(left),
        trace=Trace({"left": np.array(left)}),
    )
