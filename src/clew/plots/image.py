"""Vertices and edges as an image: more of them at a place make it more opaque. Also a small PNG encoder."""

from __future__ import annotations

import struct
import zlib

import numpy as np

from clew import threads
from clew.dtypes import Array
from clew.plots.theme import Look, rgb

PIXELS = 640  # along each side
MOST_LINES = 200_000  # a random sample of this many edges looks the same
SEVERAL = 4  # images to draw lines on in parallel
SIGNATURE = b"\x89PNG\r\n\x1a\n"
EIGHT_BITS, WITH_OPACITY = 8, 6


class Frame:
    """A square of the plane that contains all positions; ``extent`` is left, right, bottom, top."""

    def __init__(self, places: Array) -> None:
        low, high = places.min(axis=0).astype(np.float64), places.max(axis=0).astype(np.float64)
        half = max(float((high - low).max()), 1.0) * 0.52
        middle = (low + high) / 2
        self.extent = middle[0] - half, middle[0] + half, middle[1] - half, middle[1] + half

    def pixels(self, places: Array) -> tuple[Array, Array]:
        """Columns and rows of pixels, as floats; row 0 is at the top."""
        left, right, _, top = self.extent
        scale = PIXELS / (right - left)
        x = (places[:, 0] - np.float32(left)) * np.float32(scale)
        y = (np.float32(top) - places[:, 1]) * np.float32(scale)
        return np.clip(x, 0, PIXELS - 1), np.clip(y, 0, PIXELS - 1)


def edges_image(frame: Frame, places: Array, source: Array, target: Array, seed: int, look: Look) -> Array:
    """The edges, faint."""
    from clew.plots import kernels

    if source.size > MOST_LINES:
        chosen = np.random.default_rng(seed).choice(source.size, MOST_LINES, replace=False)
        source, target = source[chosen], target[chosen]
    images = np.empty((SEVERAL, PIXELS, PIXELS), dtype=np.uint32)
    begin, end = frame.pixels(places[source]), frame.pixels(places[target])
    threads.each(kernels.lines, SEVERAL, SEVERAL, *begin, *end, images)
    colors = np.empty((PIXELS, PIXELS, 4), dtype=np.uint8)
    colors[..., :3] = rgb(look.faint)
    # The fewer lines, the stronger they are; many strong ones would cover everything.
    colors[..., 3] = _opacity(images.sum(axis=0), float(np.clip(1_500 / max(1, source.size), 0.12, 0.5)), 0.6)
    return colors


def vertices_image(frame: Frame, places: Array, paint: Array, size: int) -> Array:
    """The vertices, in the mean of their colours; a vertex covers ``size`` by ``size`` pixels."""
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
    return seen & np.uint8(0xF8)  # the last bits are invisible, and without them files are much smaller


def _opacity(count: Array, least: float, most: float) -> Array:
    """0 where the count is 0, else between ``least`` and ``most`` on a logarithmic scale."""
    largest = np.log1p(float(count.max(initial=1)))
    share = least + (most - least) * np.log1p(count) / largest
    return np.where(count > 0, share * 255, 0).astype(np.uint8)


def _thick(image: Array, size: int) -> Array:
    """Enlarge every pixel to a square of pixels."""
    total = np.zeros_like(image)
    for down in range(size):
        for right in range(size):
            total[down:, right:] += image[: PIXELS - down, : PIXELS - right]
    return total


def encode_png(colors: Array) -> bytes:
    """The PNG of an array of bytes of shape (rows, columns, 4): red, green, blue, opacity."""
    height, width, _ = colors.shape
    rows = np.zeros((height, 1 + 4 * width), dtype=np.uint8)  # each row begins with its filter, 0 for none
    rows[:, 1:] = colors.reshape(height, 4 * width)
    head = struct.pack(">IIBBBBB", width, height, EIGHT_BITS, WITH_OPACITY, 0, 0, 0)
    return SIGNATURE + _chunk(b"IHDR", head) + _chunk(b"IDAT", zlib.compress(rows.tobytes(), 6)) + _chunk(b"IEND", b"")


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
