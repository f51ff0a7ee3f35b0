"""Vertices and edges as an image: the more there are at a place, the less of the paper shines through."""

from __future__ import annotations

import numpy as np

from clew import threads
from clew.dtypes import Array
from clew.plots.theme import Look, rgb

PIXELS = 640  # along each side
MOST_LINES = 200_000  # of more edges, as many chosen at random look the same
SEVERAL = 4  # images that lines are drawn on at once


class Frame:
    """A square of the plane, and how its places become pixels: rows from top to bottom."""

    def __init__(self, places: Array) -> None:
        low, high = places.min(axis=0).astype(np.float64), places.max(axis=0).astype(np.float64)
        half = max(float((high - low).max()), 1.0) * 0.52
        middle = (low + high) / 2
        self.left, self.right = middle[0] - half, middle[0] + half
        self.bottom, self.top = middle[1] - half, middle[1] + half

    @property
    def extent(self) -> tuple[float, float, float, float]:
        """Left, right, bottom, top."""
        return self.left, self.right, self.bottom, self.top

    def pixels(self, places: Array) -> tuple[Array, Array]:
        """Columns and rows, as fractions."""
        scale = PIXELS / (self.right - self.left)
        x = (places[:, 0] - np.float32(self.left)) * np.float32(scale)
        y = (np.float32(self.top) - places[:, 1]) * np.float32(scale)
        return np.clip(x, 0, PIXELS - 1), np.clip(y, 0, PIXELS - 1)


def edges_image(frame: Frame, places: Array, source: Array, target: Array, seed: int, look: Look) -> Array:
    """The edges alone, faint."""
    from clew.plots import kernels_image as kernels

    if source.size > MOST_LINES:
        chosen = np.random.default_rng(seed).choice(source.size, MOST_LINES, replace=False)
        source, target = source[chosen], target[chosen]
    images = np.empty((SEVERAL, PIXELS, PIXELS), dtype=np.uint32)
    begin, end = frame.pixels(places[source]), frame.pixels(places[target])
    threads.each(kernels.lines, SEVERAL, SEVERAL, *begin, *end, images)
    colors = np.empty((PIXELS, PIXELS, 4), dtype=np.uint8)
    colors[..., :3] = rgb(look.faint)
    # Few lines may be stronger than many, which would cover everything.
    colors[..., 3] = _opacity(images.sum(axis=0), float(np.clip(1_500 / max(1, source.size), 0.12, 0.5)), 0.6)
    return colors


def vertices_image(frame: Frame, places: Array, paint: Array, size: int) -> Array:
    """The vertices alone, in the mean of their colours; a vertex covers ``size`` by ``size`` pixels."""
    x, y = frame.pixels(places)
    pixel = y.astype(np.int64) * PIXELS + x.astype(np.int64)
    count = _thick(np.bincount(pixel, minlength=PIXELS * PIXELS).reshape(PIXELS, PIXELS).astype(np.float64), size)
    colors = np.empty((PIXELS, PIXELS, 4), dtype=np.uint8)
    for channel in range(3):
        sums = np.bincount(pixel, paint[:, channel], PIXELS * PIXELS).reshape(PIXELS, PIXELS)
        colors[..., channel] = _thick(sums, size) / np.maximum(count, 1)
    colors[..., 3] = _opacity(count, 0.45, 1.0)
    return colors


def over(upper: Array, lower: Array) -> Array:
    """One image seen through another."""
    front, back = upper[..., 3:] / 255.0, lower[..., 3:] / 255.0
    opacity = front + back * (1 - front)
    mixed = upper[..., :3] * front + lower[..., :3] * back * (1 - front)
    seen = np.empty_like(upper)
    seen[..., :3] = mixed / np.maximum(opacity, 1e-9)
    seen[..., 3:] = opacity * 255
    return seen & np.uint8(0xF8)  # nobody sees the last bits, and without them files are much smaller


def _opacity(count: Array, least: float, most: float) -> Array:
    """From nothing where there is nothing, over ``least`` for the first, to ``most``: by powers, as eyes count."""
    largest = np.log1p(float(count.max(initial=1)))
    share = least + (most - least) * np.log1p(count) / largest
    return np.where(count > 0, share * 255, 0).astype(np.uint8)


def _thick(image: Array, size: int) -> Array:
    """Every pixel over a square of pixels."""
    total = np.zeros_like(image)
    for down in range(size):
        for right in range(size):
            total[down:, right:] += image[: PIXELS - down, : PIXELS - right]
    return total
