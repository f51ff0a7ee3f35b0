# mypy: ignore-errors
"""Random edges of vertices: every vertex and hop has its own stream of random numbers, so any thread can draw them.

Without replacement, Floyd's method draws k of d numbers in k steps. With weights, every edge gets a random time, the
earlier the heavier it is, and the k earliest are drawn (Efraimidis and Spirakis).
"""

from math import log

import numpy as np

from clew.generate.kernels_random import below, bits, unit
from clew.jit import njit
from clew.kernels_search import first_from

ONE = np.uint64(1)
SPREAD = np.uint64(0x9E3779B97F4A7C15)  # 2^64 divided by the golden ratio: neighbours end up far apart
EMPTY = np.int64(-1)


@njit(cache=True, nogil=True)
def count_positive(part, parts, rows, weights, vertices, counts):
    """How many edges of each of a share of the vertices have a weight above 0."""
    for i in range(part * vertices.size // parts, (part + 1) * vertices.size // parts):
        v = np.uint64(vertices[i])
        for j in range(rows[0][v], rows[0][v + ONE]):
            counts[i] += weights[j] > 0


@njit(cache=True, nogil=True)
def pick(part, parts, rows, weights, vertices, ids, key, replace, able, ends, places, keys):
    """Draw the edges of a share of the vertices: vertex i fills ``places`` from ``ends[i]`` to ``ends[i + 1]``.

    ``ids`` select the random numbers; on one machine they are the vertices. ``able`` is how many edges can be drawn.
    ``weights`` is None where edges are equally likely; else ``keys`` is room for a number per drawn edge.
    """
    for i in range(part * vertices.size // parts, (part + 1) * vertices.size // parts):
        v = np.uint64(vertices[i])
        start, stop = rows[0][v], rows[0][v + ONE]
        mine = places[ends[i] : ends[i + 1]]
        own = bits(key, np.uint64(ids[i]))
        if mine.size == 0:
            continue
        if not replace and mine.size == able[i]:
            filled = 0
            for j in range(start, stop):
                if weights is None or weights[j] > 0:
                    mine[filled] = j
                    filled += 1
        elif weights is not None:
            _pick_by_weight(weights, start, stop, own, replace, mine, keys[ends[i] : ends[i + 1]])
        elif replace:
            for t in range(np.uint64(mine.size)):
                mine[t] = start + below(bits(own, t), stop - start)
        else:
            _pick_distinct(start, stop, own, mine)


@njit(cache=True, nogil=True)
def _pick_distinct(start, stop, own, mine):
    last = stop - np.uint64(mine.size)
    for t in range(np.uint64(mine.size)):
        drawn = start + below(bits(own, t), last + t - start + ONE)
        for i in range(t):
            if mine[i] == drawn:
                drawn = last + t
                break
        mine[t] = drawn


@njit(cache=True, nogil=True)
def _pick_by_weight(weights, start, stop, own, replace, mine, keys):
    if replace:  # numbers up to the sum of all weights, in order, and a pass over the row
        total = 0.0
        for j in range(start, stop):
            total += weights[j]
        for t in range(np.uint64(mine.size)):
            _insert(keys, mine, np.int64(t), unit(bits(own, t)) * total, 0)
        t, reached, latest = 0, 0.0, start
        for j in range(start, stop):
            if weights[j] > 0:
                latest = j
                reached += weights[j]
                while t < mine.size and keys[t] < reached:
                    mine[t] = j
                    t += 1
        while t < mine.size:
            mine[t] = latest
            t += 1
        return
    filled = np.int64(0)
    for j in range(start, stop):
        if weights[j] > 0:
            time = -log(1.0 - unit(bits(own, j - start))) / weights[j]
            if filled < mine.size:
                _insert(keys, mine, filled, time, j)
                filled += 1
            elif time < keys[filled - 1]:
                _insert(keys, mine, filled - 1, time, j)


@njit(cache=True, nogil=True)
def _insert(keys, mine, hole, key, place):
    """Put a key and its place into an ascending list whose entry ``hole`` is free."""
    while hole > 0 and keys[hole - 1] > key:
        keys[hole], mine[hole] = keys[hole - 1], mine[hole - 1]
        hole -= 1
    keys[hole], mine[hole] = key, place


@njit(cache=True, nogil=True)
def out_places(part, parts, into, out, places, targets, edges):
    """Where edges of the in-rows are in the out-rows; parallel edges are in the same order in both."""
    for i in range(part * places.size // parts, (part + 1) * places.size // parts):
        j, v = np.uint64(places[i]), np.uint64(targets[i])
        u = np.uint64(into[1][j])
        before = j - first_from(into[1], into[0][v], into[0][v + ONE], u)
        edges[i] = first_from(out[1], out[0][u], out[0][u + ONE], v) + before


@njit(cache=True, nogil=True)
def number(known, ids, table, places, node, numbers):
    """Number ids in order of appearance, after those known; returns how many there are.

    ``table`` is a hash table of ids, EMPTY where it is empty, and ``places`` has their numbers.
    """
    mask = np.uint64(table.size - 1)
    count = 0
    for i in range(known.size + ids.size):
        v = known[i] if i < known.size else ids[i - known.size]
        slot = (np.uint64(v) * SPREAD) >> np.uint64(20) & mask
        while table[slot] != v and table[slot] != EMPTY:
            slot = (slot + ONE) & mask
        if table[slot] == EMPTY:
            table[slot], places[slot] = v, count
            node[count] = v
            count += 1
        if i >= known.size:
            numbers[i - known.size] = places[slot]
    return count
