"""A run on three vertices with the same dtypes, so that compiled code is loaded before a run is timed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from clew import threads
from clew.algorithms.registry import ALGORITHMS
from clew.errors import ClewError
from clew.graph import Graph


def rehearse(graph: Graph, algorithm: str, device: str, arguments: Mapping[str, Any]) -> None:
    """Run the algorithm on a path of three vertices with the graph's dtypes, on the given device."""
    weights = None if graph.weights is None else np.ones(2, dtype=graph.weights.dtype)
    small = Graph.from_edges(
        [0, 1], [1, 2], weights, directed=graph.directed, id_dtype=graph.indices.dtype, num_vertices=3
    )
    if graph.has_incoming:
        _ = small.incoming
    stand_ins: dict[str, Any] = {"source": 0, "sources": [0], "samples": None, "left": None}
    for name in ("personalization", "start"):
        if arguments.get(name) is not None:
            stand_ins[name] = np.ones(3)
    known = {name: stand_ins.get(name, value) for name, value in arguments.items()}
    threads.each(lambda _: None, threads.count())  # so that they are there
    try:
        ALGORITHMS[algorithm].function(small, **known, device=device)
    except ClewError:
        return  # the run itself will say what is wrong
