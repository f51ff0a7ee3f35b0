# mypy: ignore-errors
"""The forces of a layout and the step they make vertices take.

A vertex is pulled to the weighted mean of its neighbours and pushed away by the charges of all vertices. The push comes
from pairs, one by one, where vertices are few; else from a mesh: charges are spread over the four nearest nodes, a
convolution (``forces.py``) turns them into a potential, and its slope is read at every vertex.
"""

import numpy as np

from clew.jit import njit

ONE = np.uint64(1)
HALF = np.float32(0.5)
SOFT = np.float32(1e-6)  # square of a distance: vertices at the same place do not push each other infinitely far


@njit(cache=True, nogil=True, fastmath=True)
def pairs(piece, pieces, x, y, charge, push_x, push_y):
    """The push of every vertex on those of the piece: charge / distance."""
    size = x.size
    for v in range(np.uint64(piece * size // pieces), np.uint64((piece + 1) * size // pieces)):
        at_x, at_y = x[v], y[v]
        sum_x = sum_y = np.float32(0)
        for u in range(np.uint64(size)):
            dx, dy = at_x - x[u], at_y - y[u]
            part = charge[u] / (dx * dx + dy * dy + SOFT)
            sum_x += part * dx
            sum_y += part * dy
        push_x[v], push_y[v] = sum_x, sum_y


@njit(cache=True, nogil=True)
def spread(piece, pieces, x, y, charge, left, bottom, per_unit, meshes):
    """Add the charges of the piece's vertices to its own mesh: each to four nodes, the nearer the more."""
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
    """The slope of the potential at the piece's vertices, between the slopes at the four nearest nodes."""
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
def move(piece, pieces, indptr, indices, weights, charge, x, y, push_x, push_y, strength, longest, new_x, new_y):
    """Every vertex of the piece goes half of the way to where its springs and the push balance.

    A spring pulls in proportion to its length and the weight of its edge. Dividing by the sum of the weights makes the
    step right for hubs and leaves alike.
    """
    size = x.size
    for v in range(np.uint64(piece * size // pieces), np.uint64((piece + 1) * size // pieces)):
        at_x, at_y = x[v], y[v]
        sum_x = sum_y = stiff = np.float32(0)
        for k in range(indptr[v], indptr[v + ONE]):
            u = np.uint64(indices[k])
            spring = np.float32(1) if weights is None else weights[k]
            sum_x += spring * (x[u] - at_x)
            sum_y += spring * (y[u] - at_y)
            stiff += spring
        push = strength * charge[v]
        go_x = HALF * (sum_x + push * push_x[v]) / stiff
        go_y = HALF * (sum_y + push * push_y[v]) / stiff
        far = np.sqrt(go_x * go_x + go_y * go_y)
        if far > longest:
            go_x *= longest / far
            go_y *= longest / far
        new_x[v], new_y[v] = at_x + go_x, at_y + go_y


@njit(cache=True, nogil=True)
def tension(piece, pieces, indptr, indices, weights, x, y):
    """The work in the piece's springs: the sum of weight · length², each edge from both ends."""
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
