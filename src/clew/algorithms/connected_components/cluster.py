"""Connected components on a cluster: members join what their edges join, and owners join what members disagree on.

1. Every member finds the trees of its block, and sends each vertex's owner the smallest place in its tree.
2. An owner points the vertex to the smallest of these. The others are in the same component: such pairs are edges.
3. Edges go to the owner of their larger end, who does the same, until there are none. They become fewer every round.
4. Every vertex follows its pointers to the root, which knows the smallest id.
"""

from __future__ import annotations

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
from clew.engines.cluster.share import Share

Labels = list[tuple[Array, Array]]


def connected_components(share: Share) -> Answer:
    """The smallest vertex of every weak component; see ``clew.connected_components``."""
    if share.partition.grid.one_column:
        label, labels, sizes = components_of_ranges(share)
        return summary(label, _in_order(share, labels, sizes))
    first = share.member.rank * share.partition.segment
    parent = np.arange(first, first + share.ids.size, dtype=share.ids.dtype)
    edges, rounds = _hooked(parent, first, _block_labels(share)), 1
    while share.member.any(edges.size):
        owner, local = np.divmod(edges[:, 0], share.partition.segment)
        places, labels = share.member.send_to_owners(owner, [local, edges[:, 1]])
        edges, rounds = _hooked(parent, first, [(places, labels)]), rounds + 1
    label, sizes = _labels(share, parent, first)
    return summary(label, sizes, rounds)


def _block_labels(share: Share) -> Labels:
    """For places of this member's segment, the smallest places that members found in their trees."""
    member, segment = share.member, share.partition.segment
    block, routes = share.routes(transpose=share.directed and share.is_reversed)
    rows, behind = routes.rows(block), routes.filled.size
    pointer = _joined(rows)
    ranks = member.groups[routes.row_axis], member.groups[routes.column_axis]
    smallest = routes.filled.astype(share.ids.dtype) + share.ids.dtype.type(ranks[0][0] * segment)
    for k, columns in enumerate(routes.needed):
        kernels.lower(pointer, behind, columns, (ranks[1][k] - k) * segment, smallest)
    by_row = smallest[pointer[:behind]]
    by_column = [np.empty(columns.size, smallest.dtype) for columns in routes.needed]
    for columns, labels in zip(routes.needed, by_column, strict=True):
        kernels.labels_of(pointer, behind, columns, smallest, labels)
    parts = [by_row[low:high] for low, high in pairwise(routes.bounds)]
    return [
        *zip(routes.due, member.all_to_all(routes.row_axis, parts), strict=True),
        *zip(routes.asked, member.all_to_all(routes.column_axis, by_column), strict=True),
    ]


def _joined(rows: Adjacency) -> Array:
    """The root of every row and, behind them, of every column that has edges."""
    pointer = np.arange(rows.num_vertices + rows.num_columns, dtype=as_bits(rows.indices).dtype)
    if not rows.num_arcs:
        return pointer
    bounds, parts = blocks_of(rows), threads.pieces(pointer.size)
    edges = (bounds.size - 1, bounds, *rows.unsigned(), pointer)
    threads.each(kernels.join_first, *edges)
    threads.each(joining.flatten, parts, parts, pointer)
    largest = pointer.dtype.type(most_frequent(pointer[: rows.num_vertices]))
    marks = np.empty(-(-rows.num_columns // 64), np.uint64)
    threads.each(joining.mark, parts, parts, pointer[rows.num_vertices :], largest, marks)
    threads.each(kernels.join_rest, *edges, largest, marks)
    threads.each(joining.flatten, parts, parts, pointer)
    return pointer


def _hooked(parent: Array, first: int, given: Labels) -> Array:
    """Point vertices to smaller labels; returns the pairs of places that are still to be joined, larger ones first."""
    edges = np.empty((sum(places.size for places, _ in given), 2), np.int64)
    recent, count = np.zeros((kernels.RECENT, 2), np.int64), 0
    for places, labels in given:
        count = kernels.hook(places, labels, first, parent, edges, count, recent)
    return edges[:count]


def _labels(share: Share, parent: Array, first: int) -> tuple[Array, Array]:
    """The label of each of this member's vertices, and the sizes of all components in the order of labels."""
    member, segment = share.member, share.partition.segment
    slots = np.empty(parent.size, np.int32)
    roots = kernels.number_parents(parent, first, slots)
    going = np.arange(roots.size)
    while member.any(going.size):
        owner, local = np.divmod(roots[going], segment)
        above = member.fetch(owner, local, parent)
        going, above = going[above != roots[going]], above[above != roots[going]]
        roots[going] = above
    # What every member has of a tree goes to the owner of its root, who knows the smallest id then.
    lowest = np.full(roots.size, np.iinfo(share.ids.dtype).max, share.ids.dtype)
    counts = np.zeros(roots.size, np.int64)
    kernels.count_members(slots, share.ids, lowest, counts)
    owner, local = np.divmod(roots, segment)
    smallest, sizes = share.ids.copy(), np.ones(share.ids.size, np.int64)
    kernels.add_members(*member.send_to_owners(owner, [local, lowest, counts]), smallest, sizes)
    found = member.fetch(owner, local, smallest)
    label = np.empty_like(share.ids)
    kernels.label_members(slots, found, smallest, label)
    own = np.flatnonzero(slots < 0)
    return label, _in_order(share, smallest[own], sizes[own])


def _in_order(share: Share, labels: Array, sizes: Array) -> Array:
    """The sizes of all members' components, in the order of labels. Most are often single vertices: these send none."""
    single = sizes == 1
    singles, several = (np.concatenate(share.member.all_gather("all", labels[k])) for k in (single, ~single))
    large = np.concatenate(share.member.all_gather("all", sizes[~single]))
    marks = np.zeros(share.num_vertices // 64 + 1, np.uint64)
    kernels.mark_all(singles, marks)
    kernels.mark_all(several, marks)
    ordered: Array = kernels.in_order(marks, several, large, singles.size + several.size)
    return ordered
