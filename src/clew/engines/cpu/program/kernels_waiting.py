# mypy: ignore-errors
"""Vertices that wait for their turn, by a key that each of them has: a radix heap of linked lists.

List k holds the vertices whose key differs from ``present``, the key whose turn it is, at bit k - 1 and at none above.
So the smallest keys are in the first list that is not empty; when their turn comes, that list is dealt out again among
the ones before it. A vertex moves down at most 64 times, whatever the keys are, and is in one list at most: it can be
taken out of the middle, nothing goes stale, and the memory is fixed.

The lists are ``(follow, before, place, heads, present)``: the next and the previous vertex, the number of the list that
a vertex is in (OUT for none), the first vertex of every list, and an array with the present key. The vertex after the
last is the number of vertices; the one before the first is itself.

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
FURTHEST = 2.0**62  # the largest number of an interval; what lies beyond is treated alike


@njit(cache=True, nogil=True)
def key_of(priority, scale):
    """The number of the interval that a priority is in, as an unsigned integer that keeps the order."""
    interval = np.floor(np.float64(priority) * scale)
    return np.uint64(np.int64(min(max(interval, -FURTHEST), FURTHEST))) ^ TOP


@njit(cache=True, nogil=True)
def keep_due(lists, chosen, keys, count):
    """Of ``chosen[:count]``, keep those whose turn it is, off the lists; the others wait. How many are left.

    Whole lists to a call: a call for each would count references to every array, which takes longer than the rest.
    """
    follow, before, place, heads, turn = lists
    none = np.uint64(follow.size)
    present = turn[0]
    left = np.uint64(0)
    for i in range(count):
        v = np.uint64(chosen[i])
        if place[v] != OUT:
            ahead, behind = np.uint64(before[v]), np.uint64(follow[v])
            if ahead == v:  # nobody is: it is the first
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
    """Take the first list that is not empty apart, into ``chosen``; how many that were."""
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
    """Make it the turn of the smallest key, unless that was passed already."""
    lowest = keys[0]
    for i in range(count):
        lowest = min(lowest, keys[i])
    lists[4][0] = max(lists[4][0], lowest)
