"""Breadth-first search by the members of a cluster: memory for the kernels, and optionally the smallest parents."""

from __future__ import annotations

import numpy as np

from clew.algorithms.bfs import kernels_cluster as kernels
from clew.algorithms.paths.ranges import search
from clew.algorithms.registry import Answer
from clew.dtypes import Array
from clew.engines.cluster import checkpoints, products
from clew.engines.cluster import kernels_superstep as superstep
from clew.engines.cluster.kernels_pause import new_state
from clew.engines.cluster.origins import fetch_parents
from clew.engines.cluster.share import Share
from clew.operators import monoids
from clew.primitives.arguments import engine_of

EXCHANGES_OF_RANGES = (1, 4, 10)  # per worker: at least, likely, at most; few levels of a search leave a range


def bfs(share: Share, source: int, deterministic: bool = False) -> Answer:
    """Search from ``source``; the values are those of this member's vertices."""
    if share.has_ranges:
        return _search_ranges(share, source, deterministic)
    share = share.without_weights()
    size = share.ids.size
    rows, row_axis, column_axis = share.oriented(transpose=False)
    lists = share.routes(transpose=False)[1].numbering
    columns = share.for_pulls(row_axis)
    row, column = share.channel(row_axis), share.channel(column_axis, share.ids.itemsize)
    depth, giver = np.full(size, -1, np.int32), np.full(size, -1, np.int32)
    parent = np.full_like(share.ids, -1)
    frontier = superstep.new_set(size)
    height, width = row.starts.size * share.partition.segment, column.starts.size * share.partition.segment
    listed = np.empty(max(height, width), np.int32)
    state = new_state(kernels.NUMBERS)
    state[kernels.LEFT], state[kernels.PULLS] = rows.num_arcs, columns is not None
    for place in np.flatnonzero(share.ids == source):
        depth[place], parent[place] = 0, source
        superstep.add(frontier, np.uint64(place))
    offered = ~lists.columns[0]  # columns without edges are never read
    block = (
        np.zeros(width, np.int32),
        offered,
        superstep.new_set(width),
        listed,
        np.empty((height >> 6) + 1, np.uint64),
    )
    owned = (depth, giver, frontier, *np.empty((2, max(size, 1)), np.int32))
    search = (row, column, lists, rows.unsigned(), (columns or rows).unsigned(), owned, block, state)
    changing = (depth, giver, *frontier, *block[:2])
    checkpoints.follow(share.member, lambda: kernels.bfs(*search), (row, column), state, changing)
    if deterministic:
        parent[depth > 0] = smallest_parents(share, depth)[depth > 0]
    else:
        parent[depth == 1], giver[depth == 1] = source, -1
        fetch_parents(share, row_axis, column, giver, block[0], parent)
    facts = {"num_reached": int(state[kernels.REACHED])}
    return Answer({"depth": depth, "parent": parent}, facts, unreached=-1, iterations=int(state[kernels.LEVEL]))


def _search_ranges(share: Share, source: int, deterministic: bool) -> Answer:
    unreached = np.int32(np.iinfo(np.int32).max)
    depth, parent, _ = search(share, source, 0, unreached, weights=None, scale=0.0, low=None)
    depth[depth == unreached] = -1
    if deterministic:
        parent[depth > 0] = smallest_parents(share, depth)[depth > 0]
    here = np.array([(depth >= 0).sum(), depth.max(initial=-1)])
    counts = np.array(share.member.all_gather("all", here))
    facts, levels = {"num_reached": int(counts[:, 0].sum())}, 1 + int(counts[:, 1].max())
    return Answer({"depth": depth, "parent": parent}, facts, unreached=-1, iterations=levels)


def smallest_parents(share: Share, depth: Array) -> Array:
    """The smallest possible parent of each of this member's vertices that has one."""
    rows, row_axis, column_axis = share.oriented(transpose=False)
    before, behind = (products.expand(share, depth, axis) for axis in (row_axis, column_axis))
    ids = share.ids_along(row_axis)
    smallest = np.full(behind.size, np.iinfo(ids.dtype).max, ids.dtype)
    kernels.smallest_parents(rows.unsigned(), before, behind, ids, smallest)
    return products.fold(engine_of("cpu"), share, smallest, column_axis, monoids.min)
