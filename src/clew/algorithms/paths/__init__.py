"""What sssp, sswp and bellman_ford share."""

from __future__ import annotations

from typing import Any

from clew.algorithms.registry import Answer
from clew.operators import monoids


def summary(name: str, found: Any) -> Answer:
    """The answer of a search; ``name`` is "distance" or "width"."""
    best = monoids.max if name == "width" else monoids.min
    return Answer(
        {name: found.value, "parent": found.parent},
        {"num_reached": found.reached},
        unreached=best.identity(found.value.dtype),
        iterations=found.buckets,
        trace=found.trace,
    )
