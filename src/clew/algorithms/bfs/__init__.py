"""Breadth-first search."""

from __future__ import annotations

from typing import Any

from clew.algorithms.arguments import Balance
from clew.algorithms.registry import algorithm, run
from clew.graph import Graph
from clew.result import Result


@algorithm(generic="generic", cpu="cpu", cuda="cuda", check="check", needs=("in_edges",))
def bfs(
    graph: Graph,
    source: Any = 0,
    *,
    deterministic: bool = False,
    balance: Balance = "auto",
    cut: int | None = None,
    device: str = "auto",
) -> Result:
    """How many edges away every vertex is from ``source``, and over which vertex the way leads.

    Direction-optimizing: edges are followed from the vertices found last, or, when those are many, looked up from the
    vertices not found yet.

    Parameters
    ----------
    graph
        Directed or not; weights do not matter.
    source
        Where to start, by name.
    deterministic
        Of several possible parents, take the smallest. Without it, parents may differ from run to run with more than
        one thread; depths never do. Costs one more pass over the in-edges.
    balance
        How a GPU shares the edges of active vertices among threads; the CPU knows "auto" only. Values are the same with
        each. "thread", "warp" and "block" have one of these for every vertex. With "merge_path" every warp follows
        equally many edges. With "degree_cut" every thread follows a piece of at most ``cut`` edges.
        "auto" goes by the rows' lengths, and it alone pulls.
    cut
        The most edges of a piece with "degree_cut", 1 to 128; by default 16.
    device
        "auto", "cpu", "cuda", or "hybrid": the GPU, with results in host memory.

    Returns
    -------
    Result
        ``depth`` (int32, -1 where unreached), ``parent`` (vertex ids, -1 where unreached, the source's own id at the
        source), ``reached`` (a mask), ``num_reached``; the trace has ``frontier``, ``edges``, ``direction``,
        ``bytes`` and ``seconds`` of each level.

    Notes
    -----
    Time O(n + m), usually far less; 17 bytes a vertex beside the graph and its in-edges.

    References
    ----------
    S. Beamer, K. Asanović, D. Patterson: "Direction-optimizing breadth-first search", SC 2012.

    Examples
    --------
    >>> import clew
    >>> clew.bfs(clew.generate.path(4), 1).depth.tolist()
    [1, 0, 1, 2]
    """
    start = graph.vertex(source)
    return run("bfs", graph, device, source=start, deterministic=deterministic, balance=balance, cut=cut)
