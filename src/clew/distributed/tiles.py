"""Folders of tiles on a cluster: every worker writes its own tile, and maps it again on the same grid.

Workers on another grid read equal shares of the tiles and exchange the edges, as if they came from files of edges.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from clew.adjacency import COUNTS, Adjacency
from clew.distributed.locality import CUT, cut_of
from clew.engines.cluster.edges import EdgeExchange
from clew.engines.cluster.hubs import with_hubs
from clew.engines.cluster.member import Member
from clew.engines.cluster.names import send_names
from clew.engines.cluster.partition import KEY, AsNumbered, Listed, Order, Partition
from clew.engines.cluster.ranges import in_blocks, in_ranges
from clew.engines.cluster.share import Share, rectangle, share_of
from clew.errors import GraphError
from clew.graph import Duplicates
from clew.io import tiles
from clew.io.options import ReadOptions, WriteOptions, requested_weights
from clew.io.parts import in_rows
from clew.io.ranges import address_of, open_source, url_of
from clew.io.source import Source
from clew.io.tiles import Header, Tile
from clew.names import VertexNames

BLOCK = 1 << 20  # edges of a tile that are exchanged at once


def write_share(share: Share, folder: str) -> tuple[Header, Tile]:
    """Write this member's tile into a folder that all members see; collective.

    Returns the header of the folder, without the tiles, and the entry of this tile there.
    """
    if share.is_reversed:
        raise GraphError("a reversed graph on a cluster is not written; write the graph itself.")
    order, share = share.partition.order, in_blocks(share)
    places = order(share.ids).astype(np.int32) if isinstance(order, Listed) else None
    grid = (share.partition.grid.rows, share.partition.grid.columns)
    graph = tiles.tile_graph(share.block, share._names, places)
    tile = tiles.write_tile(folder, share.member.rank, grid, graph, WriteOptions())
    counts = {name: getattr(share.report, name) for name in COUNTS}
    weights = None if share.weights is None else share.weights.dtype.str
    facts = (share.num_vertices, share.num_arcs, share.num_loops, share.directed, weights)
    names, hubs = tiles.name_kind(share._names), share.partition.hubs
    kind = None if order is None else tiles.NUMBERED if places is None else tiles.LISTED
    return Header(*facts, names, grid, KEY, counts, (), kind, hubs), tile


def tiles_at(path: Any) -> str | None:
    """The folder of tiles that this names, or its only tile if one process wrote it; None if it names none."""
    if not str(path).partition("?")[0].rstrip("/").endswith(".clewd"):
        return None
    source = open_source(path if url_of(path) is not None else Path(path).absolute())
    header = tiles.read_header(source)
    return address_of(tiles.tile_source(source, header, 0) if header.key is None else source)


def open_share(member: Member, path: str, given: Mapping[str, Any]) -> Share:
    """Open a folder of tiles that members of any grid have written; all members call this."""
    options = ReadOptions(**{name: value for name, value in given.items() if name not in ("progress", "format")})
    source = open_source(path)
    header = tiles.read_header(source)
    before = tiles.partition_of(header)
    mending = member.mending
    partition = with_hubs(Partition(header.num_vertices, member.grid), np.array(header.hubs or ((), (), ())))
    partition = partition if mending is None else mending.partition
    changes = options.duplicates != "keep" or options.loops != "keep"
    if header.directed and options.directed is False:
        raise source.error(
            "its edges are directed; on a cluster, directed=False is not available for .clewd folders.",
            remedy="Leave directed= out, or read the folder on one machine and call spread().",
        )
    directed = header.directed if options.directed is None else options.directed
    if before == partition and not changes:
        if mending is not None and mending.known is not None:
            return mending.known
        block, names = tiles.open_tile(source, header, member.rank, options.check)
        weights = requested_weights(block.weights, options)
        share = Share(
            member,
            partition,
            rectangle(Adjacency(block.indptr, block.indices, weights), partition.rows, partition.columns),
            directed=directed,
            num_arcs=header.num_arcs,
            num_loops=header.num_loops,
            names=None if names is None else VertexNames.trusted(names),
        )
        return _in_order(share.with_report(header.build_report), source, header)
    share = _dealt(member, source, header, before, partition, options, directed=directed)
    return _in_order(share if changes else share.with_report(header.build_report), source, header)


def _in_order(share: Share, source: Source, header: Header) -> Share:
    """The graph in ranges, if it was when it was written and these members' ranges cut few edges."""
    member = share.member
    if header.order is None or member.size == 1 or not member.has_sockets or member.mending is not None:
        return share
    order: Order = AsNumbered()
    if header.order == tiles.LISTED:
        before, mine = tiles.partition_of(header), range(member.rank, len(header.tiles), member.size)
        ids, places = (
            np.concatenate([np.empty(0, np.int32), *parts])
            for parts in (
                [before.owned(rank) for rank in mine],
                [tiles.open_places(source, header, rank) for rank in mine],
            )
        )
        places = member.gather_by_id(ids.astype(np.int64), places.astype(np.int32), header.num_vertices)
        order = Listed(tiles.checked_order(source, header, places))
    return in_ranges(share, order) if cut_of(share, order) < CUT else share


def _dealt(
    member: Member,
    source: Source,
    header: Header,
    before: Any,
    partition: Partition,
    options: ReadOptions,
    *,
    directed: bool,
) -> Share:
    """The share of a grid that is not the one of the tiles."""
    import pyarrow as pa

    exchange = EdgeExchange(member.on(partition.grid), partition, drop_loops=options.loops == "drop")
    low, high = (header.num_arcs * rank // member.size for rank in (member.rank, member.rank + 1))
    place, dtype = 0, None
    for rank, tile in enumerate(header.tiles):
        start, stop = (min(max(bound - place, 0), tile.arcs) for bound in (low, high))
        if start < stop:
            block, _ = tiles.open_tile(source, header, rank, options.check)
            for first in range(start, stop, BLOCK):
                last = min(first + BLOCK, stop)
                ends = tiles.checked_ends(
                    source, before, rank, in_rows(block.indptr, first, last), block.indices[first:last]
                )
                few = None if block.weights is None else block.weights[first:last]
                exchange.add(*ends, requested_weights(few, options))
        place += tile.arcs
    if header.weights is not None:
        dtype = requested_weights(np.empty(0, header.weights), options)
    policy: Duplicates = options.duplicates
    share = share_of(exchange, None if dtype is None else dtype.dtype, directed=directed, duplicates=policy)
    if not header.names:
        return share
    mine = range(member.rank, len(header.tiles), member.size)
    names = [tiles.open_tile(source, header, rank, options.check)[1] for rank in mine]
    kind = pa.int64() if header.names == tiles.INTEGERS else pa.large_string()
    ids = np.concatenate([np.empty(0, np.int64), *(before.owned(rank) for rank in mine)])
    together = pa.concat_arrays([pa.array([], kind), *(each.cast(kind) for each in names)])
    return share.with_names(send_names(member, partition, together, lambda low, high: ids[low:high]))
