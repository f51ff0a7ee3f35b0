"""Widest paths by the members of a cluster: delta-stepping over weights turned upside down."""

from __future__ import annotations

import numpy as np

from clew.algorithms.paths import summary
from clew.algorithms.paths.cluster import best_paths
from clew.algorithms.paths.weights import in_few_types
from clew.algorithms.registry import Answer
from clew.algorithms.sswp.cpu import BUCKETS, turned_over
from clew.dtypes import Array
from clew.engines.cluster.share import Share
from clew.operators import monoids


def sswp(share: Share, source: int, deterministic: bool = False) -> Answer:
    """The largest smallest weight of a path to each of this member's vertices."""
    weights = share.weights
    assert weights is not None
    ends = (monoids.min.identity(weights.dtype), monoids.max.identity(weights.dtype))
    few = in_few_types(weights)
    first, unreached = (turned_over(few.dtype.type(end)) for end in ends)
    turned = turned_over(few)
    finite = turned[np.isfinite(turned)] if turned.dtype.kind == "f" else turned
    extent = np.array([finite.min(), finite.max()] if finite.size else [], np.float64)
    everybody = np.concatenate(share.member.all_gather("all", extent))
    low, high = (float(everybody.min()), float(everybody.max())) if everybody.size else (0.0, 0.0)
    delta = high / BUCKETS - low / BUCKETS

    def cost(weights: Array) -> Array:
        turned: Array = turned_over(in_few_types(weights))
        return turned

    search = (share, source, cost, first, unreached, delta or 1.0)
    value, parent, reached, steps = best_paths(*search, low=low, deterministic=deterministic)
    return summary("width", turned_over(value).astype(weights.dtype, copy=False), parent, reached, steps, None)
