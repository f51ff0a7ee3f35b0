# mypy: ignore-errors
"""What the owner of vertices answers to walks: a random neighbour, and whether there is an edge."""

import numpy as np

from clew.algorithms.random_walks.kernels import first_above, has_edge
from clew.generate.kernels_random import below, unit
from clew.jit import njit

ONE = np.uint64(1)
NOWHERE = np.int64(-1)
ALONE = np.int64(-2)  # ALONE - v: the vertex has no neighbour but v


@njit(cache=True, nogil=True)
def neighbors(part, parts, rows, sums, places, drawn, found):
    """A random neighbour of every place; ``sums`` is None where edges are equally likely."""
    indptr, indices = rows
    for i in range(part * places.size // parts, (part + 1) * places.size // parts):
        u = np.uint64(places[i])
        start, stop = indptr[u], indptr[u + ONE]
        if start == stop or (sums is not None and not sums[stop - ONE] > 0.0):
            found[i] = NOWHERE
            continue
        if sums is None:
            v = np.int64(indices[start + below(drawn[i], stop - start)])
        else:
            v = np.int64(indices[first_above(sums, start, stop, unit(drawn[i]) * sums[stop - ONE])])
        found[i] = ALONE - v if stop - start == ONE else v


@njit(cache=True, nogil=True)
def are_edges(part, parts, rows, places, targets, found):
    """Whether there is an edge from every place to its target."""
    for i in range(part * places.size // parts, (part + 1) * places.size // parts):
        found[i] = has_edge(rows, np.uint64(places[i]), np.uint64(targets[i]))
