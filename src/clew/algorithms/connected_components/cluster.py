"""Connected components on a cluster: members join what their edges join, and owners join what members disagree on.

1. Every member finds the trees of its block over two edges per row, and sends each vertex's owner the smallest place in
   its tree.
2. An owner points the vertex to the smallest of these. The others are in the same component: such pairs are edges.
3. Edges go to the owner of their larger end, who does the same, until there are none. They become fewer every round.
4. Every vertex follows its pointers to the root. Most vertices have the same one by now.
5. Blocks join the other edges of the other vertices' rows: an edge between both kinds is in a row of theirs too. Where
   these join trees, steps 3 and 4 follow once more. A directed edge is in one row, so blocks join all of them at once.
6. The owner of a root collects the smallest id.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from clew import threads
from clew.adjacency import Adjacency
from clew.algorithms.connected_components import kernels_cluster as kernels
from clew.algorithms.connected_components import summary
from clew.algorithms.connected_components.kernels import most_frequent
from clew.algorithms.connected_components.ranges import components_of_ranges
from clew.algorithms.registry import Answer
from clew.build import kernels_components as joining
from clew.build.rows import blocks_of
from clew.dtypes import Array, as_bits
from clew.engines.cluster.owned import OwnedFact
from clew.engines.cluster.share import Share

Labels = list[tuple[Array, Array]]

EXCHANGES_OF_RANGES = (1, 2, 4)  # per worker: at least, likely, at most


@dataclass
class Forest:
    """The trees of a block: the root of every row that has edges and, behind them, of every column.

    ``smallest`` has the smallest place of a tree at its root.
    """

    rows: Adjacency
    filled: Array
    pointer: Array
    smallest: Array


def connected_components(share: Share) -> Answer:
    """The smallest vertex of every weak component; see ``clew.connected_components``."""
    if share.partition.grid.one_column:
        label, labels, sizes = components_of_ranges(share)
        return summary(label, OwnedFact(share.member, labels, sizes))
    first = share.member.rank * share.partition.segment
    parent, forest, rounds = _joined_by_all(share, first)
    slots = np.empty(parent.size, np.int32)
    roots = _climb(share, parent, kernels.number_parents(parent, first, slots))
    # This member's part of every tree.
    lowest = np.full(roots.size, np.iinfo(share.ids.dtype).max, share.ids.dtype)
    counts = np.zeros(roots.size, np.int64)
    kernels.count_members(slots, share.ids, lowest, counts)
    if not share.directed:
        edges = _other_edges(forest, _in_largest(share, slots, roots, counts))
        if share.member.any(edges.size):
            rounds += 1
            while share.member.any(edges.size):
                edges, rounds = _next_edges(share, parent, edges), rounds + 1
            hooked = np.flatnonzero((slots < 0) & (parent != np.arange(first, first + parent.size)))
            slots[hooked] = np.arange(roots.size, roots.size + hooked.size)
            lowest, counts = np.append(lowest, share.ids[hooked]), np.append(counts, np.ones_like(hooked))
            roots = _climb(share, parent, np.append(roots, parent[hooked]))
    return summary(*_labels(share, slots, roots, lowest, counts), rounds)


def _joined_by_all(share: Share, first: int) -> tuple[Array, Forest, int]:
    """Hook over the edges of blocks, and then over edges between vertices of any members, until there are none.

    Returns a place above every vertex of this member, the trees of its block, and the number of rounds.
    """
    parent = np.arange(first, first + share.ids.size, dtype=share.ids.dtype)
    pointer, smallest = np.empty(0, as_bits(share.block.indices).dtype), np.empty(0, share.ids.dtype)
    edges, rounds = np.empty((0, 2), np.int64), 0
    while rounds == 0 or share.member.any(edges.size):
        state = share.member.checkpoint(rounds, rounds, parent, edges, pointer, smallest)
        rounds, parent, edges, pointer, smallest = state
        if rounds == 0:
            forest, given = _block_labels(share)
            pointer, smallest, edges = forest.pointer, forest.smallest, _hooked(parent, first, given)
        else:
            edges = _next_edges(share, parent, edges)
        rounds += 1
    block, routes = share.routes(transpose=share.directed and share.is_reversed)
    return parent, Forest(routes.rows(block), routes.filled, pointer, smallest), rounds


def _next_edges(share: Share, parent: Array, edges: Array) -> Array:
    """Hook over edges between vertices of any members; returns those that are left."""
    owner, local = np.divmod(edges[:, 0], share.partition.segment)
    places, labels = share.member.send_to_owners(owner, [local, edges[:, 1]])
    return _hooked(parent, share.member.rank * share.partition.segment, [(places, labels)])


def _climb(share: Share, parent: Array, places: Array) -> Array:
    """The roots of the trees that some vertices are in."""
    going = np.arange(places.size)
    while share.member.any(going.size):
        owner, local = np.divmod(places[going], share.partition.segment)
        above = share.member.fetch(owner, local, parent)
        going, above = going[above != places[going]], above[above != places[going]]
        places[going] = above
    return places


def _block_labels(share: Share) -> tuple[Forest, Labels]:
    """For places of this member's segment, the smallest places that members found in their trees."""
    member, segment = share.member, share.partition.segment
    block, routes = share.routes(transpose=share.directed and share.is_reversed)
    rows, behind = routes.rows(block), routes.filled.size
    pointer = _joined(rows, all_edges=share.directed)
    smallest = np.empty(pointer.size, share.ids.dtype)
    smallest[:behind] = routes.filled + member.groups[routes.row_axis][0] * segment
    for k, (columns, rank) in enumerate(zip(routes.needed, member.groups[routes.column_axis], strict=True)):
        kernels.lower(pointer, behind, columns, (rank - k) * segment, smallest)
    by_row = smallest[pointer[:behind]]
    by_column = [np.empty(columns.size, smallest.dtype) for columns in routes.needed]
    for columns, labels in zip(routes.needed, by_column, strict=True):
        kernels.labels_of(pointer, behind, columns, smallest, labels)
    parts = [by_row[low:high] for low, high in pairwise(routes.bounds)]
    return Forest(rows, routes.filled, pointer, smallest), [
        *zip(routes.due, member.all_to_all(routes.row_axis, parts), strict=True),
        *zip(routes.asked, member.all_to_all(routes.column_axis, by_column), strict=True),
    ]


def _joined(rows: Adjacency, *, all_edges: bool) -> Array:
    """The root of every row and, behind them, of every column: over two edges per row or over all."""
    pointer = np.arange(rows.num_vertices + rows.num_columns, dtype=as_bits(rows.indices).dtype)
    if not rows.num_arcs:
        return pointer
    bounds, parts = blocks_of(rows), threads.pieces(pointer.size)
    edges = (bounds.size - 1, bounds, *rows.unsigned(), pointer)
    threads.each(kernels.join_first, *edges)
    threads.each(joining.flatten, parts, parts, pointer)
    if all_edges:
        largest = pointer.dtype.type(most_frequent(pointer[: rows.num_vertices]))
        marks = np.empty(-(-rows.num_columns // 64), np.uint64)
        threads.each(joining.mark, parts, parts, pointer[rows.num_vertices :], largest, marks)
        threads.each(kernels.join_rest, *edges, largest, marks)
        threads.each(joining.flatten, parts, parts, pointer)
    return pointer


def _in_largest(share: Share, slots: Array, roots: Array, counts: Array) -> Array:
    """Whether the vertices of the block's rows are in the tree that most vertices of some member are in."""
    member, segment = share.member, share.partition.segment
    best = np.argmax(counts) if counts.size else -1
    mine = np.array([counts[best], -roots[best]] if counts.size else [0, 0], np.int64)
    _, largest = max(map(tuple, np.stack(member.all_gather("all", mine)).tolist()))
    inside = np.zeros(segment, np.bool_)
    inside[: slots.size] = np.append(roots == -largest, False)[slots]
    bits = member.all_gather("row", np.packbits(inside))
    return np.concatenate([np.unpackbits(each, count=segment) for each in bits])


def _other_edges(forest: Forest, in_largest: Array) -> Array:
    """Pairs of places, the larger first, that are in one tree after all edges of rows outside the largest tree."""
    rows, pointer = forest.rows, forest.pointer
    before = pointer.copy()
    if rows.num_arcs:
        bounds = blocks_of(rows)
        outside = (*rows.unsigned(), pointer, forest.filled, in_largest)
        threads.each(kernels.join_outside, bounds.size - 1, bounds, *outside)
    pairs: Array = kernels.joined_trees(before, pointer, forest.smallest)
    return pairs


def _hooked(parent: Array, first: int, given: Labels) -> Array:
    """Point vertices to smaller labels; returns the pairs of places that are still to be joined, larger ones first."""
    edges = np.empty((sum(places.size for places, _ in given), 2), np.int64)
    recent, count = np.zeros((kernels.RECENT, 2), np.int64), 0
    for places, labels in given:
        count = kernels.hook(places, labels, first, parent, edges, count, recent)
    return edges[:count]


def _labels(share: Share, slots: Array, roots: Array, lowest: Array, counts: Array) -> tuple[Array, OwnedFact]:
    """The label of each of this member's vertices, and the sizes of all components in the order of labels.

    ``slots`` has the tree of every vertex, -1 for a root. ``roots``, ``lowest`` and ``counts`` have the root of every
    tree, and the smallest id and the number of this member's vertices there.
    """
    member, segment = share.member, share.partition.segment
    owner, local = np.divmod(roots, segment)
    smallest, sizes = share.ids.copy(), np.ones(share.ids.size, np.int64)
    kernels.add_members(*member.send_to_owners(owner, [local, lowest, counts]), smallest, sizes)
    found = member.fetch(owner, local, smallest)
    label = np.empty_like(share.ids)
    kernels.label_members(slots, found, smallest, label)
    own = np.flatnonzero(slots < 0)
    return label, OwnedFact(member, smallest[own], sizes[own])
