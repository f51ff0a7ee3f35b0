"""PageRank as a product a round."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from clew.algorithms.flow import check_flow_weights, check_fraction, check_rounds, jumps_of
from clew.algorithms.generic.steps import total
from clew.algorithms.generic.waist import elementwise, reduce_segments, spmv
from clew.dtypes import Array
from clew.graph import Graph
from clew.operators import functions, semirings
from clew.result import Result, Trace


def pagerank(
    graph: Graph,
    *,
    damping: float = 0.85,
    tolerance: float = 1e-6,
    max_iterations: int = 100,
    personalization: Mapping[Any, float] | npt.ArrayLike | None = None,
    start: Mapping[Any, float] | npt.ArrayLike | None = None,
    weighted: bool = False,
    device: str = "auto",
) -> Result:
    """Ranks in float64; see ``clew.pagerank``."""
    damping = check_fraction("damping", damping)
    tolerance, max_iterations = check_rounds(tolerance, max_iterations)
    if weighted:
        check_flow_weights(graph, "pagerank")
        assert graph.weights is not None
        graph = graph.with_weights(graph.weights.astype(np.float64))
    n = graph.num_vertices
    jumps = jumps_of(graph, personalization)
    jumps = np.full(n, 1 / n if n else 0.0) if jumps is None else jumps
    strength = reduce_segments(graph if weighted else graph.with_weights(None), device=device).astype(np.float64)
    stuck = elementwise(lambda strength, zero: 1.0 if strength == zero else 0.0, strength, 0.0, device=device)
    semiring = semirings.plus_times if weighted else semirings.plus_second
    first = jumps_of(graph, start, "start")
    rank: Array = jumps if first is None else first
    changes: list[float] = []
    while len(changes) < max_iterations and (not changes or changes[-1] >= tolerance):
        # rank = damping · A' (rank / strength) + (what jumps, and what is stuck) · jumps
        share = elementwise(
            lambda rank, strength: rank / strength if strength > 0 else 0.0, rank, strength, device=device
        )
        arrived = spmv(graph, share, semiring, transpose=True, device=device)
        stranded = total(elementwise(functions.times, rank, stuck, device=device), device)
        jumping = elementwise(functions.times, jumps, 1 - damping + damping * stranded, device=device)
        flowing = elementwise(functions.times, arrived, damping, device=device)
        after = elementwise(functions.plus, flowing, jumping, device=device)
        changes.append(float(total(elementwise(lambda a, b: abs(a - b), after, rank, device=device), device)))
        rank = after
    return Result(
        "pagerank",
        {"rank": rank},
        names=graph.names,
        iterations=len(changes),
        converged=changes[-1] < tolerance,
        trace=Trace({"change": np.array(changes)}),
    )
