# mypy: ignore-errors
"""Brandes' algorithm with distances: for weighted paths, and where the scores of edges are needed.

A search lists the vertices it reaches by ascending distance. An edge from u to v is on shortest paths if it leads from
the distance of u to that of v, and farther. Paths are counted in that order, and dependencies in the reverse order.
One thread does a search, so sums are in the same order for any number of threads.

A count of paths is a number up to LARGE and a power of LARGE. There may be more paths than a float64 can hold.
"""

import numpy as np

from clew.algorithms.all_pairs.kernels import down, up
from clew.engines.cpu.team import kernels_intrinsics as atomic
from clew.jit import njit
from clew.kernels_search import first_from

ONE = np.uint64(1)
LARGE = 2.0**500


@njit(cache=True, nogil=True)
def many_searches(member, taken, rows, weights, sources, distance, paths, power, rate, depends):
    """Fill a row of every array for each source; a member takes the next source until there are none.

    ``weights`` is None where every edge counts 1.
    """
    num_vertices = distance.shape[1]
    order = np.empty(num_vertices, rows[1].dtype)
    heap = np.empty(0 if weights is None else num_vertices, rows[1].dtype)
    place = np.empty(heap.size, np.int64)
    while True:
        row = atomic.add(taken, np.uint64(0), np.int64(1))
        if row >= sources.size:
            break
        source, away = sources[row], distance[row]
        if weights is None:
            reached = _by_hops(rows, source, away, order)
        else:
            reached = _by_length(rows, weights, source, away, order, heap, place)
        _count(rows, weights, order[:reached], away, paths[row], power[row])
        _depend(rows, weights, order[:reached], away, (paths[row], power[row], rate[row]), depends[row])


@njit(cache=True, nogil=True)
def _by_hops(rows, source, distance, order):
    indptr, indices = rows
    distance[:] = np.inf
    distance[source] = 0.0
    order[0] = source
    head, tail = np.uint64(0), ONE
    while head < tail:
        u = order[head]
        head += ONE
        for j in range(indptr[u], indptr[u + ONE]):
            v = indices[j]
            if distance[v] == np.inf:
                distance[v] = distance[u] + 1.0
                order[tail] = v
                tail += ONE
    return tail


@njit(cache=True, nogil=True)
def _by_length(rows, weights, source, distance, order, heap, place):
    """Dijkstra's algorithm; ``place[v]`` is where ``v`` is in the heap, if it is there."""
    indptr, indices = rows
    distance[:] = np.inf
    distance[source] = 0.0
    heap[0] = source
    size, reached = 1, np.uint64(0)
    while size > 0:
        u = heap[0]
        size -= 1
        if size > 0:
            down(heap, place, distance, size, heap[size])
        order[reached] = u
        reached += ONE
        for j in range(indptr[u], indptr[u + ONE]):
            v = indices[j]
            length = distance[u] + weights[j]
            if length < distance[v]:
                if distance[v] == np.inf:
                    place[v] = size
                    size += 1
                distance[v] = length
                up(heap, place, distance, v)
    return reached


@njit(cache=True, nogil=True)
def _is_on_shortest_paths(distance, weights, u, v, j):
    """Whether edge j does, from u to v; a length that rounding swallows, or that is infinite, leads nowhere."""
    length = 1.0 if weights is None else weights[j]
    return distance[u] < distance[v] and distance[v] < np.inf and distance[u] + length == distance[v]


@njit(cache=True, nogil=True)
def _count(rows, weights, order, distance, paths, power):
    """The number of shortest paths to every vertex in ``order``; none where rounding swallows the last length."""
    indptr, indices = rows
    for v in order:
        paths[v], power[v] = 0.0, 0
    paths[order[0]] = 1.0
    for u in order:
        for j in range(indptr[u], indptr[u + ONE]):
            v = indices[j]
            if not _is_on_shortest_paths(distance, weights, u, v, j):
                continue
            if paths[v] == 0.0:
                paths[v], power[v] = paths[u], power[u]
            elif power[v] == power[u]:
                paths[v] += paths[u]
            elif power[v] > power[u]:
                paths[v] += paths[u] * LARGE ** (power[u] - power[v])
            else:
                paths[v] = paths[v] * LARGE ** (power[v] - power[u]) + paths[u]
                power[v] = power[u]
            if paths[v] > LARGE:
                paths[v] /= LARGE
                power[v] += 1


@njit(cache=True, nogil=True)
def _over(search, u, v):
    """The dependency on an edge from u to v: the share of paths that use it, for all targets behind it.

    ``search`` is (paths, powers, rates). The rate of v is what each path to it passes on.
    """
    paths, power, rate = search
    share = paths[u] * rate[v]
    return share if power[u] == power[v] else share * LARGE ** (power[u] - power[v])


@njit(cache=True, nogil=True)
def _depend(rows, weights, order, distance, search, depends):
    """The dependencies of the first vertex in ``order`` on every vertex, and the rates."""
    indptr, indices = rows
    paths, _, rate = search
    depends[:] = 0.0
    for i in range(np.uint64(order.size) - ONE, np.uint64(0), -1):
        u = order[i]
        total = 0.0
        for j in range(indptr[u], indptr[u + ONE]):
            v = indices[j]
            if _is_on_shortest_paths(distance, weights, u, v, j):
                total += _over(search, u, v)
        depends[u] = total
        rate[u] = (1.0 + total) / paths[u] if paths[u] > 0.0 else 0.0


@njit(cache=True, nogil=True)
def add_edges(part, bounds, rows, weights, distance, paths, power, rate, depends, score):
    """Add the dependencies on the edges of one block of rows, in the order of the sources."""
    indptr, indices = rows
    for row in range(np.uint64(distance.shape[0])):
        away, found = distance[row], (paths[row], power[row], rate[row])
        for u in range(np.uint64(bounds[part]), np.uint64(bounds[part + 1])):
            if away[u] == np.inf:
                continue
            for j in range(indptr[u], indptr[u + ONE]):
                v = indices[j]
                if _is_on_shortest_paths(away, weights, u, v, j):
                    score[j] += _over(found, u, v)


@njit(cache=True, nogil=True)
def count_edges(part, bounds, rows, counts):
    """Count the edges of every vertex that do not lead to a smaller one."""
    indptr, indices = rows
    for v in range(np.uint64(bounds[part]), np.uint64(bounds[part + 1])):
        counts[v] = indptr[v + ONE] - first_from(indices, indptr[v], indptr[v + ONE], v)


@njit(cache=True, nogil=True)
def share_out(part, bounds, rows, lengths, firsts, simple, shortest, score, out):
    """Give every edge its part of the score of its arc, and of the reverse arc in an undirected graph.

    ``firsts`` has the number of the first edge of every vertex, or is None if every arc is an edge. With ``lengths``,
    only the ``shortest`` of parallel edges have a part.
    """
    indptr, indices = rows
    starts, ends = simple
    for v in range(np.uint64(bounds[part]), np.uint64(bounds[part + 1])):
        i, end, j = indptr[v], indptr[v + ONE], starts[v]
        edge = i
        if firsts is not None:
            i = first_from(indices, i, end, v)
            edge = np.uint64(firsts[v])
        while i < end:
            w, after = indices[i], i + ONE
            while after < end and indices[after] == w:
                after += ONE
            total = 0.0
            if w != v:
                while ends[j] < w:
                    j += ONE
                total = score[j]
                if firsts is not None:
                    total += score[first_from(ends, starts[w], starts[w + ONE], v)]
            parallel = after - i
            if lengths is not None and w != v:
                parallel = ONE - ONE
                for k in range(i, after):
                    if np.float64(lengths[k]) == shortest[j]:
                        parallel += ONE
            for k in range(i, after):
                has_part = lengths is None or w == v or np.float64(lengths[k]) == shortest[j]
                out[edge] = total / parallel if has_part else 0.0
                edge += ONE
            i = after
