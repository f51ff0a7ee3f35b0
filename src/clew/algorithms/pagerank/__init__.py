"""PageRank."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from clew.adjacency import Adjacency
from clew.algorithms.arguments import check_flow_weights, check_fraction, check_rounds, jumps_of
from clew.algorithms.registry import algorithm, run
from clew.checks import one_of
from clew.dtypes import Array, Numbers
from clew.graph import Graph
from clew.result import Result, seconds_between

Precision = Literal["float64", "float32"]
PRECISIONS = get_args(Precision)


class Walk(NamedTuple):
    """The checked arguments. ``jumps`` and ``start`` sum to 1; None means uniform jumps, and a start like the jumps."""

    damping: float
    tolerance: float
    max_iterations: int
    jumps: Array | None = None
    start: Array | None = None
    weighted: bool = False
    dtype: str = "float64"


@algorithm(
    needs=("in_edges",), distributed=True, dense_rounds=True, packed=("cpu", "cuda"), packed_slowdown=(1.07, 2.0)
)
def pagerank(
    graph: Graph,
    *,
    damping: float = 0.85,
    tolerance: float = 1e-6,
    max_iterations: int = 100,
    personalization: Numbers | None = None,
    start: Numbers | None = None,
    weighted: bool = False,
    dtype: Precision = "float64",
    device: str = "auto",
) -> Result:
    """PageRank: how often a random surfer visits each vertex.

    At each step the surfer follows an out-edge with probability ``damping``, and otherwise jumps to a random vertex.
    From a vertex without out-edges, every step is a jump.

    Parameters
    ----------
    graph
        Directed or undirected. Parallel edges count individually. Self-loops lead back to their vertex.
    damping
        The probability of following an edge.
    tolerance
        Stop when the ranks change by less than this in total per iteration. (NetworkX multiplies its ``tol`` by the
        number of vertices first.) With 0, exactly ``max_iterations`` iterations are run.
    max_iterations
        The maximum number of iterations.
    personalization
        The distribution of the jumps: a number per vertex. It is an array, a dict by name, a pandas Series, or a
        function of an array of ids. It includes jumps from vertices without out-edges. Missing vertices have 0. The
        numbers are scaled to sum to 1. The default is uniform. On a cluster, a function needs no array of all vertices.
    start
        The initial ranks, in the same forms. Ranks of an earlier run save iterations. The default is the
        personalization, so vertices that it does not reach have rank 0. NetworkX starts with the uniform distribution.
        The start changes ranks only within the tolerance.
    weighted
        Follow the edges of a vertex in proportion to their weights, which must be 0 or more. A vertex whose weights
        are all 0 counts as one without out-edges.
    dtype
        "float64", or "float32" for less memory and about 7 digits. Sums are computed in float64 either way.
    device
        "auto", "cpu", "cuda", or "hybrid": the GPU, with results in host memory.

    Returns
    -------
    Result
        ``rank``, which sums to 1. ``converged``: whether the tolerance was reached. The trace has ``change``,
        ``frontier``, ``edges``, ``bytes`` and ``seconds``. Ranks are bit-identical for any number of threads. Ranks
        from a GPU differ from those of a CPU in the last digits.

    Notes
    -----
    Time O(n + m) per iteration, and about log(tolerance) / log(damping) iterations. The ranks are within
    tolerance · damping / (1 - damping) of the exact ones, in total. Memory: four arrays of ranks besides the graph and
    its in-edges, and one more number per edge with ``weighted``.

    References
    ----------
    L. Page, S. Brin, R. Motwani, T. Winograd: "The PageRank citation ranking: bringing order to the web", 1999.

    Examples
    --------
    >>> import clew
    >>> ranks = clew.pagerank(clew.generate.star(4))
    >>> ranks.rank.round(3).tolist()
    [0.48, 0.173, 0.173, 0.173]
    """
    damping = check_fraction("damping", damping)
    tolerance, max_iterations = check_rounds(tolerance, max_iterations)
    one_of("dtype", dtype, PRECISIONS)
    if weighted:
        check_flow_weights(graph, "pagerank")
    jumps, first = jumps_of(graph, personalization), jumps_of(graph, start, "start")
    walk = Walk(damping, tolerance, max_iterations, jumps, first, weighted, dtype)
    return run("pagerank", graph, device, walk=walk)


def rounds_over(graph: Any, begun: Array, width: float, edges: int | None = None) -> dict[str, Array]:
    """The columns of a trace whose rounds read all vertices and edges of a graph, or of rows.

    ``begun`` are the nanoseconds at which they began, and the last one ended. ``width`` is the bytes of an edge;
    ``edges`` is the number that a round reads, if that is not every one once.
    """
    seconds = seconds_between(begun)
    looked = np.full(seconds.size, graph.num_arcs if edges is None else edges)
    everyone = np.full(seconds.size, graph.num_vertices)
    moved = np.rint(looked * width).astype(np.int64)
    return {"frontier": everyone, "edges": looked, "bytes": moved, "seconds": seconds}


def shares_of(outgoing: Adjacency, incoming: Adjacency) -> tuple[Array, Array]:
    """The weight that leaves every vertex, and the share of it on every in-edge.

    Both are in units of the largest weight: a sum of weights may be more than a float can hold.
    """
    weights, arriving = (np.asarray(rows.weights, dtype=np.float64) for rows in (outgoing, incoming))
    largest = weights.max(initial=0.0) or 1.0
    total = np.zeros(outgoing.num_vertices)
    filled = np.flatnonzero(outgoing.degrees())
    if filled.size:  # reduceat would give an empty row the weight of the next one
        total[filled] = np.add.reduceat(weights / largest, outgoing.indptr[filled])
    leaving = total[incoming.indices]
    leaving[leaving == 0] = 1.0
    return total, arriving / largest / leaving
