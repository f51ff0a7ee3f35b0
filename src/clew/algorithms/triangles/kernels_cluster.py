# mypy: ignore-errors
"""Triangles whose edges are in three blocks: from u over v to w, with an edge from u to w in this member's block.

All edges lead from a vertex to one with a larger key, as in ``kernels``. ``times`` are the weights of edges, or None.
"""

import numpy as np

from clew.engines.cpu.team import kernels_intrinsics as atomic
from clew.jit import njit

ONE = np.uint64(1)


@njit(cache=True, nogil=True)
def has_duplicates(indptr, indices):
    """Whether a row has an entry twice."""
    for v in range(np.uint64(indptr.size - 1)):
        for j in range(np.uint64(indptr[v]) + ONE, np.uint64(indptr[v + ONE])):
            if indices[j] == indices[j - ONE]:
                return True
    return False


@njit(cache=True, nogil=True)
def upward(indptr, indices, times, row_keys, column_keys, starts, items, item_times):
    """The edges that lead to a larger key: offsets ``starts``, and room for all items. Returns their number."""
    place = np.uint64(0)
    for v in range(np.uint64(indptr.size - 1)):
        starts[v] = place
        for j in range(np.uint64(indptr[v]), np.uint64(indptr[v + ONE])):
            items[place] = indices[j]
            if times is not None:
                item_times[place] = times[j]
            place += np.uint64(column_keys[indices[j]] > row_keys[v])
    starts[np.uint64(indptr.size - 1)] = place
    return place


@njit(cache=True, nogil=True)
def of_columns(indptr, indices, times, low, high, pairs, pair_times):
    """The edges to columns from ``low`` to below ``high``, by row: pairs of row and column. Returns their number."""
    place = np.uint64(0)
    for v in range(np.uint64(indptr.size - 1)):
        for j in range(np.uint64(indptr[v]), np.uint64(indptr[v + ONE])):
            w = np.int64(indices[j])
            if w >= high:
                break
            if w >= low:
                pairs[place, 0], pairs[place, 1] = v, w - low
                if times is not None:
                    pair_times[place] = times[j]
                place += ONE
    return place


@njit(cache=True, nogil=True)
def count(piece, pieces, pairs, pair_times, starts, items, item_times, indptr, indices, times, at_u, at_v, at_w):
    """Count the triangles of a piece of the pairs: each adds, at every corner, the weight of the opposite edge.

    The first two arrays are edges from u to v by u. The next three are those from v to w, and the last those from u to
    w. The counts are by row, by place in the segment of v, and by column.
    """
    mark = np.zeros(at_w.size, np.uint8)
    k, end = piece * len(pairs) // pieces, (piece + 1) * len(pairs) // pieces
    while 0 < k < len(pairs) and pairs[k, 0] == pairs[k - 1, 0]:  # the piece before has this row
        k += 1
    while k < end:
        u = np.uint64(pairs[k, 0])
        for j in range(np.uint64(indptr[u]), np.uint64(indptr[u + ONE])):
            mark[indices[j]] = 1 if times is None else times[j]
        of_u = np.uint64(0)
        while k < len(pairs) and pairs[k, 0] == u:
            v = np.uint64(pairs[k, 1])
            of_v = np.uint64(0)
            for j in range(np.uint64(starts[v]), np.uint64(starts[v + ONE])):
                w = np.uint64(items[j])
                hit = np.uint64(mark[w])
                if hit != 0:
                    of_v += hit
                    of_u += ONE if times is None else np.uint64(item_times[j])
                    atomic.add(at_w, w, ONE if times is None else np.uint64(pair_times[k]))
            if of_v > 0:
                atomic.add(at_v, v, of_v)
            k += 1
        if of_u > 0:
            atomic.add(at_u, u, of_u)
        for j in range(np.uint64(indptr[u]), np.uint64(indptr[u + ONE])):
            mark[indices[j]] = 0
