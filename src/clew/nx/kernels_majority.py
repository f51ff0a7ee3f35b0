# mypy: ignore-errors
"""Label propagation in which vertices take turns: by colours, so that neighbours never change at the same time."""

import numpy as np

from clew.jit import njit

ONE = np.uint64(1)


@njit(cache=True, nogil=True)
def sweep(indptr, indices, order, labels, votes, seen):
    """One turn for every vertex, in ``order``; returns how many labels changed.

    A vertex keeps its label where no other is more frequent among its neighbours; else it takes the most frequent one,
    the largest of several. ``votes`` has a zero per label, and ``seen`` room for the longest row.
    """
    changed = 0
    for i in range(np.uint64(order.size)):
        v = np.uint64(order[i])
        most, best = np.uint32(0), labels[v]
        count = np.uint64(0)
        for j in range(indptr[v], indptr[v + ONE]):
            label = labels[indices[j]]
            votes[label] += np.uint32(1)
            seen[count] = label
            count += ONE
            if votes[label] > most or (votes[label] == most and label > best):
                most, best = votes[label], label
        if count > 0 and votes[labels[v]] < most:
            labels[v] = best
            changed += 1
        for k in range(count):
            votes[seen[k]] = 0
    return changed
