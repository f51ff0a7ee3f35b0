"""Widest paths by the members of a cluster: delta-stepping over weights that kernels turn upside down."""

from __future__ import annotations

import numpy as np

from clew.algorithms.paths import summary
from clew.algorithms.paths.cluster import best_paths
from clew.algorithms.paths.weights import few_dtype, in_few_types
from clew.algorithms.registry import Answer
from clew.algorithms.sswp.cpu import BUCKETS, turned_over
from clew.dtypes import Array
from clew.engines.cluster.share import Share
from clew.operators import monoids

BLOCK = 1 << 18  # weights
EXCHANGES_OF_RANGES = (4, 24, 50)  # per worker: at least, likely, at most


def sswp(share: Share, source: int, deterministic: bool = False) -> Answer:
    """The largest smallest weight of a path to each of this member's vertices."""
    weights = share.weights
    assert weights is not None
    ends = (monoids.min.identity(weights.dtype), monoids.max.identity(weights.dtype))
    turn, first, unreached = (turned_over(few_dtype(weights.dtype).type(end)) for end in (0, *ends))
    everybody = np.concatenate(share.member.all_gather("all", _extent(weights)))
    low, high = (float(everybody.min()), float(everybody.max())) if everybody.size else (0.0, 0.0)
    delta = high / BUCKETS - low / BUCKETS
    search = (share, source, in_few_types, first, unreached, delta or 1.0)
    value, parent, reached, steps = best_paths(*search, turn=turn, low=low, deterministic=deterministic)
    return summary("width", turned_over(value).astype(weights.dtype, copy=False), parent, reached, steps, None)


def _extent(weights: Array) -> Array:
    """The smallest and the largest finite cost, if there is one: weights turned upside down, a block at a time."""
    ends: list[Array] = []
    for start in range(0, weights.size, BLOCK):
        costs = turned_over(in_few_types(weights[start : start + BLOCK]))
        finite = costs[np.isfinite(costs)] if costs.dtype.kind == "f" else costs
        ends += [finite.min(), finite.max()] if finite.size else []
    return np.array([min(ends), max(ends)] if ends else [], np.float64)
