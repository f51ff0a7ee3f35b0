"""Checker of random walks."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.algorithms.checking import arc_places, named, require
from clew.graph import Graph
from clew.result import Result


@named
def random_walks(graph: Graph, sources: Any, result: Result, *, walks: int = 1, weighted: bool = False) -> None:
    """Check walks.

    1. Every source has the given number of walks.
    2. Every step follows an edge, of a weight above 0 if weights count.
    3. A walk ends early only where no edge leads on.
    """
    walk = result.walk.astype(np.int64)
    starts = np.repeat(np.array([graph.vertex(name) for name in sources], np.int64), walks)
    require(walk.shape[0] == starts.size, "every source has the given number of walks")
    require(walk[:, 0] == starts, "a walk starts at its source", starts)
    before, after = walk[:, :-1].ravel(), walk[:, 1:].ravel()
    require((after < 0) | (before >= 0), "a walk that has ended does not go on", after)
    real = after >= 0
    before, after, ended = before[real], after[real], before[~real]
    used = arc_places(graph, before, after)
    require(used >= 0, "a step follows an edge", (before, after))
    open_row = np.ones(graph.num_arcs, np.bool_)
    if weighted and graph.weights is not None:
        open_row = graph.weights > 0
        keys = np.repeat(np.arange(graph.num_vertices), np.diff(graph.indptr)) * graph.num_vertices + graph.indices
        positive = np.isin(before * graph.num_vertices + after, keys[open_row])
        require(positive, "a step follows an edge with a weight above 0", (before, after))
    leads = np.concatenate([[0], np.cumsum(open_row)])[graph.indptr]
    stuck = leads[1:] == leads[:-1]
    ended = ended[ended >= 0]
    require(stuck[ended], "a walk ends early only where no edge leads on", ended)
