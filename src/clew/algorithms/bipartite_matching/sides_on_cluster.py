"""The two sides of a bipartite graph on a cluster, found or checked; every member has those of its own vertices."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.algorithms.cluster import ClusterWaist
from clew.algorithms.connected_components.generic import connected_components
from clew.dtypes import Array
from clew.engines.cluster.share import Share
from clew.errors import GraphError
from clew.operators import monoids, semirings
from clew.transform import as_mask


def requested_side(graph: Share, left: Any) -> Array:
    """The part of this member of the side that the user passed: a bool per vertex, or ids, or names."""
    given = np.asarray(left)
    if graph._names is None or given.dtype == np.bool_:
        side: Array = as_mask(given, graph.num_vertices)[graph.ids]
        return side
    places = {name: place for place, name in enumerate(graph._names)}
    here = np.array([name in places for name in given.tolist()], np.uint8)
    known = graph.member.all_reduce(here, np.maximum) if here.size else here
    if not known.all():
        raise GraphError(f"no vertex is called {given.tolist()[int(np.argmin(known))]!r}.")
    side = np.zeros(graph.ids.size, np.bool_)
    side[[places[name] for name in given.tolist() if name in places]] = True
    return side


def is_left(graph: Share, left: Array, vertex: int) -> bool:
    """Whether a vertex of any member is on the left side; all members call this."""
    return bool(ClusterWaist(graph, "cpu").take(graph, left, np.array([vertex]))[0])


def edge_within_a_side(graph: Share, left: Array) -> tuple[int, int] | None:
    """An edge whose ends are both in ``left`` or both outside, where there is one: that of the smallest vertex."""
    waist, links = ClusterWaist(graph, "cpu"), graph.with_weights(None)
    ids, none = waist.ids(graph), graph.num_vertices
    last = np.iinfo(ids.dtype).max
    # On either side, the smallest neighbour on the same side.
    near = [waist.spmv(links, np.where(side, ids, last), semirings.min_second, mask=side) for side in (left, ~left)]
    partner = np.minimum(*near)
    wrong = np.where(partner < none, ids, last)
    first = int(waist.total(wrong, monoids.min))
    return None if first >= none else (first, int(waist.take(graph, partner, np.array([first]))[0]))


def two_sides(graph: Share) -> tuple[Array, tuple[int, int] | None]:
    """Which vertices are on the left, and an edge that closes an odd cycle where there is one."""
    waist, links = ClusterWaist(graph, "cpu"), graph.with_weights(None)
    frontier: Array = connected_components(waist, links).label == waist.ids(graph)
    left, seen, level = frontier.copy(), frontier.copy(), 0
    while waist.any(frontier.any()):
        frontier = waist.spvisit(links, frontier) & ~seen
        seen |= frontier
        level += 1
        if level % 2 == 0:
            left |= frontier
    return left, edge_within_a_side(graph, left)
