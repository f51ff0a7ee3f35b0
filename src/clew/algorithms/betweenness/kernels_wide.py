# mypy: ignore-errors
"""Brandes' algorithm where the numbers of shortest paths to the vertices of one level differ by more than floats can.

Every count is a fraction from 1/2 to 1 with an exponent of its own, so nothing is too large or too small. Slower than
``kernels_betweenness`` and serial; for graphs on which that one fails, such as a grid of 2,000 rows and columns.
"""

from math import frexp, ldexp

import numpy as np

from clew.jit import njit

ONE = np.uint64(1)
UNSEEN = -1


@njit(cache=True, nogil=True)
def wide_dependencies(out, source, found):
    """Fill ``found`` with the dependency of ``source`` on every vertex."""
    indptr, indices = out
    num_vertices = found.size
    depth = np.full(num_vertices, UNSEEN, np.int64)
    fraction, exponent = np.zeros(num_vertices), np.zeros(num_vertices, np.int64)
    queue = np.empty(num_vertices, indices.dtype)
    queue[0], depth[source], fraction[source], exponent[source] = source, 0, 0.5, 1
    head, tail = np.uint64(0), ONE
    while head < tail:  # whoever leaves the queue has been reached over all its shortest paths
        v = queue[head]
        head += ONE
        for j in range(indptr[v], indptr[v + ONE]):
            w = indices[j]
            if depth[w] == UNSEEN:
                depth[w] = depth[v] + 1
                exponent[w] = exponent[v]
                queue[tail] = w
                tail += ONE
            if depth[w] == depth[v] + 1:
                _add(fraction, exponent, w, v)
    for v in range(np.uint64(num_vertices)):
        found[v] = 0.0
    while tail > ONE:  # the source itself depends on nothing
        tail -= ONE
        v = queue[tail]
        total = 0.0
        for j in range(indptr[v], indptr[v + ONE]):
            w = indices[j]
            if depth[w] == depth[v] + 1:
                total += ldexp(fraction[v] / fraction[w] * (1.0 + found[w]), exponent[v] - exponent[w])
        found[v] = total


@njit(cache=True, nogil=True)
def _add(fraction, exponent, to, what):
    """Add one count to another; neither is 0 for long, and what is too small to matter is rounded away."""
    higher = max(exponent[to], exponent[what])
    total = ldexp(fraction[to], exponent[to] - higher) + ldexp(fraction[what], exponent[what] - higher)
    fraction[to], change = frexp(total)
    exponent[to] = higher + change
