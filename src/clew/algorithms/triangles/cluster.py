"""Triangles on a cluster: for every owner in turn, members of a row and of a column share the edges at its vertices.

A triangle leads from u over v to w, by rising degree. The member that counts it has the edge u-w. A member of its row
has u-v, and a member of its column has v-w. The owner of v says in which turn. So a member has the edges of one segment
of the others at a time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from clew import threads
from clew.algorithms.registry import Answer
from clew.algorithms.triangles import kernels_cluster as kernels
from clew.dtypes import Array
from clew.engines.cluster import products
from clew.engines.cluster.share import Share, build_share, edge_ends
from clew.engines.cpu import CpuEngine
from clew.operators import monoids


class Edges(NamedTuple):
    """The edges of a block that lead to a vertex of larger degree."""

    indptr: Array
    indices: Array
    times: Array | None


def triangles(share: Share, per_vertex: bool) -> Answer:
    """How many triangles each of this member's vertices is in; see ``clew.triangles``."""
    counts = weights_opposite(simple(share))
    total = int(share.member.all_reduce(counts.sum(), np.add)) // 3
    return Answer({"count": counts} if per_vertex else {}, {"total": total})


def simple(share: Share) -> Share:
    """The undirected graph without loops, duplicates and weights; the same one if it is simple."""
    clean = not share.directed and share.num_loops == 0
    if clean and not share.member.any(kernels.has_duplicates(*share.block.unsigned())):
        return share.with_weights(None)
    both = share.directed
    source, target = edge_ends(share)
    options = {"directed": False, "symmetrize": both, "duplicates": "drop", "loops": "drop"}
    return build_share(share.member, source, target, None, share.partition, **options)  # type: ignore[arg-type]


def weights_opposite(share: Share) -> Array:
    """For each of this member's vertices, the weights of the edges opposite to it in all triangles; 1 without weights.

    The graph is simple and undirected. Weights have 8 bits.
    """
    member, segment = share.member, share.partition.segment
    edges = upward(share)
    at_u, at_w = np.zeros(share.partition.rows, np.uint64), np.zeros(share.partition.columns, np.uint64)
    total = np.zeros(share.ids.size, np.int64)
    turn = 0
    while turn < member.size:
        turn, total, at_u, at_w = member.checkpoint(turn, turn, total, at_u, at_w)
        paths, at_v = paths_of(share, edges, turn), np.zeros(segment, np.uint64)
        threads.in_pieces(kernels.count, paths[0].size, *paths, *edges, at_u, at_v, at_w)
        at_v = at_v.view(np.int64)
        arrived = member.all_to_all("all", [at_v if rank == turn else at_v[:0] for rank in range(member.size)])
        if member.rank == turn:
            total += np.add.reduce(arrived)[: total.size]
        turn += 1
    for counts, axis in ((at_u, "row"), (at_w, "column")):
        total += products.fold(CpuEngine(), share, counts.view(np.int64), axis, monoids.plus)  # type: ignore[arg-type]
    return total


def paths_of(share: Share, edges: Edges, turn: int) -> tuple[Array, ...]:
    """The edges from u to v of this member's row, and from v to w of its column, where one member owns v.

    These are pairs and their times, then offsets, targets and times; see ``kernels.count``.
    """
    member, columns = share.member, share.member.grid.columns
    row, column = divmod(turn, columns)
    sends = row if member.rank % columns == column else None
    pairs, pair_times = (_from(share, "row", column, part) for part in _of_columns(share, edges, sends))
    sends = column if member.rank // columns == row else None
    starts, items, item_times = (_from(share, "column", row, part) for part in _of_rows(share, edges, sends))
    return pairs.reshape(-1, 2), pair_times, starts, items, item_times


def upward(share: Share) -> Edges:
    """The edges of the block that lead to a vertex of larger degree, or of the same degree and a larger place."""
    block, first = share.block, share.member.rank * share.partition.segment
    keys = share.own_degrees() * share.num_vertices + np.arange(first, first + share.ids.size)
    row_keys, column_keys = products.expand(share, keys, "row"), products.expand(share, keys, "column")
    starts, items = np.empty(block.num_vertices + 1, np.int64), np.empty_like(block.indices)
    times = None if block.weights is None else np.empty(block.num_arcs, np.uint8)
    given = None if block.weights is None else block.weights.astype(np.uint8)
    count = int(kernels.upward(*block.unsigned(), given, row_keys, column_keys, starts, items, times))
    return Edges(starts, items[:count].copy(), None if times is None else times[:count].copy())


def _of_columns(share: Share, edges: Edges, row: int | None) -> tuple[Array, Array]:
    """Pairs, and their times, of the edges to the columns of one member; none if there is no ``row``."""
    segment, room = share.partition.segment, 0 if row is None else edges.indices.size
    pairs, times = np.empty((room, 2), np.int32), np.empty(0 if edges.times is None else room, np.uint8)
    if row is None:
        return pairs, times
    count = kernels.of_columns(*edges, row * segment, (row + 1) * segment, pairs, times)
    return pairs[:count], times[:count]


def _of_rows(share: Share, edges: Edges, column: int | None) -> tuple[Array, Array, Array]:
    """Offsets, targets and times of the edges from the rows of one member; none if there is no ``column``."""
    segment, times = share.partition.segment, np.empty(0, np.uint8) if edges.times is None else edges.times
    if column is None:
        return edges.indptr[:0], edges.indices[:0], times[:0]
    offsets = edges.indptr[column * segment : (column + 1) * segment + 1]
    part = slice(offsets[0], offsets[-1])
    return offsets - offsets[0], edges.indices[part], times[part]


def _from(share: Share, group: str, sender: int, part: Array) -> Array:
    """The part of one member of a group; the others have none."""
    return share.member.all_gather(group, part.reshape(-1))[sender]
