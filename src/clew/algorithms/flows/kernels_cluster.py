# mypy: ignore-errors
"""What the vertices of one member push and how high they are, in a round of all members.

Arc j leads from the vertex in whose row it is to one of height ``heights[j]``, and takes ``left[j]``.
"""

import numpy as np

from clew.jit import njit

ONE = np.uint64(1)


@njit(cache=True, nogil=True)
def push(active, indptr, heights, left, height, excess, arcs, given):
    """Push what active vertices have too much to vertices one step lower; returns over how many arcs."""
    count = 0
    for v in active:
        more, below = excess[v], height[v] - 1
        for j in range(np.uint64(indptr[v]), np.uint64(indptr[v + 1])):
            if heights[j] == below and left[j] > 0:
                part = min(more, left[j])
                left[j] -= part
                more -= part
                arcs[count], given[count] = j, part
                count += 1
                if more == 0:
                    break
        excess[v] = more
    return count


@njit(cache=True, nogil=True)
def raise_up(active, indptr, heights, left, height, excess, raised):
    """Raise active vertices that still have too much to one step above the lowest that takes some; returns how many.

    Rounding may leave a vertex more than its arcs take. It loses that.
    """
    count = 0
    for v in active:
        if excess[v] == 0:
            continue
        lowest = np.iinfo(np.int64).max
        for j in range(np.uint64(indptr[v]), np.uint64(indptr[v + 1])):
            if left[j] > 0:
                lowest = min(lowest, heights[j])
        if lowest == np.iinfo(np.int64).max:
            excess[v] = 0
        elif lowest >= height[v]:
            height[v] = lowest + 1
            raised[count] = v
            count += 1
    return count
