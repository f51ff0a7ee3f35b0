# mypy: ignore-errors
"""Lines as counts of the pixels they cross."""

import numpy as np

from clew.jit import njit


@njit(cache=True, nogil=True)
def lines(piece, pieces, from_x, from_y, to_x, to_y, images):
    """Add the piece's lines to its own image; places are in pixels, and every line lies within."""
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
