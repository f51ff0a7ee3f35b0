# mypy: ignore-errors
"""One sweep of Louvain's method, with the sums in the order in which NetworkX adds them up."""

import numpy as np

from clew.jit import njit

ONE = np.uint64(1)


@njit(cache=True, nogil=True)
def sweep(indptr, indices, weights, degrees, order, edges, resolution, scale, community, total, near, marks, seen):
    """Move every vertex, in ``order``, to the community that gains most, the first of several; returns the moves.

    ``total`` has the degrees of every community. ``marks`` is -1 everywhere; ``near`` and ``seen`` are room to work.
    """
    moves = 0
    for v in order:
        u = np.uint64(v)
        own, degree = community[u], degrees[u]
        count = 0
        for j in range(indptr[u], indptr[u + ONE]):
            w = np.uint64(indices[j])
            if w == u:
                continue
            c = community[w]
            if marks[c] != v:
                marks[c], near[c] = v, 0.0
                seen[count] = c
                count += 1
            near[c] += weights[j]
        if marks[own] != v:
            marks[own], near[own] = v, 0.0
            seen[count] = own
            count += 1
        total[own] -= degree
        cost = -near[own] / edges + resolution * (total[own] * degree) / scale
        best, chosen = 0.0, own
        for i in range(count):
            c = seen[i]
            gain = cost + near[c] / edges - resolution * (total[c] * degree) / scale
            if gain > best:
                best, chosen = gain, c
        total[chosen] += degree
        if chosen != own:
            community[u] = chosen
            moves += 1
    return moves
