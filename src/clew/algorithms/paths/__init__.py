"""What sssp, sswp and bellman_ford share."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from clew.algorithms.registry import Answer
from clew.operators import monoids


def summary(name: str, value: Any, parent: Any, reached: int, iterations: int, trace: Any) -> Answer:
    """The answer of a search; ``name`` is "distance" or "width", ``reached`` the number of vertices reached."""
    unreached = _unreached(name, np.dtype(value.dtype))
    return Answer({name: value, "parent": parent}, {"num_reached": reached}, unreached, iterations, trace=trace)


@lru_cache
def _unreached(name: str, dtype: np.dtype[Any]) -> Any:
    """The value of a vertex without a path: the worst there is."""
    return (monoids.max if name == "width" else monoids.min).identity(dtype)
