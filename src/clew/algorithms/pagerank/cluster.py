"""PageRank on a cluster: a step sends the values that blocks need, and sums back to the owners, and no ids.

Members compute while they send; see ``clew.engines.cluster.overlap``.
"""

from __future__ import annotations

from time import perf_counter_ns

import numpy as np

from clew.algorithms.pagerank import Walk, kernels, rounds_over
from clew.algorithms.registry import Answer
from clew.dtypes import Array
from clew.engines.cluster import products
from clew.engines.cluster.overlap import Sums
from clew.engines.cluster.share import Share
from clew.engines.cpu import CpuEngine
from clew.operators import monoids
from clew.result import edge_bytes


def pagerank(share: Share, walk: Walk) -> Answer:
    """The ranks of this member's vertices; see ``clew.pagerank``."""
    damping, tolerance, max_iterations, jumps, start, _, dtype = walk
    n, own, member = share.num_vertices, share.ids.size, share.member
    first = jumps if start is None else start
    rank, flow = np.empty(own, dtype), np.empty(own, dtype)
    rank[:] = 1 / max(1, n) if first is None else first
    scale, factors = _passing(share, walk)
    np.multiply(rank, scale, out=flow)
    stranded = float(member.all_reduce(rank[scale == 0].sum(dtype=np.float64), np.add))
    changes: list[float] = []
    ended, sent = [0], False

    def settle(part: slice) -> tuple[float, float]:
        jumping = 1.0 - damping + damping * stranded
        to = None if jumps is None else jumps[part]
        found: tuple[float, float] = kernels.settle(
            jumping, jumping / max(1, n), to, scale[part], rank[part], flow[part]
        )
        return found

    edges = share if walk.weighted else share.without_weights()
    edges._ids_along.clear()  # a search makes them in less time than a round takes
    with Sums(edges, transpose=True, dtype=np.dtype(dtype), factors=factors) as sums:
        share.release_source()
        while len(changes) < max_iterations and (not changes or changes[-1] >= tolerance):
            rank, flow, stranded, changes, ended = member.checkpoint(len(changes), rank, flow, stranded, changes, ended)
            if not sent:
                sums.begin(flow)
                sent = True
            began = perf_counter_ns()
            change, stranded = member.all_reduce(sums.multiply(flow, settle), np.add).tolist()
            changes.append(change)
            ended.append(ended[-1] + perf_counter_ns() - began)
    columns = {"change": np.array(changes)}
    columns |= rounds_over(share, np.array(ended), edge_bytes(edges.oriented(transpose=True)[0].indices, factors))
    return Answer({"rank": rank}, iterations=len(changes), converged=changes[-1] < tolerance, trace=columns)


def _passing(share: Share, walk: Walk) -> tuple[Array, Array | None]:
    """What part of its rank a vertex passes over an edge, or over its edges in proportion to their factors."""
    factors = None
    leaving = share.own_degrees().astype(np.float64)
    if walk.weighted:
        # In units of the largest weight: a sum of weights may be more than a float can hold. Sums by source come first,
        # so that the edges by source may be freed before there are factors.
        assert share.weights is not None
        largest = float(share.member.all_reduce(share.weights.max(initial=0), np.maximum)) or 1.0
        leaving = products.row_sums(CpuEngine(), share.with_weights(share.weights / largest), monoids.plus)
        rows, _, _ = share.oriented(transpose=True)
        share.release_source()
        assert rows.weights is not None
        short = rows.weights.dtype == np.float32  # as are the quotients: the same numbers with half of the bytes
        factors = np.divide(rows.weights, largest, out=np.empty(rows.num_arcs, np.float32 if short else walk.dtype))
    scale = np.divide(walk.damping, leaving, out=np.zeros(leaving.size), where=leaving > 0)
    return scale.astype(walk.dtype, copy=False), factors
