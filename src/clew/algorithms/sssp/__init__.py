"""Shortest paths from one vertex."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from clew.algorithms.arguments import Balance
from clew.algorithms.paths.weights import check_sums, stored_weights_of
from clew.algorithms.registry import algorithm, run
from clew.errors import GraphError
from clew.graph import Graph
from clew.result import Result


@algorithm(
    needs=("weights",), balanced=True, distributed=True, packed=("cpu", "cuda"), packed_slowdown=(1.1, 1.3), paired=True
)
def sssp(
    graph: Graph,
    source: Any = 0,
    *,
    delta: float | None = None,
    deterministic: bool = False,
    balance: Balance = "auto",
    cut: int | None = None,
    device: str = "auto",
) -> Result:
    """Single-source shortest paths, for weights of 0 or more.

    Delta-stepping: vertices are kept in buckets of width ``delta`` by distance. All threads process one bucket, in any
    order, before the next.

    Parameters
    ----------
    graph
        Directed or undirected, with weights of 0 or more of any dtype. Edges of infinite weight are ignored.
    source
        The name of the vertex to start at.
    delta
        The bucket width. The default is chosen from the weights and the degrees. A small width repeats less work; a
        large width gives more parallelism. It does not affect distances.
    deterministic
        Choose the same parents in every run and on every engine: the breadth-first tree over the shortest paths, with
        the smallest of several parents. Without it, parents may differ from run to run with more than one thread.
        Distances never do. It costs one more pass, which is single-threaded on a CPU.
    balance
        How a GPU distributes edges over threads: "auto", "thread", "warp", "block", "merge_path" or "degree_cut".
        ``clew.bfs`` describes each.
    cut
        The maximum number of edges per piece with "degree_cut", from 1 to 128. The default is 16.
    device
        "auto", "cpu", "cuda", or "hybrid": the GPU, with results in host memory.

    Returns
    -------
    Result
        ``distance``: for float weights, of their dtype, with inf where unreached. For integers and bool, int64, with
        the largest int64 where unreached. ``parent``: the previous vertex on a shortest path (vertex ids, -1 where
        unreached, the source's own id at the source). ``reached``: a mask. ``num_reached``: the number of reached
        vertices. The trace has ``bucket``, ``frontier`` (vertices relaxed), ``edges``, ``bytes`` and ``seconds``.
        A float distance is infinite only where unreached: infinite weights and paths whose sum overflows are ignored.

    Raises
    ------
    GraphError
        If weights are missing, negative or NaN, or are integers so large that a sum might not fit in int64.

    Notes
    -----
    Distances are unique, even for floats. A distance is the minimum over all paths of the sum rounded edge by edge from
    the source. Rounding is monotonic, so extending a smaller sum never gives a larger one. So neither the order of work
    nor the number of threads changes a bit.

    Time about O(n + m) unless weights are very uneven. Memory besides the graph: 20 to 24 bytes per vertex, the
    buckets, and 4 bytes per edge for a copy of weights narrower than that.

    References
    ----------
    U. Meyer, P. Sanders: "Δ-stepping: a parallelizable shortest path algorithm", Journal of Algorithms 49, 2003.
    Y. Zhang et al.: "Optimizing ordered graph algorithms with GraphIt", CGO 2020.

    Examples
    --------
    >>> import clew
    >>> g = clew.Graph.from_edges([0, 0, 1], [1, 2, 2], [4, 9, 3])
    >>> clew.sssp(g, 0).distance.tolist()
    [0, 4, 7]
    """
    if delta is not None and not (isinstance(delta, (int, float, np.number)) and 0 < delta < math.inf):
        raise GraphError(f"delta is {delta!r}; expected a number above 0, or None for the default.")
    start = graph.vertex(source)
    check_sums(stored_weights_of(graph, algorithm="sssp"), graph.num_vertices)
    options = {"delta": delta, "deterministic": deterministic, "balance": balance, "cut": cut}
    return run("sssp", graph, device, source=start, **options)
