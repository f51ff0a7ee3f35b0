# mypy: ignore-errors
"""SSCA#2: cliques of consecutive vertices, and edges between them over distances that are powers of two."""

import numpy as np

from clew.generate.kernels_random import below, bits, unit
from clew.jit import njit


@njit(cache=True, nogil=True)
def clique_starts(key, largest, starts):
    """Fill in where cliques start, with sizes uniform in 1…largest, up to starts[-1], the number of vertices.

    Returns how many there are. The last one is cut off where the vertices end.
    """
    end = starts[-1]
    place = 0
    count = 0
    while place < end:
        starts[count] = place
        place += 1 + np.int64(below(bits(key, np.uint64(count)), np.uint64(largest)))
        count += 1
    return count


@njit(cache=True, nogil=True)
def clique_edges(part, parts, key, starts, probability, places, source, target):
    """Write the edges of one part of the cliques from places[part] on, or, where ``source`` is None, count them."""
    cliques = starts.size - 1
    size = starts[cliques]
    place = places[part]
    for clique in range(part * cliques // parts, (part + 1) * cliques // parts):
        first, end = starts[clique], starts[clique + 1]
        for u in range(first, end):
            for v in range(u + 1, end):
                if source is not None:
                    source[place] = u
                    target[place] = v
                place += 1
            distance = 1
            chance = probability
            counter = np.uint64(u) << np.uint64(6)  # there are fewer than 64 distances
            while distance < size:
                v = (u + distance) % size
                if not first <= v < end and unit(bits(key, counter)) < chance:
                    if source is not None:
                        source[place] = u
                        target[place] = v
                    place += 1
                distance *= 2
                chance *= 0.5
                counter += np.uint64(1)
    return place - places[part]
