# mypy: ignore-errors
"""Counting what reads of rows take from two memories: accesses, and the lines that come with them."""

import numpy as np

from clew.jit import njit

ONE = np.uint64(1)
ACCESSES, LINES = 0, 1
NOWHERE = -(1 << 40)  # a line far from all others


@njit(cache=True, nogil=True)
def look_for(piece, begins, ends, indptr, indices, depth, level, fast, taken):
    """How many neighbours each vertex of a block looks at until one is on ``level``; none for those found before.

    Rows are looked through as they would be after renumbering: neighbours in slow memory, then those in fast memory.
    """
    for v in range(np.uint64(begins[piece]), np.uint64(ends[piece])):
        if 0 <= depth[v] <= level:
            continue
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
                    taken[v] = slow
                    break
        else:
            taken[v] = slow + (found if found > 0 else fast_ones)


@njit(cache=True, nogil=True)
def count_lines(old_ids, boundary, indptr, taken, step, width, line, near, counts):
    """Go through all rows as they lie after renumbering; in its step, each is read from its beginning.

    ``taken`` is the number of neighbours that are read, of ``width`` bytes each, ``step`` when (below 0: never), and
    ``line`` the bytes of a line in either memory. ``counts[step, memory]`` becomes accesses and lines. A line that was
    just read in this step is not read again, and one at most ``near`` bytes further is no access of its own.
    """
    last = np.full((counts.shape[0], 2), NOWHERE, dtype=np.int64)
    begin = np.int64(0)
    for place in range(np.uint64(old_ids.size)):
        if place == boundary:
            begin = np.int64(0)
        v = np.uint64(old_ids[place])
        when = step[v]
        if when >= 0 and taken[v] > 0:
            side = 1 if place >= boundary else 0
            first, end = begin // line[side], (begin + taken[v] * width - 1) // line[side]
            before = last[when, side]
            if (first - before - 1) * line[side] > near[side]:
                counts[when, side, ACCESSES] += 1
            if end > before:
                counts[when, side, LINES] += end - max(first, before + 1) + 1
                last[when, side] = end
        begin += np.int64(indptr[v + ONE] - indptr[v]) * width
