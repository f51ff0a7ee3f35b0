# mypy: ignore-errors
"""A keyed permutation of 0…n-1 that needs no table: rounds of multiplication and shift, all of them invertible.

The rounds permute the powers of two below 2n. Whoever lands at n or above goes round again until it does not.
"""

import numpy as np

from clew.jit import njit

ROUNDS = 3


@njit(nogil=True, cache=True)
def permute(values, size, bits, factors):
    """Replace every value by its place in the permutation."""
    mask, shift = np.uint64((1 << bits) - 1), np.uint64((bits + 1) // 2)
    for i in range(values.size):
        x = np.uint64(values[i])
        while True:
            for factor in factors:
                x = (x * factor + factor) & mask
                x ^= x >> shift
            if x < size:
                break
        values[i] = x


@njit(nogil=True, cache=True)
def restore(values, size, bits, factors, inverses):
    """The inverse of ``permute``."""
    mask, shift = np.uint64((1 << bits) - 1), np.uint64((bits + 1) // 2)
    for i in range(values.size):
        x = np.uint64(values[i])
        while True:
            for k in range(factors.size - 1, -1, -1):
                x ^= x >> shift
                x = ((x - factors[k]) * inverses[k]) & mask
            if x < size:
                break
        values[i] = x


@njit(nogil=True, cache=True)
def order_by_owner(owner, members):
    """Indices sorted by owner, equal ones in their order, and where every member's part begins and ends."""
    bounds = np.zeros(members + 1, np.int64)
    for k in range(owner.size):
        bounds[owner[k] + 1] += 1
    for member in range(members):
        bounds[member + 1] += bounds[member]
    place, order = bounds[:-1].copy(), np.empty(owner.size, np.int64)
    for k in range(owner.size):
        order[place[owner[k]]] = k
        place[owner[k]] += 1
    return order, bounds
