# mypy: ignore-errors
"""Which vertices belong to a piece of a graph, and which edge an arc belongs to."""

import numpy as np

from clew.jit import njit

ONE = np.uint64(1)


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
                for i in range(indptr[u], indptr[u + ONE]):
                    v = indices[i]
                    if not near[v]:
                        near[v] = True
                        queue[end] = v
                        end += 1
        if end == last:
            break
        begin = last
    return queue[:end].copy()


@njit(cache=True, nogil=True)
def to_both_arcs(indptr, indices, values, spread):
    """Give the values of undirected edges, in the order of arcs that lead to no smaller id, to both of their arcs.

    Rows are sorted and visited in ascending order, so the arc back is always the next one in its row.
    """
    place = indptr[:-1].copy()
    edge = np.uint64(0)
    for u in range(np.uint64(indptr.size - 1)):
        for i in range(place[u], indptr[u + ONE]):  # those before are back from smaller ids, and done
            v = indices[i]
            spread[i] = values[edge]
            if v != u:
                back = place[v]
                place[v] = back + ONE
                spread[back] = values[edge]
            edge += ONE
