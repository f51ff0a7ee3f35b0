"""Maximal independent set by Luby's rounds."""

from __future__ import annotations

import numpy as np

from clew.algorithms.registry import Answer
from clew.algorithms.waist import Waist
from clew.graph import Graph
from clew.operators import functions, semirings

OUT = -1  # the key of who has joined or cannot any more


def maximal_independent_set(waist: Waist, graph: Graph, seed: int) -> Answer:
    """A vertex with the largest random key among its neighbours joins, and they are discarded."""
    links = waist.simple(graph, directed=False)
    key = waist.shuffled(graph, seed)
    member = np.zeros(key.size, dtype=np.bool_)
    left: list[int] = []
    while alive := int(waist.total(waist.elementwise(lambda key, zero: key >= zero, key, 0).astype(np.int64))):
        alive, key, member, left = waist.checkpoint(len(left), alive, key, member, left)
        left.append(alive)
        largest = waist.spmv(links, key, semirings.max_second)
        joining = waist.elementwise(lambda own, near: own > near and own >= 0, key, largest)
        member = waist.elementwise(functions.lor, member, joining)
        near = waist.spvisit(links, joining)
        decided = waist.elementwise(functions.lor, joining, near)
        key = key.copy()
        key[waist.compact(decided)] = OUT
    facts, trace = {"size": int(waist.total(member.astype(np.int64)))}, {"left": np.array(left)}
    return Answer({"member": member}, facts, iterations=len(left), trace=trace)
