# mypy: ignore-errors
"""Strongly connected components by one depth-first search, without recursion.

Vertices are numbered in the order they are found. Every vertex has a reach: the smallest number known to be reachable
from it among vertices whose component is not complete. A vertex that the search leaves with its own number as its reach
is the first of its component. All waiting vertices found after it belong to the component, which is complete. They get
a reach above all numbers, so that they never lower another one.

Two stacks share one array of n entries, because a vertex is in one of them at a time. The path of the search grows from
the left, and the vertices that wait for their component from the right.

References
----------
D. J. Pearce: "A space-efficient algorithm for finding strongly connected components", Information Processing Letters
116(1), 2016.
"""

import numpy as np

from clew.jit import njit

ONE = np.uint64(1)


@njit(cache=True, nogil=True)
def strong_components(indptr, indices, reach, stack, place, label):
    """Fill ``label`` with the smallest vertex of each vertex's component.

    ``reach`` is 0, or n + 1 where the label is known already. ``stack`` and ``place`` are room for n entries; ``place``
    holds the next edge of every vertex on the path. Until a component is complete, its labels are the vertices'
    numbers.
    """
    count = np.uint64(reach.size)
    number = np.uint64(0)
    waiting = count  # stack[waiting:]
    for root in range(count):
        if reach[root] != 0:
            continue
        depth = np.uint64(0)  # stack[:depth]
        v = root
        number += ONE
        label[v] = reach[v] = lowest = number
        j = indptr[v]
        while True:
            new = False
            while j < indptr[v + ONE] and not new:
                w = np.uint64(indices[j])
                j += ONE
                if reach[w] == 0:
                    new = True
                else:
                    lowest = min(lowest, np.uint64(reach[w]))
            if new:
                reach[v] = lowest
                stack[depth] = v
                place[depth] = j
                depth += ONE
                v = w
                number += ONE
                label[v] = reach[v] = lowest = number
                j = indptr[v]
                continue
            if lowest == label[v]:
                waiting = _complete(v, stack, waiting, reach, label)
                lowest = count + ONE
            else:
                waiting -= ONE
                stack[waiting] = v
                reach[v] = lowest
            if depth == 0:
                break
            depth -= ONE
            v = np.uint64(stack[depth])
            j = place[depth]
            lowest = min(lowest, np.uint64(reach[v]))


@njit(cache=True, nogil=True)
def _complete(v, stack, waiting, reach, label):
    """Label ``v`` and the waiting vertices found after it; returns where those that still wait start."""
    own = label[v]
    smallest = v
    stop = waiting
    while stop < np.uint64(stack.size) and label[stack[stop]] > own:
        smallest = min(smallest, np.uint64(stack[stop]))
        stop += ONE
    never = np.uint64(reach.size) + ONE
    for i in range(waiting, stop):
        label[stack[i]] = smallest
        reach[stack[i]] = never
    label[v] = smallest
    reach[v] = never
    return stop
