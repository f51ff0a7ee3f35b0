"""Components side by side: the largest first, the others in rows next to it."""

from __future__ import annotations

import numpy as np

from clew.dtypes import Array

GAP = 1.5  # between components
LOW = 0.4  # share of the height of a row
RADIUS = 0.5  # root mean square distance from the middle, for the square root of the number of vertices


def packed(starts: Array, x: Array, y: Array) -> None:
    """Scale and move components (runs of vertices that begin at ``starts``), so that they lie side by side; in place.

    The area of each is made proportional to the number of its vertices.
    """
    sizes = np.diff(starts)
    first = starts[:-1]
    owner = np.repeat(np.arange(sizes.size), sizes)
    for place in (x, y):
        place -= (np.add.reduceat(place, first, dtype=np.float64) / sizes)[owner].astype(np.float32)
    spread = np.sqrt(np.add.reduceat(np.square(x) + np.square(y), first, dtype=np.float64) / sizes)
    scale = np.where(spread > 0, RADIUS * np.sqrt(sizes) / np.where(spread > 0, spread, 1), 1)[owner].astype(np.float32)
    x *= scale
    y *= scale
    low_x, low_y = np.minimum.reduceat(x, first), np.minimum.reduceat(y, first)
    wide, high = np.maximum.reduceat(x, first) - low_x + GAP, np.maximum.reduceat(y, first) - low_y + GAP
    corner_x, corner_y = _shelves(wide.astype(np.float64), high.astype(np.float64))
    x += (corner_x - low_x)[owner].astype(np.float32)
    y += (corner_y - low_y)[owner].astype(np.float32)
    x -= (x.min() + x.max()) / 2
    y -= (y.min() + y.max()) / 2


def _shelves(wide: Array, high: Array) -> tuple[Array, Array]:
    """The lower left corners of rectangles in rows one above the other, about as wide in all as high."""
    total = float(np.sqrt((wide * high).sum()))
    across = max(float(wide.max()), total)
    corner_x, corner_y = np.zeros((2, wide.size))
    at_x = at_y = shelf = 0.0
    for i in range(wide.size):
        # Beside something much higher a row would be mostly empty: rather begin the next one.
        if at_x and (at_x + wide[i] > across or high[i] < LOW * shelf):
            at_x, at_y, shelf = 0.0, at_y - shelf, 0.0
        corner_x[i], corner_y[i] = at_x, at_y - high[i]
        at_x += wide[i]
        shelf = max(shelf, high[i])
    return corner_x, corner_y
