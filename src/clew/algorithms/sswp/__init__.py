"""Widest paths from one vertex."""

from __future__ import annotations

from typing import Any

from clew.algorithms.arguments import Balance
from clew.algorithms.paths.weights import stored_weights_of
from clew.algorithms.registry import algorithm, run
from clew.graph import Graph
from clew.result import Result


@algorithm(
    needs=("weights",), balanced=True, distributed=True, packed=("cpu", "cuda"), packed_slowdown=(1.1, 1.6), paired=True
)
def sswp(
    graph: Graph,
    source: Any = 0,
    *,
    deterministic: bool = False,
    balance: Balance = "auto",
    cut: int | None = None,
    device: str = "auto",
) -> Result:
    """Single-source widest paths: the maximum bottleneck capacity from ``source`` to each vertex.

    The width of a path is its smallest weight. Widest paths are also called bottleneck or maximin paths.

    Parameters
    ----------
    graph
        Directed or undirected, with weights of any dtype, which may be negative. Edges whose weight is the smallest
        number of its dtype (0 for unsigned integers, False, -inf for floats) are ignored.
    source
        The name of the vertex to start at.
    deterministic
        Choose the same parents in every run and on every engine: the breadth-first tree over the widest paths, with
        the smallest of several parents. Without it, parents may differ from run to run with more than one thread.
        Widths never do. It costs one more pass, which is single-threaded on a CPU.
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
        ``width``, of the weights' dtype: its largest number (inf for floats) at the source, its smallest (-inf for
        floats) where unreached. ``parent``: the previous vertex on a widest path (vertex ids, -1 where unreached, the
        source's own id at the source). ``reached``: a mask. ``num_reached``: the number of reached vertices. The trace
        has ``bucket``, ``frontier`` (vertices relaxed), ``edges``, ``bytes`` and ``seconds``.

    Notes
    -----
    Delta-stepping by decreasing width. Time about O(n + m). Memory: 13 or 17 bytes per vertex and a copy of the
    weights.

    References
    ----------
    M. Pollack: "The maximum capacity through a network", Operations Research 8, 1960.

    Examples
    --------
    >>> import clew
    >>> g = clew.Graph.from_edges([0, 0, 1], [1, 2, 2], [4.0, 1.0, 3.0])
    >>> clew.sswp(g, 0).width.tolist()
    [inf, 4.0, 3.0]
    """
    start = graph.vertex(source)
    stored_weights_of(graph, algorithm="sswp", negative=True)
    return run("sswp", graph, device, source=start, deterministic=deterministic, balance=balance, cut=cut)
