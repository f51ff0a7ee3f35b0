"""Maximum flows, which ``maximum_flow`` and ``minimum_cut`` share."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.errors import GraphError
from clew.graph import Graph

MOST = float(1 << 61)  # of integer capacities, so that sums fit into 64 bits


def check_flow(graph: Graph, source: Any, sink: Any) -> dict[str, int]:
    """The vertices by id; rejects capacities that are no limits, and a flow from a vertex to itself."""
    if sink is None:
        raise GraphError(
            "a flow needs a vertex to end at.",
            remedy="Pass sink, the name of a vertex.",
            option="Name it with --sink.",
        )
    ends = {"source": graph.vertex(source), "sink": graph.vertex(sink)}
    if ends["source"] == ends["sink"]:
        raise GraphError(f"source and sink are both {source!r}; expected two different vertices.")
    weights = graph.weights
    if weights is not None and weights.size:
        if weights.dtype.kind == "f" and not np.isfinite(weights).all():
            raise GraphError("some weights are NaN or infinite; capacities are finite numbers of 0 or more.")
        if weights.min() < 0:
            raise GraphError(f"the smallest weight is {weights.min()}; capacities are numbers of 0 or more.")
        if weights.dtype.kind in "iu":
            check_total(weights.sum(dtype=np.float64))
    return ends


def check_total(total: float) -> None:
    """Reject integer capacities whose sums may not fit into 64 bits."""
    if total > MOST:
        raise GraphError("the weights add up to more than 2**61; convert them to floats, or divide them.")
