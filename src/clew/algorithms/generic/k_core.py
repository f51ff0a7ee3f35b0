"""Core numbers by peeling."""

from __future__ import annotations

import numpy as np

from clew.algorithms.generic.steps import simple, total
from clew.algorithms.generic.waist import compact, elementwise, reduce_segments, spmspv
from clew.dtypes import Array
from clew.graph import Graph
from clew.operators import functions, monoids, semirings
from clew.result import Result

GONE = np.iinfo(np.int64).max  # more neighbours than any vertex has: such a one is never peeled


def k_core(graph: Graph, *, device: str = "auto") -> Result:
    """The largest k such that a vertex is in the k-core; see ``clew.k_core``."""
    links = simple(graph, directed=True)
    left = reduce_segments(links, device=device)
    if links.directed:
        left = elementwise(functions.plus, left, reduce_segments(links.reversed(), device=device), device=device)
    core: Array = np.zeros(graph.num_vertices, dtype=graph.indices.dtype)
    level, rounds = 0, 0
    while (lowest := int(total(left, device, monoids.min))) < GONE and left.size:
        level = max(level, lowest)
        peeled = compact(elementwise(lambda left, level: left <= level, left, level, device=device), device=device)
        core[peeled], left[peeled] = level, GONE
        # Every neighbour that stays has one neighbour less for each edge to a peeled vertex.
        stays = elementwise(lambda left, gone: left < gone, left, GONE, device=device)
        ones = np.ones(peeled.size, dtype=np.int64)
        for way in (False, True)[: 1 + links.directed]:
            near, lost = spmspv(links, (peeled, ones), semirings.plus_second, transpose=way, mask=stays, device=device)
            left[near] = elementwise(lambda left, lost: left - lost, left[near], lost, device=device)
        rounds += 1
    facts = {"degeneracy": int(core.max(initial=0))}
    return Result("k_core", {"core": core}, names=graph.names, facts=facts, iterations=rounds)
