"""Eccentricities, from searches on any engine."""

from __future__ import annotations

import numpy as np

from clew.algorithms.distances import FEWEST, distances, kernels
from clew.algorithms.registry import Answer
from clew.algorithms.waist import Waist
from clew.dtypes import Array
from clew.graph import Graph


def eccentricity(waist: Waist, graph: Graph, weighted: bool) -> Answer:
    """The distance to the farthest vertex that each reaches; see ``clew.eccentricity``."""
    if graph.directed or weighted:
        blocks = distances(graph, np.arange(graph.num_vertices), waist.device, weighted=weighted)
        parts = [distance.max(axis=0) for _, distance in blocks]
        found, searches = np.concatenate(parts) if parts else np.empty(0, np.int32), graph.num_vertices
    else:
        found, searches = _by_bounds(graph, waist.device)
    facts = {"diameter": found.max(initial=0).item(), "radius": found.min().item() if found.size else 0}
    return Answer({"eccentricity": found}, facts, iterations=searches)


def _by_bounds(graph: Graph, device: str) -> tuple[Array, int]:
    """The eccentricities, and the number of searches.

    A search from u with eccentricity e bounds that of a vertex at distance d: it is at least d and e - d, and at most
    e + d. Searches start at vertices with the largest upper and the smallest lower bounds in turn: at the rim, which
    raises lower bounds, and in the centre, which cuts upper ones.
    """
    n, degrees = graph.num_vertices, graph.degrees()
    lower, upper = np.zeros(n, np.int32), np.where(degrees > 0, n, 0).astype(np.int32)
    searches, together = 0, 1
    while (left := np.flatnonzero(lower < upper)).size:
        # Of equal bounds, the vertex of the largest degree: it is near to most others.
        rim = left[np.lexsort((-degrees[left], -upper[left]))[: -(-together // 2)]]
        centre = left[np.lexsort((-degrees[left], lower[left]))[: together // 2]]
        starts = np.unique(np.concatenate([rim, centre]))
        for _, depth in distances(graph, starts, device, weighted=False):
            kernels.narrow_bounds(depth, depth.max(axis=0), lower, upper)
        searches, together = searches + starts.size, min(2 * together, FEWEST)
    return lower, searches
