# mypy: ignore-errors
"""Waiting vertices by key: a radix heap of linked lists.

List k holds the vertices whose key differs from ``present``, the key that is due, at bit k - 1 and at none above. So
the smallest keys are in the first non-empty list. When they are due, that list is redistributed among the lists before
it. A vertex moves down at most 64 times. It is in one list at most and can be removed from the middle, so no entry is
stale and the memory is fixed.

The lists are ``(follow, before, place, heads, present)``: the next and the previous vertex, and the number of a
vertex's list (OUT for none). Then the first vertex of every list, and an array with the present key. The vertex after
the last is the number of vertices; the one before the first is itself.

References
----------
R. K. Ahuja, K. Mehlhorn, J. B. Orlin, R. E. Tarjan: "Faster algorithms for the shortest path problem", J. ACM 37, 1990.
"""

import numpy as np

from clew.engines.cpu.team.kernels_intrinsics import leading_zeros
from clew.jit import njit

LISTS = 65  # a key has 64 bits; list 0 is not used
OUT = np.uint8(0)
ONE, BITS, TOP = np.uint64(1), np.uint64(64), np.uint64(1) << np.uint64(63)
FURTHEST = 2.0**62  # the largest interval number; larger ones are clamped


@njit(cache=True, nogil=True)
def key_of(priority, scale):
    """The number of the interval that a priority is in, as an unsigned integer that keeps the order."""
    interval = np.floor(np.float64(priority) * scale)
    return np.uint64(np.int64(min(max(interval, -FURTHEST), FURTHEST))) ^ TOP


@njit(cache=True, nogil=True)
def keep_due(lists, chosen, keys, count):
    """Keep the due vertices of ``chosen[:count]``, off the lists; the others wait. Returns how many are left.

    One call processes a whole list: a call per vertex would count references to every array, which takes longer.
    """
    follow, before, place, heads, turn = lists
    none = np.uint64(follow.size)
    present = turn[0]
    left = np.uint64(0)
    for i in range(count):
        v = np.uint64(chosen[i])
        if place[v] != OUT:
            ahead, behind = np.uint64(before[v]), np.uint64(follow[v])
            if ahead == v:  # it is the first
                heads[place[v]] = behind
            else:
                follow[ahead] = behind
            if behind != none:
                before[behind] = behind if ahead == v else ahead
            place[v] = OUT
        if keys[i] <= present:
            chosen[left] = v
            left += ONE
        else:
            number = BITS - leading_zeros(keys[i] ^ present)
            first = np.uint64(heads[number])
            follow[v] = first
            before[v] = v
            if first != none:
                before[first] = v
            heads[number] = v
            place[v] = np.uint8(number)
    return left


@njit(cache=True, nogil=True)
def pour_first(lists, chosen):
    """Move the first non-empty list into ``chosen``; returns its length."""
    follow, _, place, heads, _ = lists
    none = np.uint64(follow.size)
    count = np.uint64(0)
    number = ONE
    while number < LISTS and heads[number] == none:
        number += ONE
    if number == LISTS:
        return count
    v = np.uint64(heads[number])
    heads[number] = none
    while v != none:
        chosen[count] = v
        count += ONE
        place[v] = OUT
        v = np.uint64(follow[v])
    return count


@njit(cache=True, nogil=True)
def advance(lists, keys, count):
    """Make the smallest key due, unless it was passed already."""
    lowest = keys[0]
    for i in range(count):
        lowest = min(lowest, keys[i])
    lists[4][0] = max(lists[4][0], lowest)
