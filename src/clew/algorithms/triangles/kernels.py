# mypy: ignore-errors
"""Triangles, each found once: at its last vertex u, whose earlier neighbours are marked, in the row of an earlier one.

Every vertex gets a list of its neighbours that come before it in the order of descending degree. Let u be last and v
second to last. u, v, w is a triangle if v and w are in the list of u, and w is in the list of v. Marks are a byte per
vertex, set and cleared by the list of u. Looking up w is one load without a branch, while merging two lists would
mispredict a branch at every step.

In this order no list is longer than √arcs. Most lookups are among the few vertices that come first, so the marks stay
in the cache. If rows are short, as in road networks, ``in_place`` needs no such lists: it merges the beginnings of
rows.

Lists are (start, stop, items): the list of v is items[start[v]:stop[v]], and there may be gaps between lists.
"""

import numpy as np

from clew.engines.cpu.team import kernels_intrinsics as atomic
from clew.engines.cpu.team.kernels import barrier, counter, stopped, take_chunk
from clew.jit import njit

CHUNK = 128  # vertices that a member takes at a time
HUBS = 1 << 14  # vertices that come first in the order; every member counts for them on its own
ONE, TWO = np.uint64(1), np.uint64(2)
TAKEN, TOTAL = range(2)  # counters


@njit(cache=True, nogil=True)
def sum_of_squares(part, bounds, indptr):
    """The sum of the squares of the degrees: merging rows as they are makes no more work than that."""
    total = 0.0
    for v in range(np.uint64(bounds[part]), np.uint64(bounds[part + 1])):
        degree = np.float64(indptr[v + ONE] - indptr[v])
        total += degree * degree
    return total


@njit(cache=True, nogil=True)
def both_directions(part, bounds, out, into, start, stop, items, times):
    """Merge the out- and in-rows of one block of vertices: each neighbour once, with its number of directions."""
    out_indptr, out_indices = out
    in_indptr, in_indices = into
    nobody = np.uint64(start.size)
    place = out_indptr[bounds[part]] + in_indptr[bounds[part]]
    for v in range(np.uint64(bounds[part]), np.uint64(bounds[part + 1])):
        start[v] = place
        i, j = out_indptr[v], in_indptr[v]
        last_out, last_in = out_indptr[v + ONE], in_indptr[v + ONE]
        while i < last_out or j < last_in:
            out_next = np.uint64(out_indices[i]) if i < last_out else nobody
            in_next = np.uint64(in_indices[j]) if j < last_in else nobody
            w = min(out_next, in_next)
            if w != v:
                items[place] = w
                times[place] = np.uint8(out_next == w) + np.uint8(in_next == w)
                place += ONE
            while i < last_out and out_indices[i] == w:
                i += ONE
            while j < last_in and in_indices[j] == w:
                j += ONE
        stop[v] = place


@njit(cache=True, nogil=True)
def distinct(part, bounds, start, stop, items, degrees):
    """degrees[v] = the number of neighbours that v has besides itself, duplicates counted once."""
    for v in range(np.uint64(bounds[part]), np.uint64(bounds[part + 1])):
        degree = 0
        before = v
        for j in range(start[v], stop[v]):
            w = np.uint64(items[j])
            degree += w != before and w != v
            before = w
        degrees[v] = degree


@njit(cache=True, nogil=True)
def ranks(start, stop, rank):
    """rank[v] = the place of v by falling degree, equal ones in the order of their ids."""
    num_vertices = np.uint64(rank.size)
    largest = np.uint64(0)
    for v in range(num_vertices):
        largest = max(largest, stop[v] - start[v])
    places = np.zeros(largest + TWO, np.uint64)
    for v in range(num_vertices):
        places[largest - (stop[v] - start[v]) + ONE] += ONE
    for i in range(ONE, np.uint64(places.size)):
        places[i] += places[i - ONE]
    for v in range(num_vertices):
        shortfall = largest - (stop[v] - start[v])
        rank[v] = places[shortfall]
        places[shortfall] += ONE


@njit(cache=True, nogil=True)
def lists_by_rank(part, bounds, start, stop, items, times, rank, first, last, lists, list_times):
    """The ranks before each vertex's own among its neighbours, without duplicates; vertices are called by rank.

    A block writes one list after the other from where its rows start; ``times`` go along where there are any.
    """
    place = start[bounds[part]] if bounds[part] < bounds[part + 1] else np.uint64(0)
    for v in range(np.uint64(bounds[part]), np.uint64(bounds[part + 1])):
        mine = rank[v]
        first[mine] = place
        before = v  # rows are sorted: equal ones follow each other
        for j in range(start[v], stop[v]):
            w = items[j]
            if w != before:
                before = w
                # Written whether it is kept or not: a branch would be taken wrongly half the time.
                lists[place] = rank[w]
                if times is not None:
                    list_times[place] = times[j]
                place += np.uint64(rank[w] < mine)
        last[mine] = place


@njit(cache=True, nogil=True)
def total(member, size, state, start, stop, items):
    """The number of triangles."""
    num_vertices = np.uint64(start.size)
    mark = np.zeros(num_vertices, np.uint8)
    found = np.uint64(0)
    while not stopped(state):
        begin, end = take_chunk(state, TAKEN, CHUNK, num_vertices)
        if begin == num_vertices:
            break
        for u in range(begin, end):
            first, last = start[u], stop[u]
            if last - first < TWO:
                continue
            for i in range(first, last):
                mark[items[i]] = 1
            for i in range(first, last):
                v = items[i]
                for j in range(start[v], stop[v]):
                    found += np.uint64(mark[items[j]])
            for i in range(first, last):
                mark[items[i]] = 0
    atomic.add(state, counter(TOTAL), np.int64(found))
    barrier(size, state)
    return state[counter(TOTAL)]


@njit(cache=True, nogil=True)
def in_place(member, size, state, indptr, indices, counts):
    """The number of triangles, by merging sorted rows; for rows that are short throughout.

    Where ``counts`` is not None, counts[v] += the triangles that v is in.
    """
    num_vertices = np.uint64(indptr.size - 1)
    found = 0
    while not stopped(state):
        begin, end = take_chunk(state, TAKEN, CHUNK, num_vertices)
        if begin == num_vertices:
            break
        for u in range(begin, end):
            first, last = indptr[u], indptr[u + ONE]
            for p in range(first + ONE, last):  # the first neighbour has none of the others before it
                v = indices[p]
                if v >= u:
                    break
                if v == indices[p - ONE]:
                    continue
                i = first
                for j in range(indptr[v], indptr[v + ONE]):
                    w = indices[j]
                    if w >= v:
                        break
                    while indices[i] < w:  # ends at v
                        i += ONE
                    if indices[i] == w:
                        found += 1
                        if counts is not None:
                            atomic.add(counts, u, ONE)
                            atomic.add(counts, np.uint64(v), ONE)
                            atomic.add(counts, np.uint64(w), ONE)
                        while indices[i] == w:  # so that a duplicate of w finds nothing
                            i += ONE
    atomic.add(state, counter(TOTAL), np.int64(found))
    barrier(size, state)
    return state[counter(TOTAL)]


@njit(cache=True, nogil=True)
def count(member, size, state, start, stop, items, times, hubs, counts):
    """counts[v] += the triangles that v is in or, where ``times`` is given, the directed edges among its neighbours.

    A triangle u, v, w then gives u as many edges as there are directions between v and w, one or two. ``times`` has
    that number for each item, and so have the marks. The first ``hubs`` vertices are in many triangles: every member
    has counters of its own for them.
    """
    num_vertices = np.uint64(start.size)
    mark = np.zeros(num_vertices, np.uint8)
    own = np.zeros(hubs, np.uint64)
    while not stopped(state):
        begin, end = take_chunk(state, TAKEN, CHUNK, num_vertices)
        if begin == num_vertices:
            break
        for u in range(begin, end):
            first, last = start[u], stop[u]
            if last - first < TWO:
                continue
            for i in range(first, last):
                mark[items[i]] = 1 if times is None else times[i]
            at_u = np.uint64(0)
            for i in range(first, last):
                v = items[i]
                at_v = np.uint64(0)
                for j in range(start[v], stop[v]):
                    w = np.uint64(items[j])
                    hit = np.uint64(mark[w])
                    at_v += hit
                    if times is None:
                        if w < hubs:
                            own[w] += hit
                        elif hit != 0:
                            atomic.add(counts, w, ONE)
                    elif hit != 0:
                        at_u += np.uint64(times[j])
                        if w < hubs:
                            own[w] += np.uint64(times[i])
                        else:
                            atomic.add(counts, w, np.uint64(times[i]))
                if at_v > 0:
                    atomic.add(counts, np.uint64(v), at_v)
                    if times is None:
                        at_u += at_v
            if at_u > 0:
                atomic.add(counts, u, at_u)
            for i in range(first, last):
                mark[items[i]] = 0
    for w in range(hubs):
        if own[w] > 0:
            atomic.add(counts, w, own[w])
    barrier(size, state)
