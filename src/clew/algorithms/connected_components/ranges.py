"""Connected components of a graph in ranges: every member joins its own range, and all join what the cut edges join.

1. A member finds the trees of its range. Ends of edges elsewhere are ghosts, and belong to these trees too.
2. It tells the owners of its ghosts the roots of their trees. Both ends of a cut edge are roots of trees then.
3. All members get all such pairs, each as a forest, and join them. They are few, because few edges are cut.
4. Owners say how large these trees are and which smallest id each has. Labels and sizes follow.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from clew import threads
from clew.algorithms.connected_components import kernels_cluster as kernels
from clew.algorithms.connected_components.kernels import most_frequent
from clew.build import kernels_components as joining
from clew.build.rows import blocks_of
from clew.dtypes import Array, as_bits
from clew.engines.cluster.ranges import ghosts_of
from clew.engines.cluster.share import Share


def components_of_ranges(share: Share) -> tuple[Array, Array, Array]:
    """The labels of this member's vertices, and the labels and sizes of the components whose root is here."""
    member, ids = share.member, share.ids
    first = member.rank * share.partition.segment
    behind = share.block.num_vertices
    step, pointer = member.checkpoint(0, 0, np.empty(0, as_bits(share.block.indices).dtype))
    if step == 0:
        pointer = _joined(share, first)
        member.checkpoint(1, 1, pointer)
    own = pointer[: ids.size]
    smallest, sizes = np.full(ids.size, np.iinfo(ids.dtype).max, ids.dtype), np.zeros(ids.size, np.int64)
    kernels.count_members(own, ids, smallest, sizes)
    trees, tops = _forest(*_pairs_of_all(share, own, pointer[behind:], first))
    here = slice(*np.searchsorted(trees, [first, first + ids.size]))
    cut = trees[here] - first
    lowest, total = (np.concatenate(member.all_gather("all", each[cut])) for each in (smallest, sizes))
    kernels.add_members(tops, lowest.copy(), np.where(tops == np.arange(tops.size), 0, total), lowest, total)
    smallest[cut], sizes[cut] = lowest[tops[here]], 0
    whole = np.arange(trees.size)[here] == tops[here]
    sizes[cut[whole]] = total[here][whole]
    label = np.empty_like(ids)
    kernels.label_members(own, smallest, smallest, label)
    roots = np.flatnonzero(sizes)
    return label, smallest[roots], sizes[roots]


def _joined(share: Share, first: int) -> Array:
    """The root of every vertex of the range and, behind them, of every ghost."""
    rows, (ghosts, _) = share.block, ghosts_of(share)
    behind = rows.num_vertices
    pointer = np.arange(behind + ghosts.size, dtype=as_bits(rows.indices).dtype)
    bounds, parts = blocks_of(rows), threads.pieces(pointer.size)
    edges = (bounds.size - 1, bounds, *rows.unsigned(), np.uint64(first), pointer)
    threads.each(kernels.join_range, *edges, ghosts)
    threads.each(joining.flatten, parts, parts, pointer)
    # An undirected edge between this tree and another one is in a row of the other.
    largest = -1 if share.directed else most_frequent(pointer[:behind])
    threads.each(kernels.join_range_rest, *edges, largest)
    threads.each(joining.flatten, parts, parts, pointer)
    return pointer


def _pairs_of_all(share: Share, own: Array, roots_of_ghosts: Array, first: int) -> tuple[Array, Array]:
    """Pairs of trees, named by the places of their roots, that cut edges join: all members' pairs."""
    member, segment, dtype = share.member, share.partition.segment, share.ids.dtype
    ghosts, bounds = ghosts_of(share)
    parts = [slice(low, high) for low, high in pairwise(bounds)]
    places = member.all_to_all("all", [(ghosts[part] - k * segment).astype(dtype) for k, part in enumerate(parts)])
    roots = member.all_to_all("all", [roots_of_ghosts[part].astype(dtype) + dtype.type(first) for part in parts])
    trees, tops = _forest(own[np.concatenate(places)].astype(dtype) + dtype.type(first), np.concatenate(roots))
    below = trees != trees[tops]
    ones, others = (np.concatenate(member.all_gather("all", each[below])) for each in (trees, trees[tops]))
    return ones, others


def _forest(ones: Array, others: Array) -> tuple[Array, Array]:
    """All members of some pairs, ascending, and for each the index of the smallest one that pairs connect it with."""
    every, index = np.unique(np.concatenate([ones, others]), return_inverse=True)
    pointer = np.arange(every.size, dtype=np.uint32)
    kernels.join_pairs(pointer, index[: ones.size], index[ones.size :])
    joining.flatten(0, 1, pointer)
    return every, pointer
