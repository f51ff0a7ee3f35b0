"""PageRank as a product a round."""

from __future__ import annotations

import numpy as np

from clew.algorithms.pagerank import Walk
from clew.algorithms.registry import Answer
from clew.algorithms.waist import Waist
from clew.dtypes import Array
from clew.graph import Graph
from clew.operators import functions, semirings


def pagerank(waist: Waist, graph: Graph, walk: Walk) -> Answer:
    """Ranks, computed in float64; see ``clew.pagerank``."""
    damping, tolerance, max_iterations, jumps, start, weighted, dtype = walk
    if weighted:
        assert graph.weights is not None
        graph = graph.with_weights(graph.weights.astype(np.float64))
    n, ids = graph.num_vertices, waist.ids(graph)
    jumps = np.full(ids.size, 1 / n if n else 0.0) if jumps is None else jumps
    strength = waist.reduce_segments(graph if weighted else graph.with_weights(None)).astype(np.float64)
    stuck = waist.elementwise(lambda strength, zero: 1.0 if strength == zero else 0.0, strength, 0.0)
    semiring = semirings.plus_times if weighted else semirings.plus_second
    rank: Array = jumps if start is None else start
    changes: list[float] = []
    while len(changes) < max_iterations and (not changes or changes[-1] >= tolerance):
        rank, changes = waist.checkpoint(len(changes), rank, changes)
        # rank = damping · A' (rank / strength) + (what jumps, and what is stuck) · jumps
        share = waist.elementwise(lambda rank, strength: rank / strength if strength > 0 else 0.0, rank, strength)
        arrived = waist.spmv(graph, share, semiring, transpose=True)
        stranded = waist.total(waist.elementwise(functions.times, rank, stuck))
        jumping = waist.elementwise(functions.times, jumps, 1 - damping + damping * stranded)
        flowing = waist.elementwise(functions.times, arrived, damping)
        after = waist.elementwise(functions.plus, flowing, jumping)
        changes.append(float(waist.total(waist.elementwise(lambda a, b: abs(a - b), after, rank))))
        rank = after
    trace, converged = {"change": np.array(changes)}, changes[-1] < tolerance
    return Answer({"rank": rank.astype(dtype)}, iterations=len(changes), converged=converged, trace=trace)
