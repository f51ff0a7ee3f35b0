# mypy: ignore-errors
"""How large components are."""

import numpy as np
from numba import njit

ONE = np.uint64(1)


@njit(cache=True, nogil=True)
def component_sizes(label):
    """The number of vertices of each label, in ascending order of the labels; a label is the smallest to have it.

    Neighbours in the order of ids are often in one component: a run of equal labels is counted at once.
    """
    size = np.uint64(label.size)
    count = 0
    for v in range(size):
        count += label[v] == v
    sizes = np.zeros(count, np.int64)
    rank = np.empty(size, label.dtype)
    seen = np.uint64(0)
    v = np.uint64(0)
    while v < size:
        start, own = v, label[v]
        if own == v:
            rank[v] = seen
            seen += ONE
        v += ONE
        while v < size and label[v] == own:
            v += ONE
        sizes[rank[own]] += np.int64(v - start)
    return sizes
