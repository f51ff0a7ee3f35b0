# mypy: ignore-errors
"""Counting what reads of rows take from two memories: accesses, and the lines that come with them.

Rows are gone through in the order of old ids: within either memory they lie in that order too, so where a row begins is
known without renumbering. Where somebody sorted within the groups, ``order`` has the vertices as their rows lie.
"""

import numpy as np

from clew.jit import njit

ONE, TWO = np.uint64(1), np.uint64(2)
NOWHERE = -(1 << 40)  # a line far from all others


@njit(cache=True, nogil=True)
def count_lines(order, fast, indptr, most, step, width, line, near, accesses, lines):
    """Every row is read in its step (below 0: never): the first ``most`` neighbours, of ``width`` bytes each.

    ``line`` has the bytes of a line in either memory. What becomes of ``accesses`` and ``lines`` is at 2 * step for
    slow memory, and next to it for fast memory. A line that was just read in this step is not read again, and one at
    most ``near`` bytes further is no access of its own.
    """
    last, begins, shifts = np.full(lines.size, NOWHERE, np.int64), np.zeros(2, np.int64), _shifts(line)
    for place in range(np.uint64(fast.size)):
        v = place if order is None else np.uint64(order[place])
        length = np.int64(indptr[v + ONE] - indptr[v])
        side = np.uint64(fast[v])
        size = min(length, most) * width * np.int64(step[v] >= 0)
        at = np.uint64(max(step[v], 0)) * TWO + side
        _read(begins[side], size, at, line[side], shifts[side], near[side], last, accesses, lines)
        begins[side] += length * width


@njit(cache=True, nogil=True)
def count_pulls(order, fast, asked, indptr, indices, depth, levels, width, line, near, accesses, lines):
    """Of a search, the levels that are found by pulling: who is beyond a level looks for a neighbour on it.

    What becomes of ``accesses`` and ``lines`` is as above, with a step for each of ``levels``. Vertices that are not
    ``asked`` read nothing. Edges go both ways, so only vertices of the next level find one, and all others look through
    their rows in vain.
    """
    last, begins, shifts = np.full(lines.size, NOWHERE, np.int64), np.zeros(2, np.int64), _shifts(line)
    for place in range(np.uint64(fast.size)):
        v = place if order is None else np.uint64(order[place])
        length = np.int64(indptr[v + ONE] - indptr[v])
        side = np.uint64(fast[v])
        if asked[v] and length > 0:
            for k in range(np.uint64(levels.size)):
                if 0 <= depth[v] <= levels[k]:
                    continue
                taken = length
                if depth[v] == levels[k] + 1:
                    taken = _until_found(v, indptr, indices, depth, levels[k], fast)
                at = k * TWO + side
                _read(begins[side], taken * width, at, line[side], shifts[side], near[side], last, accesses, lines)
        begins[side] += length * width


@njit(cache=True, nogil=True)
def _until_found(v, indptr, indices, depth, level, fast):
    """How many neighbours a vertex looks at until one is on ``level``.

    They are looked through as they would be after renumbering: those in slow memory, then those in fast memory.
    """
    slow, fast_ones = np.int64(0), np.int64(0)
    found = np.int64(0)  # among those in fast memory, the place of the first on the level
    for i in range(indptr[v], indptr[v + ONE]):
        u = indices[i]
        on = depth[u] == level
        if fast[u]:
            fast_ones += 1
            if on and found == 0:
                found = fast_ones
        else:
            slow += 1
            if on:
                return slow
    return slow + (found if found > 0 else fast_ones)


@njit(cache=True, nogil=True, inline="always")
def _read(begin, size, at, line, shift, near, last, accesses, lines):
    """The first ``size`` bytes of a row that begins at or after the end of the one before; none are not counted.

    There is no telling how long the next row is and where it lies, so nothing branches: that is three times as fast.
    """
    if shift >= 0:  # as it is for all memories that there are; a division takes as long as all else here
        first, end = begin >> shift, (begin + size - 1) >> shift
    else:
        first, end = begin // line, (begin + size - 1) // line
    some, before = np.int64(size > 0), last[at]
    accesses[at] += some & np.int64((first - before - 1) * line > near)
    reached = max(end, before) * some + before * (1 - some)
    lines[at] += (reached - max(first - 1, before)) * some
    last[at] = reached


@njit(cache=True, nogil=True)
def _shifts(line):
    """By how many bits to shift instead of dividing by the bytes of a line; -1 where they are no power of two."""
    shifts = np.full(line.size, -1, dtype=np.int64)
    for side in range(line.size):
        for bit in range(62):
            if line[side] == 1 << bit:
                shifts[side] = bit
    return shifts
