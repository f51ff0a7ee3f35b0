"""Breadth-first search."""

from __future__ import annotations

from typing import Any

from clew.algorithms.arguments import vertex_of
from clew.algorithms.registry import algorithm
from clew.engines.choice import gpu_for
from clew.graph import Graph
from clew.result import Result


@algorithm
def bfs(graph: Graph, source: Any = 0, *, deterministic: bool = False, device: str = "auto") -> Result:
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
    device
        "auto", "cpu", "cuda", or "hybrid": the GPU, with results in host memory.

    Returns
    -------
    Result
        ``depth`` (int32, -1 where unreached), ``parent`` (vertex ids, -1 where unreached, the source's own id at the
        source), ``reached`` (their number); the trace has ``frontier``, ``edges``, ``direction``, ``bytes`` and
        ``seconds`` of each level.

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
    start = vertex_of(graph, source)
    if (gpu := gpu_for(device, graph.num_arcs)) is not None:
        from clew.engines.cuda.bfs import bfs as search_on_gpu

        found: Any = search_on_gpu(gpu, graph, start, deterministic=deterministic)
    else:
        from clew.engines.cpu.bfs import bfs as search

        found = search(graph, start, deterministic=deterministic)
    return Result(
        "bfs",
        {"depth": found.depth, "parent": found.parent},
        names=graph.names,
        facts={"reached": found.reached},
        iterations=found.levels,
        trace=found.trace,
    )
