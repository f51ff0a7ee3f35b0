"""Betweenness by Brandes' sums: paths counted level by level, dependencies summed up on the way back."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.algorithms.betweenness import summary, with_lengths
from clew.algorithms.distances import distances
from clew.algorithms.registry import Answer
from clew.algorithms.waist import Waist
from clew.dtypes import Array
from clew.graph import Graph
from clew.operators import functions, semirings


def betweenness(waist: Waist, graph: Graph, sources: Array, scale: Any, weighted: bool) -> Answer:
    """The dependencies on every vertex, one source after the other; see ``clew.betweenness``."""
    links = with_lengths(graph, weighted=True) if weighted else waist.simple(graph, directed=True)
    depend = _weighted_dependencies if weighted else _dependencies
    centrality: Array = np.zeros(waist.ids(graph).size)
    done = 0
    while done < len(sources):
        if not weighted:  # sssp saves its own state
            done, centrality = waist.checkpoint(done, done, centrality)
        centrality = waist.elementwise(functions.plus, centrality, depend(waist, links, sources[done]))
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


def _weighted_dependencies(waist: Waist, graph: Graph, source: int) -> Array:
    paths, shares, _ = paths_and_shares(waist, graph, source, weighted=True)
    dependency: Array = np.where(paths > 0, paths * shares - 1, 0.0)
    dependency[waist.ids(graph) == source] = 0
    return dependency


def paths_and_shares(waist: Waist, graph: Graph, source: int, *, weighted: bool) -> tuple[Array, Array, Array]:
    """The number of shortest paths to every vertex, the share of a path for all targets behind it, and distances.

    A path that ends at v, or leads over it, passes on ``shares[v]`` to each of the shortest paths to v.
    """
    away = distances(waist, graph, np.array([source]), weighted=weighted)[:, 0]
    # Only edges on shortest paths, in one direction: products of them end.
    links = waist.simple(waist.select(graph, on_shortest_paths, away), directed=True)
    paths = _sum_of_products(waist, links, (waist.ids(graph) == source).astype(np.float64), transpose=True)
    ends = np.divide(1.0, paths, out=np.zeros(paths.size), where=paths > 0)
    return paths, _sum_of_products(waist, links, ends, transpose=False), away


def on_shortest_paths(weight: Any, before: Any, after: Any) -> Any:
    """Whether an edge between two distances is; -1 means that there is no path."""
    with np.errstate(over="ignore"):  # sums beyond the largest float are no distances
        return (before >= 0) & (before < after) & (before + (1 if weight is None else weight) == after)


def _sum_of_products(waist: Waist, links: Graph, x: Array, *, transpose: bool) -> Array:
    """X + A x + A A x + …, until nothing is left."""
    total = x.copy()
    while waist.any(x.any()):
        x = waist.spmv(links, x, semirings.plus_second, transpose=transpose)
        total += x
    return total
