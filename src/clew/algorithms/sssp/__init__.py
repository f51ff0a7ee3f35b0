"""Shortest paths from one vertex."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from clew.algorithms.arguments import Balance
from clew.algorithms.paths.weights import check_sums, weights_of
from clew.algorithms.registry import algorithm, run
from clew.errors import GraphError
from clew.graph import Graph
from clew.result import Result


@algorithm(generic="generic", cpu="cpu", cuda="cuda", check="check", needs=("weights",))
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
    """The length of the shortest path from ``source`` to every vertex, over weights of 0 or more.

    Delta-stepping: vertices wait in buckets of width ``delta`` by their distance; a bucket is emptied by all threads
    together, in any order, before the next one is.

    Parameters
    ----------
    graph
        Directed or not, with weights of 0 or more of any dtype. An infinite weight is an edge that cannot be taken.
    source
        Where to start, by name.
    delta
        The width of a bucket; by default chosen from the weights and the degrees. Small: less work is done twice;
        large: more is done at a time. It has no influence on distances.
    deterministic
        Choose parents that are the same in every run and on every engine: the breadth-first tree over the shortest
        paths, and the smallest of several parents. Without it, parents may differ from run to run with more than one
        thread; distances never do. Costs one more pass, on a CPU by one thread.
    balance
        How a GPU shares edges among threads: "auto", "thread", "warp", "block", "merge_path" or "degree_cut";
        ``clew.bfs`` says what each does.
    cut
        The most edges of a piece with "degree_cut", 1 to 128; by default 16.
    device
        "auto", "cpu", "cuda", or "hybrid": the GPU, with results in host memory.

    Returns
    -------
    Result
        ``distance``: of the weights' dtype for floats, with inf where unreached; int64 for integers and bool, with the
        largest int64 where unreached. ``parent``: the vertex before on a shortest path (vertex ids, -1 where unreached,
        the source's own id at the source). ``reached``: a mask. ``num_reached``: how many were. The trace has
        ``bucket``, ``frontier`` (vertices relaxed), ``edges``, ``bytes`` and ``seconds``. A float distance is infinite
        only where unreached: an infinite weight cannot be taken, and neither can a path whose sum overflows.

    Raises
    ------
    GraphError
        For weights that are missing, negative or NaN, and for integers so large that a sum might not fit int64.

    Notes
    -----
    Distances are unique, floats too: the float at a vertex is the smallest, over all paths, of the sum rounded edge
    by edge from the source on, and since rounding keeps order, extending a smaller sum never gives a larger one. So
    neither the order of work nor the number of threads changes a bit.

    Time about O(n + m) for weights that are not too uneven; 20 to 24 bytes a vertex and the buckets beside the graph,
    and 4 bytes an edge for a copy of weights narrower than that.

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
        raise GraphError(f"delta is {delta!r}; expected a number above 0, or None to have it chosen.")
    start = graph.vertex(source)
    check_sums(weights_of(graph, algorithm="sssp"), graph.num_vertices)
    options = {"delta": delta, "deterministic": deterministic, "balance": balance, "cut": cut}
    return run("sssp", graph, device, source=start, **options)
