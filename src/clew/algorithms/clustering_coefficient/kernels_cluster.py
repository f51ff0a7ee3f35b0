# mypy: ignore-errors
"""The weights of the triangles of edges, of which the row of one end is here and that of the other was fetched."""

import numpy as np

from clew.jit import njit
from clew.kernels_search import next_shared

ONE = np.uint64(1)


@njit(cache=True, nogil=True)
def products_of_pairs(part, parts, indptr, indices, weights, there, places, slots, sums):
    """The sum over shared neighbours of the products of both weights, for a share of the edges.

    ``there`` has where fetched rows begin and end, targets and weights. Rows have no target twice.
    """
    begin, end, fetched, values = there
    for i in range(part * places.size // parts, (part + 1) * places.size // parts):
        place = np.uint64(places[i])
        j, stop = indptr[place], indptr[place + ONE]
        k, last = np.uint64(begin[slots[i]]), np.uint64(end[slots[i]])
        total = 0.0
        j, k = next_shared(indices, j, stop, fetched, k, last)
        while j < stop:
            total += weights[j] * values[k]
            j, k = next_shared(indices, j + ONE, stop, fetched, k + ONE, last)
        sums[i] = total
