# mypy: ignore-errors
"""Triangles by the directions of their edges, of which two blocks have one each and this member has the third."""

import numpy as np

from clew.engines.cpu.team import kernels_intrinsics as atomic
from clew.jit import njit

ONE = np.uint64(1)


@njit(cache=True, nogil=True)
def triangle_codes(piece, pieces, pairs, pair_sides, starts, items, item_sides, indptr, indices, sides, columns, codes):
    """codes[c] += the triangles u, v, w of code c, as in ``kernels.triangle_codes``.

    The first two arrays are edges from u to v by u. The next three are those from v to w, and the last those from u to
    w.
    """
    mark, own = np.zeros(columns, np.uint8), np.zeros(64, np.int64)
    k, end = piece * len(pairs) // pieces, (piece + 1) * len(pairs) // pieces
    while k < end:
        u = np.uint64(pairs[k, 0])
        for j in range(np.uint64(indptr[u]), np.uint64(indptr[u + ONE])):
            mark[indices[j]] = sides[j]
        while k < end and pairs[k, 0] == u:
            v = np.uint64(pairs[k, 1])
            for j in range(np.uint64(starts[v]), np.uint64(starts[v + ONE])):
                hit = mark[items[j]]
                if hit != 0:
                    own[np.int64(pair_sides[k]) + 4 * np.int64(hit) + 16 * np.int64(item_sides[j])] += 1
            k += 1
        for j in range(np.uint64(indptr[u]), np.uint64(indptr[u + ONE])):
            mark[indices[j]] = 0
    for code in range(64):
        if own[code] > 0:
            atomic.add(codes, np.uint64(code), own[code])
