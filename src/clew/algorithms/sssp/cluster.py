"""Shortest paths by the members of a cluster: the width of buckets and the dtype of sums, which all must agree on."""

from __future__ import annotations

import numpy as np

from clew.algorithms.paths import summary
from clew.algorithms.paths.cluster import best_paths
from clew.algorithms.paths.weights import extent, summands, sums_of, typical
from clew.algorithms.registry import Answer
from clew.algorithms.sssp.cpu import bucket_width
from clew.engines.cluster.share import Share

EXCHANGES_OF_RANGES = (4, 24, 50)  # per worker: at least, likely, at most
LARGEST = np.iinfo(np.int32).max


def sssp(share: Share, source: int, delta: float | None = None, deterministic: bool = False) -> Answer:
    """Shortest paths over weights of 0 or more; the values are those of this member's vertices."""
    weights = share.weights
    assert weights is not None
    here = np.array([extent(weights)[1] if weights.size else 0, typical(weights) * weights.size, weights.size], float)
    largest, total, count = np.transpose(share.member.all_gather("all", here))
    step = bucket_width(share, float(total.sum() / max(1.0, count.sum()))) if delta is None else delta
    zero, unreached = sums_of(weights)
    dtype, narrow = unreached.dtype, weights.dtype.kind != "f" and largest.max() * share.num_vertices < LARGEST
    if narrow:  # as on one machine
        zero, unreached = np.int32(0), np.int32(LARGEST)
    value, parent, reached, steps = best_paths(
        share, source, summands, zero, unreached, step, deterministic=deterministic
    )
    if narrow:
        wide = value.astype(dtype)
        wide[value == unreached] = sums_of(weights)[1]
        value = wide
    return summary("distance", value, parent, reached, steps, None)
