"""Breadth-first search from many sources."""

from __future__ import annotations

from collections.abc import Iterable

from clew.algorithms.arguments import vertices_of
from clew.algorithms.registry import Answer, algorithm, run
from clew.dtypes import Array
from clew.graph import Graph
from clew.names import Name, called
from clew.result import Result


@algorithm(needs=("in_edges",), distributed=True, packed=("cuda",), packed_slowdown=(1.06, 1.3), per_pair=True)
def multi_source_bfs(graph: Graph, sources: Iterable[Name] = (0,), *, device: str = "auto") -> Result:
    """Breadth-first search from several sources, 64 at a time.

    Parameters
    ----------
    graph
        Directed or undirected. Weights are ignored.
    sources
        The names of the vertices to start at. A vertex may occur more than once.
    device
        "auto", "cpu" or "cuda".

    Returns
    -------
    Result
        ``depth``: int32, a row per vertex and a column per source, -1 where unreached. ``sources``: their names.
        ``reached``: a mask of the same shape. ``num_reached``: the number of vertices per source. Tables have a list
        for every vertex. ``top`` does not support two dimensions. ``path_to(name, source)`` follows in-edges.

    Notes
    -----
    64 sources share a search. A search takes O(n + m) time per level, so 64 sources in a graph of few levels take
    little longer than one. Memory besides the result: 32 bytes per vertex and thread. Depths are unique, so the number
    of threads does not matter. On a GPU, every level reads the in-edges of vertices that some source has not reached.

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
    return run("multi_source_bfs", graph, device, sources=vertices_of(graph, sources))


def summary(graph: Graph, sources: Array, depth: Array, num_reached: Array, levels: int) -> Answer:
    """The answer, from a column of depths for every source."""
    facts = {"sources": called(graph.names, sources), "num_reached": num_reached}
    return Answer({"depth": depth}, facts, unreached=-1, iterations=levels)
