# mypy: ignore-errors
"""A random weight for every arc of sorted rows, the same in both directions."""

import numpy as np

from clew.generate.kernels_random import below, bits, unit
from clew.jit import njit


@njit(cache=True, nogil=True)
def _arc_bits(key, u, v, occurrence):
    """A hash of an edge: its endpoints, the smaller first, and which one of several equal edges it is."""
    x = bits(key, np.uint64(min(u, v)))
    x = bits(x, np.uint64(max(u, v)))
    return bits(x, np.uint64(occurrence))


@njit(cache=True, nogil=True)
def integer_weights(part, bounds, indptr, indices, key, low, span, weights):
    """Integers low…low+span-1 (any 64 bits where span is 0), as the unsigned integers that share their bits.

    Adding wraps around and storing cuts off, so one loop serves signed and unsigned weights of all widths.
    """
    for u in range(bounds[part], bounds[part + 1]):
        occurrence = 0
        for i in range(indptr[u], indptr[u + 1]):
            v = indices[i]
            occurrence = occurrence + 1 if i > indptr[u] and indices[i - 1] == v else 0
            x = _arc_bits(key, u, v, occurrence)
            weights[i] = low + (x if span == 0 else below(x, span))


@njit(cache=True, nogil=True)
def float_weights(part, bounds, indptr, indices, key, low, span, largest, weights):
    """Floats in [low, low + span), of which ``largest`` is the largest: rounding must not make one equal to the end."""
    for u in range(bounds[part], bounds[part + 1]):
        occurrence = 0
        for i in range(indptr[u], indptr[u + 1]):
            v = indices[i]
            occurrence = occurrence + 1 if i > indptr[u] and indices[i - 1] == v else 0
            weights[i] = min(low + unit(_arc_bits(key, u, v, occurrence)) * span, largest)
