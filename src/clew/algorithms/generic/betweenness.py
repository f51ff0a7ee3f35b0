"""Betweenness by Brandes' sums: paths counted level by level, dependencies summed up on the way back."""

from __future__ import annotations

import numpy as np

from clew.algorithms.generic.steps import simple
from clew.algorithms.generic.waist import elementwise, spmspv
from clew.dtypes import Array
from clew.graph import Graph
from clew.names import called
from clew.operators import functions, semirings
from clew.result import Result


def betweenness(graph: Graph, *, normalized: bool = True, device: str = "auto") -> Result:
    """From all vertices, exactly; see ``clew.betweenness``."""
    links = simple(graph, directed=True)
    n = graph.num_vertices
    centrality: Array = np.zeros(n)
    for source in range(n):
        centrality = elementwise(functions.plus, centrality, _dependencies(links, source, device), device=device)
    pairs = (n - 1) * (n - 2) if normalized else 1 if graph.directed else 2
    centrality = elementwise(functions.times, centrality, 1 / max(pairs, 1), device=device)
    facts = {"sources": called(graph.names, np.arange(n))}
    return Result("betweenness", {"centrality": centrality}, names=graph.names, facts=facts)


def _dependencies(links: Graph, source: int, device: str) -> Array:
    """For every vertex, the sum over all targets of the fraction of shortest paths that lead over it."""
    paths: Array = np.zeros(links.num_vertices)
    depth = np.full(links.num_vertices, -1)
    frontier: Array = np.array([source])
    paths[source], depth[source] = 1.0, 0
    levels: list[Array] = []
    while frontier.size:
        levels.append(frontier)
        frontier, counts = spmspv(
            links, (frontier, paths[frontier]), semirings.plus_second, mask=depth < 0, device=device
        )
        paths[frontier], depth[frontier] = counts, len(levels)
    dependency: Array = np.zeros(links.num_vertices)
    for level in range(len(levels) - 1, 1, -1):
        # A vertex hands (1 + dependency) / paths to those before it, each of which takes it times its own paths.
        ending = levels[level]
        share = elementwise(
            lambda dependency, paths: (1 + dependency) / paths, dependency[ending], paths[ending], device=device
        )
        before, sums = spmspv(
            links, (ending, share), semirings.plus_second, transpose=True, mask=depth == level - 1, device=device
        )
        dependency[before] = elementwise(functions.times, sums, paths[before], device=device)
    return dependency
