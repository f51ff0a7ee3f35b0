"""Betweenness by Brandes' sums: paths counted level by level, dependencies summed up on the way back."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.algorithms.betweenness import summary
from clew.algorithms.registry import Answer
from clew.algorithms.waist import Waist
from clew.dtypes import Array
from clew.graph import Graph
from clew.operators import functions, semirings


def betweenness(waist: Waist, graph: Graph, sources: Array, scale: Any) -> Answer:
    """The dependencies on every vertex, one source after the other; see ``clew.betweenness``."""
    links = waist.simple(graph, directed=True)
    centrality: Array = np.zeros(waist.ids(graph).size)
    done = 0
    while done < len(sources):
        done, centrality = waist.checkpoint(done, done, centrality)
        centrality = waist.elementwise(functions.plus, centrality, _dependencies(waist, links, sources[done]))
        done += 1
    own = scale[waist.ids(graph)] if isinstance(scale, np.ndarray) else scale
    return summary(graph, sources, waist.elementwise(functions.times, centrality, own))


def _dependencies(waist: Waist, links: Graph, source: int) -> Array:
    """For every vertex, the sum over all targets of the fraction of shortest paths that lead over it."""
    start = waist.ids(links) == source
    paths: Array = start.astype(np.float64)
    depth = np.where(start, 0, -1)
    frontier: Array = np.flatnonzero(start)
    levels: list[Array] = []
    while waist.any(frontier.size):
        levels.append(frontier)
        frontier, counts = waist.spmspv(links, (frontier, paths[frontier]), semirings.plus_second, mask=depth < 0)
        paths[frontier], depth[frontier] = counts, len(levels)
    dependency: Array = np.zeros(start.size)
    for level in range(len(levels) - 1, 1, -1):
        # A vertex hands (1 + dependency) / paths to those before it, each of which takes it times its own paths.
        ending = levels[level]
        share = waist.elementwise(lambda dependency, paths: (1 + dependency) / paths, dependency[ending], paths[ending])
        before, sums = waist.spmspv(
            links, (ending, share), semirings.plus_second, transpose=True, mask=depth == level - 1
        )
        dependency[before] = waist.elementwise(functions.times, sums, paths[before])
    return dependency
