"""Whether the sums along paths are numbers that can be held."""

from __future__ import annotations

import numpy as np

from clew.counts import counted
from clew.dtypes import Array
from clew.errors import GraphError

LARGEST = np.iinfo(np.int64).max


def check_sums(weights: Array, num_vertices: int, *, margin: int = 1) -> None:
    """Refuse integers whose sum along a path could leave int64, with ``margin`` times as much to spare.

    A shortest path has fewer edges than there are vertices, so the largest weight times the number of vertices bounds
    every sum that is looked at; floats have infinity to go to.
    """
    if weights.dtype.kind not in "iu" or weights.size == 0:
        return
    limits = np.iinfo(weights.dtype)
    if max(-limits.min, limits.max) * num_vertices * margin < LARGEST:
        return
    largest = max(-int(weights.min()), int(weights.max()))
    if largest * num_vertices * margin >= LARGEST:
        raise GraphError(
            f"the largest weight is {largest:,} and a path may lead over {counted(num_vertices, 'vertex')}: the "
            "sum along a path may not fit 64 bits.",
            remedy="Scale the weights down, or use graph.with_weights(graph.weights.astype('float64')).",
            option="Scale the weights of the file down, or take others, such as --weights random:1:255.",
        )
