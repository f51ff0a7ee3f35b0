# mypy: ignore-errors
"""Connected components of a block of edges, and of what members know about a vertex.

A vertex of a block has two places in ``pointer``: one as a row, and one behind all rows as a column. Members name
vertices by their places in the order of the partition, which is random, so chains of pointers are short.
"""

import numpy as np

from clew.build.kernels_components import AHEAD, LOW_SIX, ONE, SIX, join
from clew.engines.cpu.team.kernels_intrinsics import prefetch
from clew.jit import njit

TWO = np.uint64(2)
RECENT = 1 << 12  # pairs that are remembered, so that most duplicates are dropped at once


@njit(cache=True, nogil=True)
def join_first(piece, bounds, indptr, indices, pointer):
    """Join every row of a piece over its first two edges."""
    columns = np.uint64(indptr.size - 1)
    last, end = columns - ONE, np.uint64(indices.size - 1)
    for v in range(np.uint64(bounds[piece]), np.uint64(bounds[piece + 1])):
        prefetch(pointer, columns + np.uint64(indices[min(np.uint64(indptr[min(v + AHEAD, last)]), end)]))
        first = np.uint64(indptr[v])
        join(pointer, v, columns + np.uint64(indices[first]))
        if first + ONE < indptr[v + ONE]:
            join(pointer, v, columns + np.uint64(indices[first + ONE]))


@njit(cache=True, nogil=True)
def join_rest(piece, bounds, indptr, indices, pointer, largest, marks):
    """Join every row of a piece over its other edges, unless both ends are in the tree ``largest``.

    ``marks`` has a bit for every column in that tree. Columns that join it get one. Of two threads that write a word at
    once one may lose its bits, which costs another join and nothing else.
    """
    columns = np.uint64(indptr.size - 1)
    for v in range(np.uint64(bounds[piece]), np.uint64(bounds[piece + 1])):
        inside = pointer[v] == largest
        for j in range(np.uint64(indptr[v]), np.uint64(indptr[v + ONE])):
            w = np.uint64(indices[j])
            if not inside:
                join(pointer, v, columns + w)
            elif not (marks[w >> SIX] >> (w & LOW_SIX)) & ONE:
                join(pointer, v, columns + w)
                marks[w >> SIX] |= ONE << (w & LOW_SIX)


@njit(cache=True, nogil=True)
def join_outside(piece, bounds, indptr, indices, pointer, filled, in_largest):
    """Join every row of a piece that is not in the largest tree over all edges but the first two.

    ``filled`` are the rows that have edges, and ``in_largest`` has a byte for every row of the block.
    """
    columns = np.uint64(indptr.size - 1)
    for v in range(np.uint64(bounds[piece]), np.uint64(bounds[piece + 1])):
        if not in_largest[filled[v]]:
            for j in range(np.uint64(indptr[v]) + TWO, np.uint64(indptr[v + ONE])):
                join(pointer, v, columns + np.uint64(indices[j]))


@njit(cache=True, nogil=True)
def joined_trees(before, pointer, smallest):
    """Pairs of trees that were joined: the smallest places of a former root and of its root now, the larger first."""
    count = 0
    for v in range(before.size):
        count += before[v] == v and pointer[v] != v
    pairs, count = np.empty((count, 2), np.int64), 0
    for v in range(before.size):
        if before[v] == v and pointer[v] != v:
            root = pointer[v]
            while pointer[root] != root:
                root = pointer[root]
            one, other = np.int64(smallest[v]), np.int64(smallest[root])
            pairs[count, 0], pairs[count, 1] = max(one, other), min(one, other)
            count += 1
    return pairs


@njit(cache=True, nogil=True)
def join_range(piece, bounds, indptr, indices, first, pointer, ghosts):
    """Join every row of a piece with its ends in other ranges, and over two edges to rows before it.

    Rows are sorted, so ends in other ranges are at the beginning and at the end of a row. ``first`` is the column of
    row 0. The pointers of ``ghosts``, which are columns of other ranges, are behind those of rows.
    """
    size = np.uint64(indptr.size - 1)
    for v in range(np.uint64(bounds[piece]), np.uint64(bounds[piece + 1])):
        begin, end = np.uint64(indptr[v]), np.uint64(indptr[v + ONE])
        while begin < end and indices[begin] < first:
            join(pointer, v, size + np.uint64(np.searchsorted(ghosts, indices[begin])))
            begin += ONE
        while begin < end and indices[end - ONE] >= first + size:
            end -= ONE
            join(pointer, v, size + np.uint64(np.searchsorted(ghosts, indices[end])))
        for j in range(begin, min(begin + TWO, end)):
            w = np.uint64(indices[j]) - first
            if w < v:
                join(pointer, v, w)


@njit(cache=True, nogil=True)
def join_range_rest(piece, bounds, indptr, indices, first, pointer, largest):
    """Join every row of a piece that is not in the tree ``largest`` over its edges inside the range."""
    size = np.uint64(indptr.size - 1)
    for v in range(np.uint64(bounds[piece]), np.uint64(bounds[piece + 1])):
        if np.int64(pointer[v]) != largest:
            for j in range(np.uint64(indptr[v]), np.uint64(indptr[v + ONE])):
                w = np.uint64(indices[j]) - first  # not below size where the end is in another range
                if w < size:
                    join(pointer, v, w)


@njit(cache=True, nogil=True)
def join_pairs(pointer, ones, others):
    """Join the trees of pairs."""
    for k in range(ones.size):
        join(pointer, np.uint64(ones[k]), np.uint64(others[k]))


@njit(cache=True, nogil=True)
def lower(pointer, behind, columns, shift, smallest):
    """Lower the smallest place of every tree to those of its columns, whose places are ``columns`` plus ``shift``.

    The pointers of columns are ``behind`` those of rows. A tree with a row has a row as its root.
    """
    for k in range(columns.size):
        root, place = pointer[np.uint64(behind + columns[k])], smallest.dtype.type(columns[k] + shift)
        smallest[root] = place if root >= behind else min(smallest[root], place)


@njit(cache=True, nogil=True)
def labels_of(pointer, behind, columns, smallest, labels):
    """The smallest place in the tree of some columns."""
    for k in range(columns.size):
        labels[k] = smallest[pointer[np.uint64(behind + columns[k])]]


@njit(cache=True, nogil=True)
def hook(places, labels, first, parent, edges, count, recent):
    """Point vertices to the labels that a member has for them, if these are smaller.

    The vertex at ``places[k]`` of this member's segment, which begins with vertex ``first``, is in one component with
    ``labels[k]``. So is its parent: every pair of two that differ is appended to ``edges``, the larger one first.
    Returns their number. ``recent`` remembers pairs.
    """
    for k in range(places.size):
        v, label = np.uint64(places[k]), np.int64(labels[k])
        before = np.int64(parent[v])
        if label == before:
            continue
        low, high = min(label, before), max(label, before)
        parent[v] = low
        if high == first + np.int64(v):
            continue
        slot = np.uint64(high * 31 + low) & np.uint64(RECENT - 1)
        if recent[slot, 0] == high and recent[slot, 1] == low:
            continue
        recent[slot, 0], recent[slot, 1] = high, low
        edges[count, 0], edges[count, 1] = high, low
        count += 1
    return count


@njit(cache=True, nogil=True)
def number_parents(parent, first, slots):
    """List the parents of all vertices that are not their own, each once; ``slots`` says which is whose, or -1."""
    table = np.full(1024, -1, np.int32)
    keys = np.empty(512, parent.dtype)
    count = 0
    for v in range(parent.size):
        key = parent[v]
        if np.int64(key) == first + v:
            slots[v] = -1
            continue
        if v > 0 and slots[v - 1] >= 0 and parent[v - 1] == key:
            slots[v] = slots[v - 1]
            continue
        if 2 * count >= table.size:
            keys, table = _grown(keys, count, table.size * 4)
        place = _find(table, keys, key)
        if table[place] < 0:
            table[place] = count
            keys[count] = key
            count += 1
        slots[v] = table[place]
    return keys[:count].copy()


@njit(cache=True, nogil=True)
def _find(table, keys, key):
    place = (np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(32) & np.uint64(table.size - 1)
    while table[place] >= 0 and keys[table[place]] != key:
        place = (place + ONE) & np.uint64(table.size - 1)
    return place


@njit(cache=True, nogil=True)
def _grown(keys, count, size):
    table, wider = np.full(size, -1, np.int32), np.empty(size // 2, keys.dtype)
    for k in range(count):
        wider[k] = keys[k]
        table[_find(table, wider, keys[k])] = k
    return wider, table


@njit(cache=True, nogil=True)
def count_members(slots, ids, smallest, sizes):
    """The smallest id and the number of the vertices of every slot."""
    for v in range(slots.size):
        if slots[v] >= 0:
            smallest[slots[v]] = min(smallest[slots[v]], ids[v])
            sizes[slots[v]] += 1


@njit(cache=True, nogil=True)
def add_members(places, ids, sizes, smallest, total):
    """Add what members have of this member's roots: the smallest id and the number of vertices."""
    for k in range(places.size):
        v = places[k]
        smallest[v] = min(smallest[v], ids[k])
        total[v] += sizes[k]


@njit(cache=True, nogil=True)
def label_members(slots, slot_labels, smallest, label):
    """The label of every vertex: of its slot, or its own."""
    for v in range(slots.size):
        label[v] = slot_labels[slots[v]] if slots[v] >= 0 else smallest[v]
