# mypy: ignore-errors
"""Kernels of placements: rows in a new order, rows chosen for fast memory, and what reading them costs.

Hottest rows: only rows cooler than ``below`` and of at most ``left`` bytes count. The others have been decided upon, or
cannot fit.

Reads: rows are processed in the order of old ids. Within each memory they are stored in that order, so the start of a
row is known without renumbering. If a placement sorts within the groups, ``order`` has the vertices in storage order.
"""

import numpy as np

from clew.build.kernels_sort import sort_row
from clew.generate.kernels_random import FIRST_FACTOR, bits
from clew.jit import njit

ZERO, ONE, TWO = np.uint64(0), np.uint64(1), np.uint64(2)
LOW = np.uint64(32)  # bits of a place within a row
MOST = np.uint64(2**32 - 1)
WALKS_AT_ONCE = 32
NOWHERE = -(1 << 40)  # a line far from all others


@njit(cache=True, nogil=True)
def move_rows(piece, bounds, boundary, indptr, indices, weights, new_ids, to_indptr, to_indices, to_weights):
    """Write the rows of one block to their new places, sorted. Both groups keep their order, so nothing is compared.

    Neighbours in the slow group come first, in their old order. Those in the fast group are written backwards from the
    row's end and then reversed. So every neighbour is looked up once, without a buffer.
    """
    for u in range(np.uint64(bounds[piece]), np.uint64(bounds[piece + 1])):
        first = to_indptr[new_ids[u]]
        front = first
        back = first + (indptr[u + ONE] - indptr[u])
        end = back
        for i in range(indptr[u], indptr[u + ONE]):
            v = new_ids[indices[i]]
            if v < boundary:
                place = front
                front += ONE
            else:
                back -= ONE
                place = back
            to_indices[place] = v
            if weights is not None:
                to_weights[place] = weights[i]
        last = end
        while front + ONE < last:
            last -= ONE
            to_indices[front], to_indices[last] = to_indices[last], to_indices[front]
            if weights is not None:
                to_weights[front], to_weights[last] = to_weights[last], to_weights[front]
            front += ONE


@njit(cache=True, nogil=True)
def rarely_entered_children(piece, bounds, indptr, indices, in_degrees, threshold, percentile, fast):
    """Mark the children, of vertices with more than ``threshold``, whose rank among them is below the percentile.

    Children are ranked by in-degree, ties by descending id, which is the reverse order of the row. All threads write
    the same value, so their order does not matter.
    """
    longest = ONE
    for u in range(np.uint64(bounds[piece]), np.uint64(bounds[piece + 1])):
        longest = max(longest, indptr[u + ONE] - indptr[u])
    keys = np.empty(longest, np.uint64)
    for u in range(np.uint64(bounds[piece]), np.uint64(bounds[piece + 1])):
        start, size = indptr[u], indptr[u + ONE] - indptr[u]
        if size <= threshold:
            continue
        chosen = np.uint64(percentile * np.float64(size) / 100.0)  # the k-th of them has percentile 100 k / size
        while chosen > 0 and np.float64(chosen) * 100.0 >= percentile * np.float64(size):
            chosen -= ONE
        while np.float64(chosen + ONE) * 100.0 < percentile * np.float64(size):
            chosen += ONE
        if chosen == 0:
            continue
        for i in range(size):
            keys[i] = (np.uint64(in_degrees[indices[start + i]]) << LOW) | (size - ONE - i)
        _smallest_first(keys, chosen, size)
        for k in range(chosen):
            place = start + size - ONE - (keys[k] & MOST)
            fast[indices[place]] = True


@njit(cache=True, nogil=True)
def _smallest_first(keys, count, size):
    """Move the ``count`` smallest of the first ``size`` keys to the front, by Hoare's selection. Keys are distinct."""
    low, high = np.uint64(0), size - ONE
    while low < high:
        a, b, c = keys[low], keys[(low + high) >> ONE], keys[high]
        pivot = max(min(a, b), min(max(a, b), c))
        i, j = low, high
        while True:
            while keys[i] < pivot:
                i += ONE
            while keys[j] > pivot:
                j -= ONE
            if i >= j:
                break
            keys[i], keys[j] = keys[j], keys[i]
        # The pivot is at i = j now, after all smaller keys.
        if i + ONE == count or i == count:
            return
        if i < count:
            low = i + ONE
        else:
            high = i - ONE


@njit(cache=True, nogil=True)
def keep_fitting(chosen, indptr, edge, offset, budget):
    """Of the chosen vertices, in the order of their ids, keep those whose row still fits."""
    left = budget
    for v in range(np.uint64(chosen.size)):
        if chosen[v]:
            size = (indptr[v + ONE] - indptr[v]) * edge + offset
            if size <= left:
                left -= size
            else:
                chosen[v] = False


@njit(cache=True, nogil=True)
def collect(piece, bounds, damping, indptr, indices, passed, rank):
    """One round of PageRank for one block of rows of the in-edges."""
    base = np.float32(1) - damping
    for v in range(np.uint64(bounds[piece]), np.uint64(bounds[piece + 1])):
        total = np.float32(0)
        for i in range(indptr[v], indptr[v + ONE]):
            total += passed[indices[i]]
        rank[v] = base + damping * total


@njit(cache=True, nogil=True)
def walk(piece, pieces, seed, indptr, indices, visits):
    """Random walks from random vertices: fill one piece of the columns of ``visits``, a column for every walk.

    A walk at a dead end starts again elsewhere. Walk k depends on the seed and k alone. A few walks take their steps in
    turn, so that they wait for memory together.
    """
    num_vertices = np.uint64(indptr.size - 1)
    at = np.empty(WALKS_AT_ONCE, np.uint64)
    first, last = piece * visits.shape[1] // pieces, (piece + 1) * visits.shape[1] // pieces
    for start in range(first, last, WALKS_AT_ONCE):
        count = min(WALKS_AT_ONCE, last - start)
        for j in range(count):
            at[j] = bits(seed + np.uint64(start + j) * FIRST_FACTOR, ZERO) % num_vertices
        for step in range(visits.shape[0]):
            for j in range(count):
                v = at[j]
                visits[step, start + j] = v
                number = bits(seed + np.uint64(start + j) * FIRST_FACTOR, np.uint64(step + 1))
                degree = indptr[v + ONE] - indptr[v]
                at[j] = np.uint64(indices[indptr[v] + number % degree]) if degree > 0 else number % num_vertices


@njit(cache=True, nogil=True)
def bytes_by_digit(piece, pieces, heats, indptr, edge, offset, below, left, prefix, shift, digits):
    """The bytes of a piece's rows whose heat begins with ``prefix``, by the next ``digits`` bits of the heat."""
    sizes = np.zeros(ONE << digits, np.uint64)
    mask = (ONE << digits) - ONE
    for v in range(np.uint64(piece * heats.size // pieces), np.uint64((piece + 1) * heats.size // pieces)):
        heat = np.uint64(heats[v])
        if heat < below and (heat >> shift) >> digits == prefix:
            size = (indptr[v + ONE] - indptr[v]) * edge + offset
            if size <= left:
                sizes[(heat >> shift) & mask] += size
    return sizes


@njit(cache=True, nogil=True)
def take(piece, pieces, heats, indptr, edge, offset, below, left, least, fast):
    """Take all vertices of a piece that are at least as hot as ``least``."""
    for v in range(np.uint64(piece * heats.size // pieces), np.uint64((piece + 1) * heats.size // pieces)):
        if least <= np.uint64(heats[v]) < below and (indptr[v + ONE] - indptr[v]) * edge + offset <= left:
            fast[v] = True


@njit(cache=True, nogil=True)
def take_equals(heats, indptr, edge, offset, heat, room, fast):
    """Take the vertices of one heat in id order, each if its row fits into ``room``. Returns the remaining room."""
    for v in range(np.uint64(heats.size)):
        if np.uint64(heats[v]) == heat:
            size = (indptr[v + ONE] - indptr[v]) * edge + offset
            if size <= room:
                room -= size
                fast[v] = True
                if room < offset:
                    break
    return room


@njit(cache=True, nogil=True)
def take_sorted(heats, indptr, edge, offset, below, left, fast):
    """Take the vertices whose rows fit, hottest first, ties by ascending id."""
    count = ZERO
    for v in range(np.uint64(heats.size)):
        count += np.uint64(np.uint64(heats[v]) < below and (indptr[v + ONE] - indptr[v]) * edge + offset <= left)
    keys, vertices = np.empty(count, np.uint64), np.empty(count, np.uint64)
    count = ZERO
    for v in range(np.uint64(heats.size)):
        if np.uint64(heats[v]) < below and (indptr[v + ONE] - indptr[v]) * edge + offset <= left:
            keys[count], vertices[count] = below - np.uint64(heats[v]), v
            count += ONE
    sort_row(keys, vertices, ZERO, count, False)
    for i in range(count):
        v = vertices[i]
        size = (indptr[v + ONE] - indptr[v]) * edge + offset
        if size <= left:
            left -= size
            fast[v] = True


@njit(cache=True, nogil=True)
def places_in_levels(depth, sizes, place):
    """place[v] = the number of vertices with smaller ids on the level of v; ``sizes`` starts as zeros."""
    for v in range(np.uint64(depth.size)):
        if depth[v] >= 0:
            level = np.uint64(depth[v])
            place[v] = sizes[level]
            sizes[level] += 1


@njit(cache=True, nogil=True)
def count_lines(order, fast, indptr, most, step, pulls, width, line, shift, near, accesses, lines):
    """Count the reads if every row is read in its step (below 0: never): ``most`` neighbours of ``width`` bytes each.

    ``line`` has the bytes of a line in slow and fast memory, and ``shift`` their logarithms, -1 if that is no integer.
    ``accesses`` and ``lines`` are counted at 2 * step for slow memory, and next to it for fast memory. A line that was
    just read in this step is not read again. One at most ``near`` bytes further is no access of its own.

    With ``pulls``, count the reads of a search on the levels where it pulls: vertices beyond a level look for a
    neighbour on it. ``step`` is the depth of a vertex then, and counts have a step for each level. Only sampled
    vertices read. The graph is undirected, so vertices of the next level find a neighbour, and all others read whole
    rows.
    """
    last, begins = np.full(lines.size, NOWHERE, np.int64), np.zeros(2, np.int64)
    if pulls is not None:
        sampled, indices, levels = pulls
    for place in range(np.uint64(fast.size)):
        v = place if order is None else np.uint64(order[place])
        length = np.int64(indptr[v + ONE] - indptr[v])
        side = np.uint64(fast[v])
        if pulls is None:
            size = min(length, most) * width * np.int64(step[v] >= 0)
            at = np.uint64(max(step[v], 0)) * TWO + side
            _read(begins[side], size, at, line[side], shift[side], near[side], last, accesses, lines)
        else:
            for k in range(np.uint64(levels.size) if sampled[v] and length > 0 else np.uint64(0)):
                if 0 <= step[v] <= levels[k]:
                    continue
                taken = length
                if step[v] == levels[k] + 1:
                    taken = _until_found(v, indptr, indices, step, levels[k], fast)
                at = k * TWO + side
                _read(begins[side], taken * width, at, line[side], shift[side], near[side], last, accesses, lines)
        begins[side] += length * width


@njit(cache=True, nogil=True)
def _until_found(v, indptr, indices, depth, level, fast):
    """The number of neighbours that a vertex reads until one is on ``level``.

    They are read in the order after renumbering: those in slow memory, then those in fast memory.
    """
    slow, fast_ones = np.int64(0), np.int64(0)
    found = np.int64(0)  # the place of the first one on the level, among those in fast memory
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
    """Count the first ``size`` bytes of a row, if there are any. It begins at or after the end of the previous row.

    The length and the memory of the next row cannot be predicted, so nothing branches. That is three times as fast.
    """
    if shift >= 0:  # true of all real memories; a division takes as long as everything else here
        first, end = begin >> shift, (begin + size - 1) >> shift
    else:
        first, end = begin // line, (begin + size - 1) // line
    some, before = np.int64(size > 0), last[at]
    accesses[at] += some & np.int64((first - before - 1) * line > near)
    reached = max(end, before) * some + before * (1 - some)
    lines[at] += (reached - max(first - 1, before)) * some
    last[at] = reached
