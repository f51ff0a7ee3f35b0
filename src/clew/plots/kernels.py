# mypy: ignore-errors
"""Kernels of pictures: coarsening, forces, layouts of small graphs, and lines as pixels.

Coarsening merges vertices in pairs and adds up their edges. A vertex is attracted to the weighted mean of its
neighbours and repelled by the charges of all vertices. With few vertices, repulsion is computed pair by pair.
Otherwise charges are spread over the nodes of a mesh, a convolution (``layout.py``) gives their potential, and its
slope is the repulsion.

One thread lays out a small component. Its vertices start at positions given by their hops from three far vertices. That
unfolds paths, rings and grids before any force acts.
"""

import numpy as np

from clew.jit import njit

ONE = np.uint64(1)
HALF = np.float32(0.5)
SOFT = np.float32(1e-6)  # squared distance that keeps the repulsion of coinciding vertices finite


@njit(cache=True, nogil=True)
def match(order, indptr, indices, weights, mass, unmatched, mate, waiting):
    """Match vertices in pairs, in the given order; some stay alone.

    The best mate is a neighbour with a heavy edge and a small mass. If all neighbours are taken, such as around a hub,
    two vertices with the same strongest neighbour are matched; the first one waits in ``waiting``.
    """
    for at in range(np.uint64(order.size)):
        v = np.uint64(order[at])
        if mate[v] != unmatched:
            continue
        best, strongest = np.uint64(unmatched), np.uint64(unmatched)
        most, heaviest = np.float32(0), np.float32(0)
        for k in range(indptr[v], indptr[v + ONE]):
            u = np.uint64(indices[k])
            if u == v:
                continue
            weight = np.float32(1) if weights is None else weights[k]
            score = weight / mass[u]
            if mate[u] == unmatched and score > most:
                best, most = u, score
            if weight > heaviest:
                strongest, heaviest = u, weight
        if best == unmatched and strongest != unmatched:
            best = np.uint64(waiting[strongest])
            waiting[strongest] = v if best == unmatched else unmatched
        if best != unmatched:
            mate[v], mate[best] = best, v


@njit(cache=True, nogil=True)
def number_pairs(mate, unmatched, joined, members):
    """Number the pairs by their first vertices and return their number; ``members`` has both, or one twice."""
    count = np.uint64(0)
    for v in range(np.uint64(mate.size)):
        other = v if mate[v] == unmatched else np.uint64(mate[v])
        if v <= other:
            joined[v] = joined[other] = count
            members[count, 0], members[count, 1] = v, other
            count += ONE
    return count


@njit(cache=True, nogil=True)
def contract(piece, pieces, members, joined, indptr, indices, weights, room, new_indices, new_weights, length):
    """Merge the rows of pairs: rename neighbours, add up parallel edges, and drop edges within a pair.

    Row c is written from ``room[c]`` on, where the rows of both fit; ``length[c]`` is its length.
    """
    count = length.size
    first, last = np.uint64(piece * count // pieces), np.uint64((piece + 1) * count // pieces)
    place = np.zeros(count, dtype=np.uint64)  # of a neighbour; those below `start` are from earlier rows
    for c in range(first, last):
        start = room[c]
        end = start
        for which in range(1 if members[c, 0] == members[c, 1] else 2):
            v = members[c, which]
            for k in range(indptr[v], indptr[np.uint64(v) + ONE]):
                other = np.uint64(joined[indices[k]])
                if other == c:
                    continue
                weight = np.float32(1) if weights is None else weights[k]
                at = place[other]
                # A place is valid if it lies in this row and holds this neighbour.
                if start <= at < end and new_indices[at] == other:
                    new_weights[at] += weight
                else:
                    place[other] = end
                    new_indices[end], new_weights[end] = other, weight
                    end += ONE
        length[c] = end - start


@njit(cache=True, nogil=True, fastmath=True)
def _repulsion(v, first, last, x, y, charge):
    """What vertices first…last-1 push vertex v by: charge / distance."""
    at_x, at_y = x[v], y[v]
    push_x = push_y = np.float32(0)
    for u in range(first, last):
        dx, dy = at_x - x[u], at_y - y[u]
        part = charge[u] / (dx * dx + dy * dy + SOFT)
        push_x += part * dx
        push_y += part * dy
    return push_x, push_y


@njit(cache=True, nogil=True)
def pairs(piece, pieces, x, y, charge, push_x, push_y):
    """The repulsion of all vertices at those of the piece."""
    size = x.size
    for v in range(np.uint64(piece * size // pieces), np.uint64((piece + 1) * size // pieces)):
        push_x[v], push_y[v] = _repulsion(v, np.uint64(0), np.uint64(size), x, y, charge)


@njit(cache=True, nogil=True)
def spread(piece, pieces, x, y, charge, left, bottom, per_unit, meshes):
    """Spread the charges of the piece's vertices over its own mesh: each over the four nearest nodes."""
    mesh = meshes[piece]
    mesh[:] = 0
    size = x.size
    for v in range(np.uint64(piece * size // pieces), np.uint64((piece + 1) * size // pieces)):
        column, row = (x[v] - left) * per_unit, (y[v] - bottom) * per_unit
        i, j = np.uint64(row), np.uint64(column)
        up, right = row - np.float32(i), column - np.float32(j)
        here = charge[v]
        mesh[i, j] += here * (1 - up) * (1 - right)
        mesh[i, j + ONE] += here * (1 - up) * right
        mesh[i + ONE, j] += here * up * (1 - right)
        mesh[i + ONE, j + ONE] += here * up * right


@njit(cache=True, nogil=True)
def read(piece, pieces, x, y, potential, left, bottom, per_unit, push_x, push_y):
    """The slope of the potential at the piece's vertices, interpolated between the four nearest nodes."""
    size = x.size
    half = HALF * per_unit
    for v in range(np.uint64(piece * size // pieces), np.uint64((piece + 1) * size // pieces)):
        column, row = (x[v] - left) * per_unit, (y[v] - bottom) * per_unit
        i, j = np.uint64(row), np.uint64(column)
        up, right = row - np.float32(i), column - np.float32(j)
        i0, i2, i3 = i - ONE, i + ONE, i + ONE + ONE
        j0, j2, j3 = j - ONE, j + ONE, j + ONE + ONE
        across = (1 - up) * (
            (1 - right) * (potential[i, j2] - potential[i, j0]) + right * (potential[i, j3] - potential[i, j])
        ) + up * (
            (1 - right) * (potential[i2, j2] - potential[i2, j0]) + right * (potential[i2, j3] - potential[i2, j])
        )
        along = (1 - right) * (
            (1 - up) * (potential[i2, j] - potential[i0, j]) + up * (potential[i3, j] - potential[i, j])
        ) + right * ((1 - up) * (potential[i2, j2] - potential[i0, j2]) + up * (potential[i3, j2] - potential[i, j2]))
        push_x[v], push_y[v] = across * half, along * half


@njit(cache=True, nogil=True)
def _moved(v, indptr, indices, weights, x, y, push_x, push_y, longest):
    """The place of a vertex halfway to where attraction and repulsion balance.

    An edge attracts in proportion to its length and weight. Dividing by the sum of the weights gives a suitable step
    for hubs and for leaves.
    """
    at_x, at_y = x[v], y[v]
    sum_x, sum_y, stiff = push_x, push_y, np.float32(0)
    for k in range(indptr[v], indptr[v + ONE]):
        u = np.uint64(indices[k])
        spring = np.float32(1) if weights is None else weights[k]
        sum_x += spring * (x[u] - at_x)
        sum_y += spring * (y[u] - at_y)
        stiff += spring
    go_x, go_y = HALF * sum_x / stiff, HALF * sum_y / stiff
    far = np.sqrt(go_x * go_x + go_y * go_y)
    if far > longest:
        go_x *= longest / far
        go_y *= longest / far
    return at_x + go_x, at_y + go_y


@njit(cache=True, nogil=True)
def move(piece, pieces, indptr, indices, weights, charge, x, y, push_x, push_y, strength, longest, new_x, new_y):
    """Move every vertex of the piece."""
    rows = (indptr, indices, weights)
    size = x.size
    for v in range(np.uint64(piece * size // pieces), np.uint64((piece + 1) * size // pieces)):
        push = strength * charge[v]
        new_x[v], new_y[v] = _moved(v, *rows, x, y, push * push_x[v], push * push_y[v], longest)


@njit(cache=True, nogil=True)
def tension(piece, pieces, indptr, indices, weights, x, y):
    """The energy of the piece's edges: the sum of weight · length², each edge from both ends."""
    size = x.size
    total = 0.0
    for v in range(np.uint64(piece * size // pieces), np.uint64((piece + 1) * size // pieces)):
        for k in range(indptr[v], indptr[v + ONE]):
            u = np.uint64(indices[k])
            dx, dy = x[u] - x[v], y[u] - y[v]
            square = dx * dx + dy * dy
            weight = np.float32(1) if weights is None else weights[k]
            total += weight * square
    return total


@njit(cache=True, nogil=True)
def hops_from(source, first, last, indptr, indices, hops, queue):
    """Breadth-first search within vertices first…last-1; returns the vertex reached last."""
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
    """Initial positions from the hops to three vertices: the first two are far apart, the third far from both."""
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
    """Lay out one component, with repulsion pair by pair."""
    rows = (indptr, indices, weights)
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
            push = strength * charge[v]
            push_x, push_y = _repulsion(v, first, last, x, y, charge)
            new_x[v - first], new_y[v - first] = _moved(v, *rows, x, y, push * push_x, push * push_y, longest)
        for v in range(first, last):
            x[v], y[v] = new_x[v - first], new_y[v - first]
        longest *= cool


@njit(cache=True, nogil=True)
def make_room(piece, pieces, x, y, apart, new_x, new_y):
    """Move every vertex of the piece away from those that are nearer than ``apart``, halfway to that distance."""
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
    """Lay out the piece's components ``starts[c]``…``starts[c + 1]``-1; ``work`` limits iterations times vertices."""
    count = starts.size - 1
    for c in range(piece * count // pieces, (piece + 1) * count // pieces):
        first, last = np.uint64(starts[c]), np.uint64(starts[c + 1])
        start(first, last, indptr, indices, noise, x, y)
        settle(first, last, indptr, indices, weights, charge, min(300, max(40, work // np.int64(last - first))), x, y)


@njit(cache=True, nogil=True)
def lines(piece, pieces, from_x, from_y, to_x, to_y, images):
    """Count the lines that cross each pixel of the piece's own image; all lines lie within it."""
    image = images[piece]
    image[:] = 0
    count = from_x.size
    for line in range(np.uint64(piece * count // pieces), np.uint64((piece + 1) * count // pieces)):
        x, y = from_x[line], from_y[line]
        dx, dy = to_x[line] - x, to_y[line] - y
        steps = np.int64(max(abs(dx), abs(dy))) + 1
        dx /= steps
        dy /= steps
        for _ in range(steps):
            image[np.uint64(y), np.uint64(x)] += np.uint32(1)
            x += dx
            y += dy
