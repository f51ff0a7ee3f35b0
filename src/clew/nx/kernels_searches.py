# mypy: ignore-errors
"""Searches that depend on the order in which rows list their neighbours.

Each is the work of one thread: which of two neighbours comes first depends on all that came before.

- Searches from both ends of a path visit few vertices. ``rows`` are those of the out-edges and the in-edges.
- The search for a negative cycle is Bellman and Ford's algorithm with a queue, as in NetworkX. Predecessors are
  lists, linked from the last one that was added to those before it.
"""

from heapq import heappop, heappush

import numpy as np

from clew.jit import njit

ONE = np.uint64(1)


@njit(cache=True, nogil=True)
def breadth_first(indptr, indices, reached, limit, queue, parent, depth):
    """Search breadth first from the ``reached`` vertices in the queue; returns how many were reached.

    The queue becomes the order in which vertices are found. ``depth`` is -1 except at the sources. The search stops at
    depth ``limit``.
    """
    read = np.uint64(0)
    count = np.uint64(reached)
    while read < count:
        v = np.uint64(queue[read])
        read += ONE
        level = depth[v] + 1
        if level > limit:
            break
        for j in range(indptr[v], indptr[v + ONE]):
            w = np.uint64(indices[j])
            if depth[w] < 0:
                depth[w] = level
                parent[w] = v
                queue[count] = w
                count += ONE
    return count


@njit(cache=True, nogil=True)
def strong_components(indptr, indices, label):
    """Number the strongly connected components in the order in which Tarjan's search completes them.

    ``label`` has a number for every vertex when the kernel returns the count; those behind a component are before it.
    """
    n = label.size
    preorder, lowlink = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    at = indptr[:-1].copy()
    path, waiting = np.empty(n, dtype=np.uint64), np.empty(n, dtype=np.uint64)
    waits = seen = count = 0
    label[:] = -1
    for source in range(np.uint64(n)):
        if preorder[source] > 0:
            continue
        path[0] = source
        deep = 1
        while deep > 0:
            v = path[deep - 1]
            if preorder[v] == 0:
                seen += 1
                preorder[v] = seen
            deeper = False
            while at[v] < indptr[v + ONE] and not deeper:
                w = np.uint64(indices[at[v]])
                at[v] += ONE
                if preorder[w] == 0:
                    path[deep] = w
                    deep += 1
                    deeper = True
            if deeper:
                continue
            deep -= 1
            lowlink[v] = preorder[v]
            for j in range(indptr[v], indptr[v + ONE]):
                w = np.uint64(indices[j])
                if label[w] < 0:
                    lowlink[v] = min(lowlink[v], lowlink[w] if preorder[w] > preorder[v] else preorder[w])
            if lowlink[v] < preorder[v]:
                waiting[waits] = v
                waits += 1
                continue
            label[v] = count
            while waits > 0 and preorder[waiting[waits - 1]] > preorder[v]:
                waits -= 1
                label[waiting[waits]] = count
            count += 1
    return count


@njit(cache=True, nogil=True)
def postorder(indptr, indices, order):
    """Number the vertices in ``order`` in the order in which a depth-first search over all of them finishes them."""
    # Not from the events of dfs_order: writing those takes 1.4 to 4.6 times as long.
    n = order.size
    at, path = indptr[:-1].copy(), np.empty(n, dtype=np.uint64)
    seen = np.zeros(n, dtype=np.bool_)
    count = 0
    for source in range(np.uint64(n)):
        if seen[source]:
            continue
        seen[source] = True
        path[0] = source
        deep = 1
        while deep > 0:
            v = path[deep - 1]
            if at[v] == indptr[v + ONE]:
                deep -= 1
                order[v] = count
                count += 1
                continue
            w = np.uint64(indices[at[v]])
            at[v] += ONE
            if not seen[w]:
                seen[w] = True
                path[deep] = w
                deep += 1


@njit(cache=True, nogil=True)
def fewest_edges(rows, source, target, before):
    """The vertex where a search from ``source`` and one from ``target`` meet, or -1.

    ``before[0]`` leads from there back to the source and ``before[1]`` on to the target; -2 where a search was not.
    """
    before[0, source] = before[1, target] = -1
    n = before.shape[1]
    fringe = np.empty((2, n), dtype=np.int64)
    fringe[0, 0], fringe[1, 0] = source, target
    first, last = np.zeros(2, dtype=np.int64), np.ones(2, dtype=np.int64)
    while first[0] < last[0] and first[1] < last[1]:
        side = 0 if last[0] - first[0] <= last[1] - first[1] else 1
        indptr, indices = rows[side]
        end = last[side]
        for i in range(first[side], end):
            v = np.uint64(fringe[side, i])
            for j in range(indptr[v], indptr[v + ONE]):
                w = np.int64(indices[j])
                if before[side, w] == -2:
                    before[side, w] = v
                    fringe[side, last[side]] = w
                    last[side] += 1
                if before[1 - side, w] != -2:
                    return w
        first[side] = end
    return -1


@njit(cache=True, nogil=True)
def least_weight(rows, weights, source, target, before, seen):
    """The vertex at which Dijkstra's algorithm from ``source`` and from ``target`` meet, or -1; and the distance.

    ``weights`` are those of the rows, or None where each counts 1; ``seen`` is room for distances in their type.
    Equal distances are taken in the order in which they were found.
    """
    n = before.shape[1]
    zero = seen[0, 0] - seen[0, 0]
    done = np.zeros((2, n), dtype=np.bool_)
    before[0, source] = before[1, target] = -1
    seen[0, source] = seen[1, target] = zero
    forward, backward = [(zero, np.int64(0), np.int64(source))], [(zero, np.int64(1), np.int64(target))]
    found, best, meet = np.int64(2), zero, np.int64(-1)
    side = 1
    while len(forward) > 0 and len(backward) > 0:
        side = 1 - side
        distance, _, near = heappop(forward) if side == 0 else heappop(backward)
        if done[side, near]:
            continue
        done[side, near] = True
        if done[1 - side, near]:
            return meet, best
        indptr, indices = rows[side]
        v = np.uint64(near)
        j, end = indptr[v], indptr[v + ONE]
        while j < end:
            w = np.int64(indices[j])
            length = distance + (1 if weights is None else weights[side][j])
            j += ONE
            while j < end and np.int64(indices[j]) == w:  # of parallel edges, the shortest
                if weights is not None:
                    length = min(length, distance + weights[side][j])
                j += ONE
            if done[side, w] or (before[side, w] != -2 and length >= seen[side, w]):
                continue
            seen[side, w] = length
            before[side, w] = near
            if side == 0:
                heappush(forward, (length, found, w))
            else:
                heappush(backward, (length, found, w))
            found += 1
            if before[1 - side, w] != -2 and (meet < 0 or best > length + seen[1 - side, w]):
                best, meet = length + seen[1 - side, w], w
    return np.int64(-1), zero


@njit(cache=True, nogil=True)
def _longer(array):
    """A copy of an array with twice the room."""
    room = np.empty(2 * array.size, dtype=array.dtype)
    room[: array.size] = array
    return room


@njit(cache=True, nogil=True)
def _waits(link, vertex, before, queued):
    """Whether one of the linked predecessors is in the queue, so that the vertex can wait."""
    while link >= 0 and not queued[vertex[link]]:
        link = before[link]
    return link >= 0


@njit(cache=True, nogil=True)
def on_a_cycle(indptr, indices, weights, source, last):
    """A vertex on a negative cycle or -1, and the linked predecessors: their vertices and their links.

    ``last[v]`` is the predecessor of v that was added last, -1 for none.
    """
    n = last.size
    distance = np.zeros(n, dtype=weights.dtype)
    known, queued = np.zeros(n, dtype=np.bool_), np.zeros(n, dtype=np.bool_)
    times = np.zeros(n, dtype=np.int64)
    through = np.full(n, -1, dtype=np.int64)  # the predecessor that improved a vertex last
    updated = np.full((n, 2), -1, dtype=np.int64)  # the edge that began the chain of improvements
    vertex, before = np.empty(n + 1, dtype=np.int64), np.empty(n + 1, dtype=np.int64)
    linked = 0
    queue = np.empty(n + 1, dtype=np.int64)
    read, write = 0, 1
    last[:] = -1
    queue[0], known[source], queued[source] = source, True, True
    while read != write:
        u = queue[read]
        read = (read + 1) % queue.size
        queued[u] = False
        if _waits(last[u], vertex, before, queued):
            continue
        j, end = indptr[np.uint64(u)], indptr[np.uint64(u) + ONE]
        while j < end:
            v = np.int64(indices[j])
            length = distance[u] + weights[j]
            j += ONE
            while j < end and np.int64(indices[j]) == v:  # of parallel edges, the shortest
                length = min(length, distance[u] + weights[j])
                j += ONE
            better = not known[v] or length < distance[v]
            if not better and length != distance[v]:
                continue
            if linked == vertex.size:
                vertex, before = _longer(vertex), _longer(before)
            vertex[linked] = u
            if better:
                if updated[u, 0] == v or updated[u, 1] == v:
                    before[linked], last[v] = last[v], linked
                    return v, vertex, before
                if through[v] == u:
                    updated[v] = updated[u]
                else:
                    updated[v, 0], updated[v, 1] = u, v
                if not queued[v]:
                    queue[write] = v
                    write = (write + 1) % queue.size
                    queued[v] = True
                    times[v] += 1
                    if times[v] == n:
                        return v, vertex, before
                distance[v], known[v], through[v] = length, True, u
                before[linked] = -1
            else:
                before[linked] = last[v]
            last[v] = linked
            linked += 1
    return -1, vertex, before


@njit(cache=True, nogil=True)
def detours(indptr, indices, source, target, length):
    """Write the length of the shortest path between the ends of every edge without that edge; -1 if there is none."""
    n = indptr.size - 1
    depth = np.zeros((2, n), dtype=np.int64)  # 1 + the distance from either end, where stamp says so
    stamp = np.full((2, n), -1, dtype=np.int64)
    queue = np.empty((2, n), dtype=np.uint64)
    read, count = np.zeros(2, dtype=np.int64), np.zeros(2, dtype=np.int64)
    for edge in range(source.size):
        a, b = np.uint64(source[edge]), np.uint64(target[edge])
        for side in range(2):
            start = a if side == 0 else b
            queue[side, 0], stamp[side, start], depth[side, start] = start, edge, 0
            read[side], count[side] = 0, 1
        best = np.int64(-1)
        while best < 0 and read[0] < count[0] and read[1] < count[1]:
            side = 0 if count[0] - read[0] <= count[1] - read[1] else 1
            end = count[side]
            for i in range(read[side], end):  # one level
                v = queue[side, i]
                for j in range(indptr[v], indptr[v + ONE]):
                    w = np.uint64(indices[j])
                    if (v == a and w == b) or (v == b and w == a):
                        continue
                    if stamp[1 - side, w] == edge:
                        whole = depth[side, v] + 1 + depth[1 - side, w]
                        if best < 0 or whole < best:
                            best = whole
                    if stamp[side, w] != edge:
                        stamp[side, w] = edge
                        depth[side, w] = depth[side, v] + 1
                        queue[side, count[side]] = w
                        count[side] += 1
            read[side] = end
        length[edge] = best
