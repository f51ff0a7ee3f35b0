# mypy: ignore-errors
"""Rows of a grid, written at once: a vertex's neighbours are known from its place, in ascending order."""

import numpy as np

from clew.generate.kernels_random import bits, unit
from clew.jit import njit

# The eight neighbours of a cell in the order of their ids. An edge is numbered by its upper (or left) end and by its
# direction from there: 0 right, 1 down, 2 down and left, 3 down and right.
_ROW_STEP = (-1, -1, -1, 0, 0, 1, 1, 1)
_COLUMN_STEP = (-1, 0, 1, -1, 1, -1, 0, 1)
_DIRECTION = (3, 1, 2, 0, 0, 2, 1, 3)


@njit(cache=True, nogil=True)
def grid_rows(part, parts, key, height, width, diagonals, delete, indptr, indices):
    """Write the neighbours of v from indptr[v] on, or, where ``indices`` is None, count them in indptr[v + 1]."""
    size = height * width
    for v in range(part * size // parts, (part + 1) * size // parts):
        row = v // width
        column = v - row * width
        place = 0 if indices is None else indptr[v]
        for step in range(8):
            down, right = _ROW_STEP[step], _COLUMN_STEP[step]
            r, c = row + down, column + right
            if (down != 0 and right != 0 and not diagonals) or r < 0 or r >= height or c < 0 or c >= width:
                continue
            neighbor = r * width + c
            edge = np.uint64(4 * min(v, neighbor) + _DIRECTION[step])
            if delete > 0 and unit(bits(key, edge)) < delete:
                continue
            if indices is not None:
                indices[place] = neighbor
            place += 1
        if indices is None:
            indptr[v + 1] = place
