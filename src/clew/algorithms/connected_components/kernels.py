# mypy: ignore-errors
"""Connected components by a team in one call, and how large components are; the steps are those of the builder."""

import numpy as np

from clew.build.kernels_components import flatten, join_all, join_second, mark, point_to_first
from clew.engines.cpu.team import kernels_intrinsics as atomic
from clew.engines.cpu.team.kernels import all_stop, barrier, counter
from clew.jit import njit

ONE = np.uint64(1)
SAMPLES = 1024  # enough to find a tree that most vertices are in; another choice only costs time
TABLE = 4 * SAMPLES
SHARES = 64  # of the vertices, when components are counted
FIRST, SECOND, REST, LARGEST = range(4)  # counters


@njit(cache=True, nogil=True)
def connected_components(member, size, state, bounds, out, into, label, marks, rank, roots, sizes):
    """Fill ``label``, and ``sizes`` up to the number of components, which is returned.

    ``out`` are rows, plain or packed, and ``bounds`` the blocks of rows that members take. If edges are stored one
    way only, ``into`` has the in-edges or ``marks`` has room for a bit per vertex. Otherwise both are None. ``rank``
    has room for all vertices, ``roots`` for SHARES numbers.
    """
    blocks = bounds.size - 1
    block = _next(state, FIRST)
    while block < blocks:
        point_to_first(block, bounds, out, label)
        block = _next(state, FIRST)
    barrier(size, state)
    if blocks > 1:  # blocks have left chains from one to the next
        flatten(member, size, label)
        barrier(size, state)
    block = _next(state, SECOND)
    while block < blocks:
        join_second(block, bounds, out, label)
        block = _next(state, SECOND)
    barrier(size, state)
    flatten(member, size, label)
    barrier(size, state)
    if all_stop(state):
        return np.int64(0)
    if member == 0:  # all must skip the same tree
        state[counter(LARGEST)] = most_frequent(label)
    barrier(size, state)
    largest = label.dtype.type(state[counter(LARGEST)])
    if marks is not None:
        mark(member, size, label, largest, marks)
        barrier(size, state)
    block = _next(state, REST)
    while block < blocks:
        join_all(block, bounds, out, label, largest, marks)
        if into is not None:
            join_all(block, bounds, into, label, largest, None)
        block = _next(state, REST)
    barrier(size, state)
    flatten(member, size, label)
    return _measure(member, size, state, label, rank, roots, sizes)


@njit(cache=True, nogil=True)
def _next(state, number):
    return atomic.add(state, counter(number), np.int64(1))


@njit(cache=True, nogil=True)
def most_frequent(label):
    """The label that most of a sample have, counted in a table with open addressing."""
    step = np.uint64(max(1, label.size // SAMPLES))
    keys, counts = np.zeros(TABLE, label.dtype), np.zeros(TABLE, np.int64)
    best, most = label[0], np.int64(0)
    for v in range(np.uint64(0), np.uint64(label.size), step):
        key = label[v]
        place = np.uint64(key) % np.uint64(TABLE)
        while counts[place] > 0 and keys[place] != key:
            place = (place + ONE) % np.uint64(TABLE)
        keys[place] = key
        counts[place] += 1
        if counts[place] > most:
            best, most = key, counts[place]
    return np.int64(best)


@njit(cache=True, nogil=True)
def _measure(member, size, state, label, rank, roots, sizes):
    """Count the vertices of each label, in ascending order of the labels, into ``sizes``; returns how many there are.

    Roots are counted share by share, so that each share knows the rank of its first. Most vertices are often in one
    component, whose count all members would update at once. So runs of equal labels are counted first, and that
    component separately.
    """
    for share in range(member, SHARES, size):
        own = np.int64(0)
        for v in range(*_share(share, label)):
            own += label[v] == v
        roots[share] = own
    barrier(size, state)
    place, counted = np.uint64(0), 0
    for share in range(member, SHARES, size):
        while counted < share:
            place += np.uint64(roots[counted])
            counted += 1
        at = place
        for v in range(*_share(share, label)):
            if label[v] == v:
                rank[v] = at
                sizes[at] = 0
                at += ONE
    barrier(size, state)
    common = label[np.uint64(state[counter(LARGEST)])]
    of_common = np.int64(0)
    for share in range(member, SHARES, size):
        v, last = _share(share, label)
        while v < last:
            start, its = v, label[v]
            v += ONE
            while v < last and label[v] == its:
                v += ONE
            if its == common:
                of_common += np.int64(v - start)
            elif size == 1:
                sizes[rank[its]] += np.int64(v - start)
            else:
                atomic.add(sizes, np.uint64(rank[its]), np.int64(v - start))
    if of_common > 0:
        atomic.add(sizes, np.uint64(rank[common]), of_common)
    barrier(size, state)
    return roots.sum()


@njit(cache=True, nogil=True)
def _share(share, label):
    return np.uint64(share * label.size // SHARES), np.uint64((share + 1) * label.size // SHARES)
