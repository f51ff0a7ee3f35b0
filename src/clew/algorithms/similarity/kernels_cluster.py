# mypy: ignore-errors
"""Shared neighbours of pairs, of which the rows of one end are here and those of the other were fetched."""

import numpy as np

from clew.algorithms.similarity.kernels import score
from clew.jit import njit
from clew.kernels_search import next_shared

ONE = np.uint64(1)


@njit(cache=True, nogil=True)
def count_distinct(part, bounds, rows, ids, count):
    """How many distinct neighbours, other than itself, every vertex of a block has."""
    indptr, indices = rows
    for u in range(np.uint64(bounds[part]), np.uint64(bounds[part + 1])):
        own = np.uint64(ids[u])
        for j in range(indptr[u], indptr[u + ONE]):
            count[u] += indices[j] != own and (j == indptr[u] or indices[j] != indices[j - ONE])


@njit(cache=True, nogil=True)
def score_pairs(part, parts, rows, there, places, first, second, slots, value, method, one, other, scores):
    """The scores of a share of the pairs; ``there`` has where fetched rows begin and end, and what is in them.

    ``value`` has what every edge here counts, or is None. ``one`` and ``other`` are the numbers of neighbours.
    """
    indptr, indices = rows
    begin, end, fetched = there
    for i in range(part * places.size // parts, (part + 1) * places.size // parts):
        place, u, v = np.uint64(places[i]), first[i], second[i]
        j, stop = indptr[place], indptr[place + ONE]
        k, last = np.uint64(begin[slots[i]]), np.uint64(end[slots[i]])
        total = 0.0
        j, k = next_shared(indices, j, stop, fetched, k, last)
        while j < stop:
            w = np.int64(indices[j])
            if w != u and w != v:
                total += 1.0 if value is None else value[j]
            while j < stop and indices[j] == w:  # a neighbour counts once
                j += ONE
            j, k = next_shared(indices, j, stop, fetched, k + ONE, last)
        scores[i] = score(method, total, one[i], other[i])
