"""Graphs in ranges: every member has a range of vertices and all their out-edges, which should seldom leave it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from clew.dtypes import Array
from clew.engines.cluster.edges import EdgeExchange
from clew.engines.cluster.names import send_names
from clew.engines.cluster.partition import AsNumbered, Grid, Order, Partition
from clew.engines.cluster.share import Share, build_share, edge_ends, share_of


def in_ranges(share: Share, order: Order | None = None) -> Share:
    """The same graph in ranges of the ids, or of another order; collective."""
    member = share.member.on(Grid(share.member.size, one_column=True))
    partition = Partition(share.num_vertices, member.grid, order or AsNumbered())
    exchange = EdgeExchange(member, partition)
    exchange.add(*edge_ends(share), share.block.weights)
    built = share_of(exchange, None if share.weights is None else share.weights.dtype, directed=share.directed)
    whole = Share(
        member,
        partition,
        built.block,
        directed=share.directed,
        num_arcs=share.num_arcs,
        num_loops=share.num_loops,
        report=share.report,
    )
    return _with_names_of(share, whole)


def in_blocks(share: Share) -> Share:
    """The same graph with the blocks of a hashed partition, as folders of tiles have them; collective."""
    if share.partition.order is None or share.is_reversed:
        return share
    member = share.member.on(Grid(share.member.size))
    ends, weights = edge_ends(share), share.block.weights
    built = build_share(member, *ends, weights, share.num_vertices, directed=share.directed)
    return _with_names_of(share, built.with_report(share.report))


def _with_names_of(share: Share, built: Share) -> Share:
    """The same graph with the names of another share of it; collective."""
    if share._names is None:
        return built
    names = share._names.take(np.arange(share.ids.size))
    return built.with_names(send_names(built.member, built.partition, names, lambda low, high: share.ids[low:high]))


class Cut(NamedTuple):
    """Of a graph in ranges: the arcs that leave the range of their source, and the vertices of others that they use."""

    arcs: int
    copies: int


def cut_here(share: Share) -> Cut | None:
    """The cut of the edges that are here; None of a graph that is not in ranges."""
    if not share.has_ranges or share.member.size == 1:
        return None
    inside = share.block.indices // share.partition.segment == share.member.rank
    return Cut(share.block.num_arcs - int(np.count_nonzero(inside)), ghosts_of(share)[0].size)


def ghosts_of(share: Share) -> tuple[Array, Array]:
    """The columns of the block that are vertices of other members, and where those of every member begin."""
    if share.ghosts is None:
        segment, rank = share.partition.segment, share.member.rank
        used = np.zeros(share.partition.columns, np.bool_)
        used[share.block.indices] = True
        used[rank * segment : (rank + 1) * segment] = False
        columns = np.flatnonzero(used)
        share.ghosts = columns, np.searchsorted(columns, np.arange(share.member.size + 1) * segment)
    return share.ghosts
