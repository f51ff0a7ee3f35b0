"""What every trace of iterations over edges has: their bytes, and the seconds that each iteration took."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from clew.dtypes import Array

UNKNOWN = -1
NANOSECONDS = 1e9


def edge_bytes(indices: Any, weights: Any = None) -> int:
    """The bytes of an edge, given its arrays: those of the neighbour, and of the weight where weights are read too."""
    return int(indices.dtype.itemsize) + (0 if weights is None else int(weights.dtype.itemsize))


def timed(columns: Mapping[str, Array], stamps: Array, bytes_per_edge: int) -> dict[str, Array]:
    """The columns of a trace, with ``bytes`` and ``seconds`` added.

    ``bytes`` are those of the edges that were looked at, wherever they lie. ``stamps`` are the nanoseconds at which
    each iteration began and, one more, the last one ended; where one is 0, nobody looked at the clock, and iterations
    from one look to the next share the time by the edges and vertices they looked at.
    """
    edges = columns["edges"]
    moved = np.where(edges < 0, UNKNOWN, edges * bytes_per_edge)
    active = columns.get("frontier", columns.get("active", edges))
    seconds = seconds_between(stamps, np.maximum(edges, 0) + np.maximum(active, 0))
    return {**columns, "bytes": moved, "seconds": seconds}


def seconds_between(stamps: Array, work: Array | None = None) -> Array:
    """The seconds from each stamp to the next; iterations whose end or begin was not stamped share theirs by work."""
    count = max(0, stamps.size - 1)
    if count == 0:
        return np.empty(0)
    looked = np.flatnonzero(stamps)
    if looked.size < 2:
        return np.zeros(count)
    shares = np.ones(count) if work is None else work + 1.0  # an iteration takes some time by itself
    place = np.append(0.0, np.cumsum(shares))
    known = stamps[looked] - stamps[looked[0]]  # small, so that floats are exact
    seconds: Array = np.maximum(np.diff(np.interp(place, place[looked], known / NANOSECONDS)), 0.0)
    return seconds
