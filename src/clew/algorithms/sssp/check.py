"""Checker of shortest paths."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.algorithms.checking import named
from clew.algorithms.paths.check import check_paths, weights_of
from clew.graph import Graph
from clew.result import Result


@named
def sssp(graph: Graph, source: Any, result: Result) -> None:
    """Check distances and parents.

    1. The source has distance 0 and is its own parent.
    2. Exactly the vertices with a distance have a parent, and following parents leads to the source.
    3. An edge from its parent gives every vertex its distance; so there is a path of that length.
    4. No edge gives a vertex a smaller distance; so there is no shorter path, and what can be reached has been.
    5. The vertices reached are counted rightly, where they are counted.
    """
    weights = weights_of(graph)
    floating = weights.dtype.kind == "f"
    weights = weights if floating else weights.astype(np.int64)
    unreached = np.inf if floating else np.iinfo(np.int64).max
    check_paths(graph, source, result, result.distance, weights, (0, unreached), np.add, np.less_equal)
