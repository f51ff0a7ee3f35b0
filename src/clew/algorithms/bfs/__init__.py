"""Breadth-first search."""

from __future__ import annotations

from typing import Any

from clew.algorithms.arguments import Balance
from clew.algorithms.registry import algorithm, run
from clew.graph import Graph
from clew.result import Result


@algorithm(
    needs=("in_edges",),
    balanced=True,
    distributed=True,
    packed=("cpu", "cuda"),
    packed_slowdown=(1.13, 1.3),
    scattered=True,
    first_neighbours=True,
    by_levels=True,
)
def bfs(
    graph: Graph,
    source: Any = 0,
    *,
    deterministic: bool = False,
    balance: Balance = "auto",
    cut: int | None = None,
    device: str = "auto",
) -> Result:
    """Breadth-first search: the depth and the parent of every vertex, from one source.

    The search is direction-optimizing. It pushes along the edges of the frontier. When the frontier is large, it pulls:
    unreached vertices look for a neighbour in the frontier.

    Parameters
    ----------
    graph
        Directed or undirected. Weights are ignored.
    source
        The name of the vertex to start at.
    deterministic
        Choose the smallest of several possible parents. Without it, parents may differ from run to run with more than
        one thread. Depths never do. It costs one more pass over the in-edges.
    balance
        How a GPU distributes the edges of active vertices over threads. The CPU supports "auto" only. The results are
        the same with each. "thread", "warp" and "block" assign one of these to every vertex. With "merge_path" every
        warp follows equally many edges. With "degree_cut" every thread follows a piece of at most ``cut`` edges. "auto"
        chooses by row length, and is the only one that also pulls.
    cut
        The maximum number of edges per piece with "degree_cut", from 1 to 128. The default is 16.
    device
        "auto", "cpu", "cuda", or "hybrid": the GPU, with results in host memory.

    Returns
    -------
    Result
        ``depth`` (int32, -1 where unreached), ``parent`` (vertex ids, -1 where unreached, the source's own id at the
        source), ``reached`` (a mask), ``num_reached``. The trace has ``frontier``, ``edges``, ``direction``,
        ``bytes`` and ``seconds`` per level.

    Notes
    -----
    Time O(n + m), usually far less. Memory: 17 bytes per vertex besides the graph and its in-edges.

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
