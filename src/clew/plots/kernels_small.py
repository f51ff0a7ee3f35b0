# mypy: ignore-errors
"""Layouts of small connected graphs, each by one thread from beginning to end.

Vertices start where their hops from three far corners put them: that unfolds paths, rings and grids before any force
acts. Then springs and pushes, pair by pair, until the steps are short.
"""

import numpy as np

from clew.jit import njit

ONE = np.uint64(1)


@njit(cache=True, nogil=True)
def hops_from(source, first, last, indptr, indices, hops, queue):
    """Breadth-first search within vertices first…last-1; returns the vertex found last."""
    for v in range(first, last):
        hops[v - first] = -1
    hops[source - first] = 0
    queue[0] = source
    head, tail = np.uint64(0), ONE
    while head < tail:
        v = np.uint64(queue[head])
        head += ONE
        for k in range(indptr[v], indptr[v + ONE]):
            u = np.uint64(indices[k])
            if hops[u - first] < 0:
                hops[u - first] = hops[v - first] + 1
                queue[tail] = u
                tail += ONE
    return np.uint64(queue[tail - ONE])


@njit(cache=True, nogil=True)
def start(first, last, indptr, indices, noise, x, y):
    """Places from the hops to three corners: the first two lie far apart, the third far from both."""
    size = last - first
    queue = np.empty(size, dtype=np.uint64)
    a_hops = np.empty(size, dtype=np.float32)
    b_hops = np.empty(size, dtype=np.float32)
    c_hops = np.empty(size, dtype=np.float32)
    a = hops_from(first, first, last, indptr, indices, a_hops, queue)
    b = hops_from(a, first, last, indptr, indices, a_hops, queue)
    hops_from(b, first, last, indptr, indices, b_hops, queue)
    c = first
    for v in range(first, last):
        if min(a_hops[v - first], b_hops[v - first]) > min(a_hops[c - first], b_hops[c - first]):
            c = v
    hops_from(c, first, last, indptr, indices, c_hops, queue)
    for v in range(first, last):
        i = v - first
        x[v] = a_hops[i] - b_hops[i] + noise[v, 0]
        y[v] = np.float32(2) * c_hops[i] - a_hops[i] - b_hops[i] + noise[v, 1]


@njit(cache=True, nogil=True)
def settle(first, last, indptr, indices, weights, charge, rounds, x, y):
    """Let the vertices of one component find their places, alone with each other."""
    size = last - first
    total = np.float32(0)
    for v in range(first, last):
        total += charge[v]
    strength = np.float32(1) / total
    new_x, new_y = np.empty(size, dtype=np.float32), np.empty(size, dtype=np.float32)
    longest = np.float32(1)
    cool = np.float32(0.02 ** (1 / rounds))
    for _ in range(rounds):
        for v in range(first, last):
            at_x, at_y = x[v], y[v]
            push_x = push_y = np.float32(0)
            for u in range(first, last):
                dx, dy = at_x - x[u], at_y - y[u]
                part = charge[u] / (dx * dx + dy * dy + np.float32(1e-6))
                push_x += part * dx
                push_y += part * dy
            push = strength * charge[v]
            sum_x, sum_y = push * push_x, push * push_y
            stiff = np.float32(0)
            for k in range(indptr[v], indptr[v + ONE]):
                u = np.uint64(indices[k])
                dx, dy = x[u] - at_x, y[u] - at_y
                spring = np.float32(1) if weights is None else weights[k]
                sum_x += spring * dx
                sum_y += spring * dy
                stiff += spring
            go_x, go_y = np.float32(0.5) * sum_x / stiff, np.float32(0.5) * sum_y / stiff
            far = np.sqrt(go_x * go_x + go_y * go_y)
            if far > longest:
                go_x *= longest / far
                go_y *= longest / far
            new_x[v - first], new_y[v - first] = at_x + go_x, at_y + go_y
        for v in range(first, last):
            x[v], y[v] = new_x[v - first], new_y[v - first]
        longest *= cool


@njit(cache=True, nogil=True)
def make_room(piece, pieces, x, y, apart, new_x, new_y):
    """Every vertex of the piece goes half of the way that keeps it ``apart`` from each of those nearer than that."""
    size = x.size
    for v in range(np.uint64(piece * size // pieces), np.uint64((piece + 1) * size // pieces)):
        go_x = go_y = np.float32(0)
        for u in range(np.uint64(size)):
            dx, dy = x[v] - x[u], y[v] - y[u]
            square = dx * dx + dy * dy
            if np.float32(0) < square < apart * apart:
                far = np.sqrt(square)
                go_x += (apart - far) * dx / far
                go_y += (apart - far) * dy / far
        new_x[v] = x[v] + np.float32(0.25) * go_x
        new_y[v] = y[v] + np.float32(0.25) * go_y


@njit(cache=True, nogil=True)
def lay_out(piece, pieces, starts, indptr, indices, weights, charge, noise, work, x, y):
    """Components ``starts[c]``…``starts[c + 1]``-1 of a piece; ``work`` bounds rounds times vertices of each."""
    count = starts.size - 1
    for c in range(piece * count // pieces, (piece + 1) * count // pieces):
        first, last = np.uint64(starts[c]), np.uint64(starts[c + 1])
        start(first, last, indptr, indices, noise, x, y)
        settle(first, last, indptr, indices, weights, charge, min(300, max(40, work // np.int64(last - first))), x, y)
