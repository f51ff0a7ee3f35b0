"""Breadth-first search from many sources."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from clew.algorithms.registry import algorithm
from clew.algorithms.sources import vertices_of
from clew.counts import counted
from clew.engines.choice import check_device
from clew.graph import Graph
from clew.names import Name, called
from clew.result import Result


@algorithm
def multi_source_bfs(graph: Graph, sources: Iterable[Name] = (0,), *, device: str = "auto") -> Result:
    """How many edges away every vertex is from each of several sources, 64 of them in one search.

    Parameters
    ----------
    graph
        Directed or not; weights do not matter.
    sources
        Where to start, by name; the same vertex may be there more than once.
    device
        "auto" and "cpu" run on the CPU; "cuda" as products on the GPU, whose vectors travel there and back.

    Returns
    -------
    Result
        ``depth`` (int32, a row per vertex and a column per source, -1 where unreached), ``sources`` (their names),
        ``reached`` (a mask of the same shape) and ``num_reached`` (for each source, how many vertices). Tables have a
        list for every vertex; two dimensions are too many for ``top``.

    Notes
    -----
    Time O(n + m) for every level that any of 64 sources has, which they share: searches from 64 sources in a graph of
    few levels take little longer than one. Beside the answer, 32 bytes a vertex and thread. Depths are unique, so the
    number of threads does not matter.

    References
    ----------
    M. Then, M. Kaufmann, F. Chirigati et al.: "The more the merrier: efficient multi-source graph traversal", VLDB
    2014.

    Examples
    --------
    >>> import clew
    >>> clew.multi_source_bfs(clew.generate.path(4), [0, 2]).depth.tolist()
    [[0, 2], [1, 1], [2, 0], [3, 1]]
    """
    check_device(device)
    if device not in ("auto", "cpu"):
        from clew.algorithms.generic.multi_source_bfs import multi_source_bfs as over_products

        return over_products(graph, sources, device=device)
    from clew.engines.cpu import memory
    from clew.engines.cpu.multi_source import search

    starts = vertices_of(graph, sources)
    shape = (graph.num_vertices, starts.size)
    memory.check(
        4 * shape[0] * shape[1],
        f"depths of {counted(shape[0], 'vertex')} from {counted(shape[1], 'source')}",
        "take fewer",
    )
    depth = np.full(shape, -1, dtype=np.int32)
    levels = search(graph.outgoing, graph.incoming, starts, depth)
    return Result(
        "multi_source_bfs",
        {"depth": depth},
        names=graph.names,
        unreached=-1,
        facts={"sources": called(graph.names, starts), "num_reached": (depth >= 0).sum(axis=0)},
        iterations=levels,
    )
