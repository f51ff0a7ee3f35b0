# mypy: ignore-errors
"""The paths of one source over the edges of a block."""

import numpy as np

from clew.jit import njit

ONE = np.uint64(1)


@njit(cache=True, nogil=True)
def add_paths(part, bounds, rows, weights, before, behind, both, score):
    """Add to the score of every edge what passes over it, with ``both`` in either direction.

    ``before`` and ``behind`` have three values for the rows and for the columns. These are the number of shortest
    paths, the share of a path, and the distance, -1 where there is none.
    """
    indptr, indices = rows
    paths, shares, away = before
    to_paths, to_shares, to_away = behind
    for u in range(np.uint64(bounds[part]), np.uint64(bounds[part + 1])):
        if away[u] < 0:
            continue
        for j in range(indptr[u], indptr[u + ONE]):
            v = indices[j]
            length = 1 if weights is None else weights[j]
            if to_away[v] < 0:
                continue
            if away[u] < to_away[v] and away[u] + length == to_away[v]:
                score[j] += paths[u] * to_shares[v]
            elif both and to_away[v] < away[u] and to_away[v] + length == away[u]:
                score[j] += to_paths[v] * shares[u]
