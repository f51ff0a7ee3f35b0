# mypy: ignore-errors
"""What clustering coefficients need beyond triangles: neighbours whatever the direction, and links of both directions.

In a directed graph, a triangle u, v, w gives u as many links among its neighbours as there are edges between v and w:
one or two. Lists say for each item how many directions its edge has; the marks of ``kernels_triangles`` hold that.
"""

import numpy as np

from clew.algorithms.triangles.kernels import CHUNK, ONE, TAKEN, TWO
from clew.engines.cpu.team import kernels_intrinsics as atomic
from clew.engines.cpu.team.kernels import barrier, counter, stopped
from clew.jit import njit


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
    """degrees[v] = the number of neighbours that v has beside itself, duplicates counted once."""
    for v in range(np.uint64(bounds[part]), np.uint64(bounds[part + 1])):
        degree = 0
        before = v
        for j in range(start[v], stop[v]):
            w = np.uint64(items[j])
            degree += w != before and w != v
            before = w
        degrees[v] = degree


@njit(cache=True, nogil=True)
def links(member, size, state, start, stop, items, times, hubs, counts):
    """counts[v] += the directed edges among the neighbours of v; as ``kernels_triangles.count``."""
    num_vertices = np.uint64(start.size)
    mark = np.zeros(num_vertices, np.uint8)
    own = np.zeros(hubs, np.uint64)
    while not stopped(state):
        taken = np.uint64(atomic.add(state, counter(TAKEN), np.int64(CHUNK)))
        if taken >= num_vertices:
            break
        for u in range(taken, min(taken + np.uint64(CHUNK), num_vertices)):
            first, last = start[u], stop[u]
            if last - first < TWO:
                continue
            for i in range(first, last):
                mark[items[i]] = times[i]
            at_u = np.uint64(0)
            for i in range(first, last):
                v = items[i]
                at_v = np.uint64(0)
                for j in range(start[v], stop[v]):
                    w = np.uint64(items[j])
                    between_u_and_w = np.uint64(mark[w])
                    if between_u_and_w != 0:
                        at_v += between_u_and_w
                        at_u += np.uint64(times[j])
                        if w < hubs:
                            own[w] += np.uint64(times[i])
                        else:
                            atomic.add(counts, w, np.uint64(times[i]))
                if at_v > 0:
                    atomic.add(counts, np.uint64(v), at_v)
            if at_u > 0:
                atomic.add(counts, u, at_u)
            for i in range(first, last):
                mark[items[i]] = 0
    for w in range(hubs):
        if own[w] > 0:
            atomic.add(counts, w, own[w])
    barrier(size, state)
