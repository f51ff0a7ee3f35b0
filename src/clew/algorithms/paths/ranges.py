"""Searches of graphs in ranges: memory for the kernels, which exchange values only after a local fixpoint."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.algorithms.paths import kernels_ranges as kernels
from clew.dtypes import Array
from clew.engines.cluster import checkpoints
from clew.engines.cluster import kernels_superstep as superstep
from clew.engines.cluster.kernels_pause import new_state
from clew.engines.cluster.ranges import ghosts_of
from clew.engines.cluster.share import Share

ROUNDS, WEIGHTED_ROUNDS = 12, 96  # that a search should take


def search(
    share: Share, source: int, first: Any, unreached: Any, *, weights: Any, scale: float, low: float | None
) -> tuple[Array, Array, int]:
    """The best values of this member's vertices, their parents, and the number of rounds.

    Without weights, a path has as many steps as edges.
    """
    size, dtype, ids = share.ids.size, unreached.dtype, share.ids
    columns, bounds = ghosts_of(share)
    column = share.channel("column", dtype.itemsize + ids.itemsize)
    value, parent = np.full(size, unreached, dtype), np.full_like(ids, -1)
    best, origin = np.full(columns.size, unreached, dtype), np.empty(columns.size, ids.dtype)
    ghosts = (columns, bounds, best, origin, superstep.new_set(columns.size))
    arrived = np.empty(max(1, size), np.int32)
    queue = np.empty(max(size, int(np.diff(bounds).max(initial=1))), np.int32)
    state = new_state(kernels.NUMBERS)
    state[kernels.TARGET] = share.num_vertices // (ROUNDS if weights is None else WEIGHTED_ROUNDS)
    state[kernels.LIMIT] = state[kernels.WIDTH] = 64
    here = np.flatnonzero(ids == source)
    value[here], parent[here] = first, source
    arrived[: here.size], state[kernels.ARRIVED] = here, here.size
    given: Any = (column, share.block.unsigned())
    room = ((value, parent, ids, superstep.new_set(size)), ghosts, arrived, queue)

    def rounds() -> int:
        if weights is None:
            return int(kernels.bfs(*given, *room, state))
        return int(kernels.best_paths(*given, weights, *room, scale, low, state))

    changing = (value, parent, *room[0][3], best, origin, arrived)
    checkpoints.follow(share.member, rounds, (column,), state, changing)
    return value, parent, int(state[kernels.ROUNDS])
