"""Core numbers by peeling."""

from __future__ import annotations

import numpy as np

from clew.algorithms.registry import Answer
from clew.algorithms.waist import Waist
from clew.dtypes import Array
from clew.graph import Graph
from clew.operators import functions, monoids, semirings

GONE = np.iinfo(np.int64).max  # more neighbours than any vertex has: such a one is never peeled


def k_core(waist: Waist, graph: Graph) -> Answer:
    """The largest k such that a vertex is in the k-core; see ``clew.k_core``."""
    links = waist.simple(graph, directed=True)
    left = waist.reduce_segments(links)
    if links.directed:
        left = waist.elementwise(functions.plus, left, waist.reduce_segments(links.reversed()))
    core: Array = np.zeros_like(waist.ids(graph))
    level, rounds = 0, 0
    while (lowest := int(waist.total(left, monoids.min))) < GONE:
        level = max(level, lowest)
        peeled = waist.compact(waist.elementwise(lambda left, level: left <= level, left, level))
        core[peeled], left[peeled] = level, GONE
        # Every neighbour that stays has one neighbour less for each edge to a peeled vertex.
        stays = waist.elementwise(lambda left, gone: left < gone, left, GONE)
        ones = np.ones(peeled.size, dtype=np.int64)
        for way in (False, True)[: 1 + links.directed]:
            near, lost = waist.spmspv(links, (peeled, ones), semirings.plus_second, transpose=way, mask=stays)
            left[near] = waist.elementwise(lambda left, lost: left - lost, left[near], lost)
        rounds += 1
    facts = {"degeneracy": int(waist.total(core, monoids.max)) if graph.num_vertices else 0}
    return Answer({"core": core}, facts, iterations=rounds)
