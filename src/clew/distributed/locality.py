"""Blocks or ranges: the partition of a graph, chosen by how many edges ranges of vertices would cut."""

from __future__ import annotations

import numpy as np

from clew.algorithms.bfs.cluster import bfs
from clew.dtypes import Array
from clew.engines.cluster.partition import AsNumbered, Listed, Order
from clew.engines.cluster.ranges import in_ranges
from clew.engines.cluster.share import Share

CUT = 0.02  # the share of edges between ranges below which ranges are chosen
IMBALANCE = 1.5  # and the edges of the largest range by the mean
SAMPLE = 1 << 16  # edges per member
SMALLEST = 1 << 14  # vertices; in a smaller graph nothing is gained
LARGEST = 1 << 27  # vertices; the table of an order takes 8 bytes of each, in every worker
SPARSE = 8  # edges per vertex up to which an order by levels is tried
CROSSING = 32  # edges of a vertex in a block above which a directed graph is no road network: it is not made undirected
TILE = 16  # levels
DEEP = 50  # levels per worker that such an order needs: every range cuts one level at each end


def by_locality(share: Share) -> Share:
    """The graph in ranges, as it is numbered or by the levels of a search, if they cut few edges; else unchanged."""
    member, n = share.member, share.num_vertices
    if member.mending is not None or member.size == 1 or not SMALLEST <= n <= LARGEST or not member.has_sockets:
        return share
    if cut_of(share, AsNumbered()) < CUT:
        return in_ranges(share)
    if share.num_arcs * (2 if share.directed else 1) > SPARSE * n:
        return share
    if share.directed:
        if _largest_degree(share) > CROSSING:
            return share
        order = order_by_levels(share.with_weights(None).symmetrized())
    else:
        order = order_by_levels(share)
    return share if order is None or cut_of(share, order) >= CUT else in_ranges(share, order)


def _largest_degree(share: Share) -> int:
    """The most edges that a vertex has in a block, in either direction; collective."""
    block = share.block
    into = np.bincount(block.indices, minlength=1).max(initial=0)
    return int(share.member.all_reduce(np.int64(max(int(block.degrees().max(initial=0)), into)), np.maximum))


def cut_of(share: Share, order: Order) -> float:
    """The share of a sample of edges that ranges of an order cut; 1 if they would have very different sizes."""
    block, segment = share.block, share.partition.segment
    chosen = np.arange(0, block.num_arcs, max(1, block.num_arcs // SAMPLE))
    rows = np.searchsorted(block.indptr, chosen, side="right") - 1
    sources, targets = share.ids_along("row")[rows], share.ids_along("column")[block.indices[chosen]]
    here, there = (order(ids) // segment for ids in (sources, targets))
    counts = np.append(np.bincount(here, minlength=share.member.size), (here != there).sum())
    *sizes, cut = share.member.all_reduce(counts.astype(np.int64), np.add).tolist()
    edges = max(1, sum(sizes))
    return 1.0 if max(sizes) * share.member.size > IMBALANCE * edges else cut / edges


def order_by_levels(share: Share) -> Order | None:
    """Vertices by the levels of a search from a vertex at the border, as reverse Cuthill-McKee has them.

    None if the graph has few levels, or several large parts.
    """
    member, n = share.member, share.num_vertices
    some = share.ids_along("row")[np.flatnonzero(np.diff(share.block.indptr))[:1]]
    start = int(member.all_reduce(np.int64(some[0] if some.size else n), np.minimum))
    if start == n:
        return None
    first = bfs(share, start)
    if first.iterations < DEEP * member.size or first.num_reached < n * (1 - CUT):
        return None
    last = np.flatnonzero(first.depth == first.iterations - 1)[:1]
    border = int(member.all_reduce(np.int64(share.ids[last[0]] if last.size else n), np.minimum))
    second = bfs(share, border)
    level = np.where(second.depth < 0, second.iterations, second.depth)
    owner = _places(share, level, second.iterations + 1) // share.partition.segment
    # Inside a range, tiles of both searches' levels: a search in any direction finds neighbors in the same cache line.
    tile = (level.astype(np.int64) // TILE << 32) + first.depth // TILE
    ids, tile = member.send_to_owners(owner, [share.ids, tile])
    ids = ids[np.argsort(tile, kind="stable")]
    places = np.arange(ids.size, dtype=np.int32) + np.int32(member.rank * share.partition.segment)
    return Listed(member.gather_by_id(ids, places, n))


def _places(share: Share, level: Array, levels: int) -> Array:
    """The place of each of this member's vertices in the order of levels; within a level, by member."""
    counts = np.array(share.member.all_gather("all", np.bincount(level, minlength=levels)))
    begin = np.cumsum(counts.sum(axis=0)) - counts.sum(axis=0) + counts[: share.member.rank].sum(axis=0)
    own = counts[share.member.rank]
    order = np.argsort(level, kind="stable")
    places = np.empty(level.size, np.int32)
    places[order] = np.repeat(begin - (np.cumsum(own) - own), own) + np.arange(level.size)
    return places
