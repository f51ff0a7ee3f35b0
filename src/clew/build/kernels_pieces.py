# mypy: ignore-errors
"""Which vertices belong to a piece of a graph."""

import numpy as np

from clew.jit import njit


@njit(cache=True, nogil=True)
def within(sides, centre, hops):
    """The vertices at most ``hops`` edges from ``centre``, in any of the rows in ``sides``; in the order found."""
    num_vertices = sides[0][0].size - 1
    # Memory that is not used is never taken from the system, so a small neighbourhood costs little.
    near = np.zeros(num_vertices, np.bool_)
    queue = np.empty(num_vertices, sides[0][1].dtype)
    queue[0] = centre
    near[centre] = True
    begin, end = 0, 1
    for _ in range(hops):
        last = end
        for indptr, indices in sides:
            for place in range(begin, last):
                u = queue[place]
                for i in range(indptr[u], indptr[u + np.uint64(1)]):
                    v = indices[i]
                    if not near[v]:
                        near[v] = True
                        queue[end] = v
                        end += 1
        if end == last:
            break
        begin = last
    return queue[:end].copy()
