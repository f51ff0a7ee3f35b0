"""Best paths by the members of a cluster: memory for the kernels, and parents."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from clew.algorithms.bfs.cluster import bfs
from clew.algorithms.cluster import ClusterWaist
from clew.algorithms.paths import kernels as buckets
from clew.algorithms.paths import kernels_cluster as kernels
from clew.algorithms.paths.ranges import search
from clew.dtypes import Array
from clew.engines.cluster import checkpoints
from clew.engines.cluster import kernels_superstep as superstep
from clew.engines.cluster.kernels_pause import new_state
from clew.engines.cluster.origins import fetch_parents
from clew.engines.cluster.share import Share

FEW = 64  # vertices per member: a step with fewer does not wait until its bucket stays empty


def best_paths(
    share: Share,
    source: int,
    numbers: Callable[[Array], Array],
    first: Any,
    unreached: Any,
    delta: float,
    *,
    turn: Any = None,
    low: float | None = None,
    deterministic: bool = False,
) -> tuple[Array, Array, int, int]:
    """Paths of the smallest sum or, where ``low`` is given, of the smallest largest weight.

    ``numbers`` makes weights ones that kernels take. These are the costs or, where ``turn`` is given, what is left of
    it: kernels subtract, because turned weights would take as much memory again. The other arguments are those of
    ``clew.algorithms.sssp.cpu.best_paths``. Returns the values, the parents, the number of vertices reached, and the
    number of steps.
    """
    share.release_target()
    rows = share.oriented(transpose=False)[0]
    assert rows.weights is not None
    weights, scale = (numbers(rows.weights), turn), min(1 / delta, float(np.finfo(np.float64).max))
    form = search if share.has_ranges else _search_blocks
    value, parent, steps = form(share, source, first, unreached, weights=weights, scale=scale, low=low)
    if deterministic:

        def cost(weights: Array) -> Array:
            costs: Array = numbers(weights) if turn is None else turn - numbers(weights)
            return costs

        parent = _shortest_path_tree(share, source, value, cost, unreached, low)
    reached = int(share.member.all_reduce(np.int64((value != unreached).sum()), np.add))
    return value, parent, reached, steps


def _search_blocks(
    share: Share, source: int, first: Any, unreached: Any, *, weights: Any, scale: float, low: float | None
) -> tuple[Array, Array, int]:
    """The best values of this member's vertices, their parents, and the number of steps."""
    size, member, dtype = share.ids.size, share.member, unreached.dtype
    rows, row_axis, column_axis = share.oriented(transpose=False)
    width = max(dtype.itemsize, share.ids.itemsize)
    row, column = share.channel(row_axis, width), share.channel(column_axis, width)
    value, giver, waiting = np.full(size, unreached, dtype), np.full(size, -1, np.int32), np.zeros(size, np.bool_)
    parent = np.full_like(share.ids, -1)
    best, origin = np.full(rows.num_columns, unreached, dtype), np.zeros(rows.num_columns, np.int32)
    listed, reach = (np.empty(max(rows.num_vertices, rows.num_columns), kind) for kind in (np.int32, dtype))
    state = new_state(kernels.NUMBERS)
    state[kernels.FEW] = FEW * member.size
    for place in np.flatnonzero(share.ids == source):
        value[place], parent[place], waiting[place] = first, source, True
        best[column.starts[column.position] + place] = first
    vertex, _, _, *lists = buckets.new_pool(listed, listed)
    pool = [(vertex, None, None, *lists)]
    owned = (value, giver, waiting, superstep.new_set(size), np.empty(max(size, 1), np.int32))
    block = (best, origin, superstep.new_set(rows.num_columns), listed, reach)

    def steps() -> int:
        search = (row, column, rows.unsigned(), weights, owned, block, pool[0], scale, low, state)
        code, pool[0] = kernels.best_paths(*search)
        return int(code)

    checkpoints.follow(member, steps, (row, column), state, (value, giver, waiting, best, origin))
    fetch_parents(share, row_axis, column, giver, origin, parent)
    return value, parent, int(state[kernels.STEPS])


def _shortest_path_tree(
    share: Share, source: int, value: Array, cost: Callable[[Array], Array], unreached: Any, low: float | None
) -> Array:
    """Parents that depend on the graph alone: a breadth-first search over the edges of best paths."""

    def is_on_best_path(weights: Array, before: Array, behind: Array) -> Array:
        with np.errstate(over="ignore", invalid="ignore"):
            offered = before + cost(weights) if low is None else np.maximum(before, cost(weights))
        on_path: Array = (offered == behind) & (before != unreached) & (behind != unreached)
        return on_path

    best_path_edges = ClusterWaist(share, "cpu").select(share, is_on_best_path, value)
    parent: Array = bfs(best_path_edges, source, deterministic=True).parent
    return parent
