"""What sssp, sswp and bellman_ford share."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from clew.algorithms.registry import Answer
from clew.operators import monoids


def summary(name: str, found: Any) -> Answer:
    """The answer of a search; ``name`` is "distance" or "width"."""
    return Answer(
        {name: found.value, "parent": found.parent},
        {"num_reached": found.reached},
        unreached=_unreached(name, np.dtype(found.value.dtype)),
        iterations=found.buckets,
        trace=found.trace,
    )


@lru_cache
def _unreached(name: str, dtype: np.dtype[Any]) -> Any:
    """The value of a vertex without a path: the worst there is."""
    return (monoids.max if name == "width" else monoids.min).identity(dtype)
