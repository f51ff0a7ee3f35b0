"""Eccentricities, from searches on any engine."""

from __future__ import annotations

import numpy as np

from clew.algorithms.distances import FEWEST, blocks_of, distances, kernels
from clew.algorithms.registry import Answer
from clew.algorithms.waist import Waist
from clew.dtypes import Array
from clew.graph import Graph
from clew.operators import monoids


def eccentricity(waist: Waist, graph: Graph, weighted: bool) -> Answer:
    """The distance to the farthest vertex that each reaches; see ``clew.eccentricity``."""
    n = graph.num_vertices
    if graph.directed or weighted:
        blocks = blocks_of(graph, np.arange(n), weighted=weighted)
        parts = [_farthest(waist, distances(waist, graph, block, weighted=weighted)) for block in blocks]
        found, searches = np.concatenate(parts)[waist.ids(graph)] if parts else np.empty(0, np.int32), n
    else:
        found, searches = _by_bounds(waist, graph)
    facts = {"diameter": 0, "radius": 0}
    if n:
        facts = {"diameter": waist.total(found, monoids.max).item(), "radius": waist.total(found, monoids.min).item()}
    return Answer({"eccentricity": found}, facts, iterations=searches)


def _farthest(waist: Waist, distance: Array) -> Array:
    """The largest distance of every column."""
    here = distance.max(axis=0, initial=-1)
    farthest: Array = waist.collect(here).reshape(-1, here.size).max(axis=0)
    return farthest


def _by_bounds(waist: Waist, graph: Graph) -> tuple[Array, int]:
    """The eccentricities, and the number of searches.

    A search from u with eccentricity e bounds that of a vertex at distance d. It is at least d and e - d, and at most e
    + d. Searches start at vertices with the largest upper and the smallest lower bounds in turn. A search at the rim
    raises lower bounds, and one in the centre cuts upper ones.
    """
    ids, degrees = waist.ids(graph), waist.degrees(graph)
    lower, upper = np.zeros(ids.size, np.int32), np.where(degrees > 0, graph.num_vertices, 0).astype(np.int32)
    searches, together, rounds = 0, 1, 0
    while waist.any((lower < upper).any()):
        state = waist.checkpoint(rounds, searches, together, rounds, lower, upper)
        searches, together, rounds, lower, upper = state
        left = np.flatnonzero(lower < upper)
        # Of equal bounds, the vertex of the largest degree: it is near to most others.
        ties = ids[left], -degrees[left]
        rim = _first(waist, -(-together // 2), *ties, -upper[left])
        centre = _first(waist, together // 2, *ties, lower[left])
        starts = np.unique(np.concatenate([rim, centre]))
        depth = distances(waist, graph, starts, weighted=False)
        kernels.narrow_bounds(depth, _farthest(waist, depth), lower, upper)
        searches, together, rounds = searches + starts.size, min(2 * together, FEWEST), rounds + 1
    return lower, searches


def _first(waist: Waist, count: int, ids: Array, *keys: Array) -> Array:
    """The ids of the first vertices by the last key, among equals by the one before, and at last by id."""
    here = np.lexsort((ids, *keys))[:count]
    columns = [waist.collect(column[here]) for column in (ids, *keys)]
    return columns[0][np.lexsort(columns)[:count]]
