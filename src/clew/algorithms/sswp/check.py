"""Checker of widest paths."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.algorithms.checking import named
from clew.algorithms.paths.check import check_paths, weights_of
from clew.graph import Graph
from clew.result import Result


@named
def sswp(graph: Graph, source: Any, result: Result) -> None:
    """Check widths and parents; the rules are those of ``sssp``, with the smaller weight in place of the sum."""
    weights = weights_of(graph)
    if weights.dtype.kind == "f":
        ends: tuple[Any, Any] = (np.inf, -np.inf)
    elif weights.dtype.kind == "b":
        ends = (True, False)
    else:
        ends = (np.iinfo(weights.dtype).max, np.iinfo(weights.dtype).min)
    check_paths(graph, source, result, result.width, weights, ends, np.minimum, np.greater_equal)
