# mypy: ignore-errors
"""Multisets of messages on a cluster: blocks count the values that they have, and owners add the counts."""

from typing import NamedTuple

import numpy as np

from clew.engines.cpu.program.kernels_gather import gathering
from clew.jit import njit

ONE = np.uint64(1)


class Kernels(NamedTuple):
    """What a run with a ``Gather`` calls besides the kernels of a pipeline."""

    count: object
    reduce: object


def gather_kernels(process, reduce, accepts, matters, mark):
    """The kernels of a program whose functions are given as plain Python functions."""
    gather = gathering(process, matters, False)

    @njit(cache=True, nogil=True)
    def count(rows, vertices, messages, chosen, multiset, entries):
        """Write (place, count, value) of the distinct values at every chosen vertex; returns how many there are."""
        mark  # noqa: B018, captured: see the compiler
        filled = 0
        for k in range(chosen.size):
            v = np.uint64(chosen[k])
            if not accepts(vertices[v]):
                continue
            for i in range(gather(rows, v, vertices, messages, multiset)):
                entries[filled].place, entries[filled].count, entries[filled].value = v, multiset[1][i], multiset[0][i]
                filled += 1
        return filled

    @njit(cache=True, nogil=True)
    def reduce_each(bounds, values, counts, totals):
        """The reduction of every multiset, from its values, ascending, and their counts."""
        mark  # noqa: B018
        for k in range(totals.size):
            low, high = bounds[k], bounds[k + 1]
            totals[k] = reduce(values[low:high], counts[low:high])

    return Kernels(count, reduce_each)


@njit(cache=True, nogil=True)
def mark_neighbors(rows, places, reached):
    """Set the flags of all that edges from some places lead to."""
    indptr, indices, _ = rows
    for k in range(places.size):
        u = np.uint64(places[k])
        for j in range(indptr[u], indptr[u + ONE]):
            reached[indices[j]] = True
