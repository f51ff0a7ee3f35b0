"""Depth-first search."""

from __future__ import annotations

from typing import Any

from clew.algorithms.registry import SEQUENTIAL, algorithm, run
from clew.graph import Graph
from clew.result import Result


@algorithm(host=SEQUENTIAL, cluster_refusal="a depth-first search goes from vertex to vertex, each on any worker")
def dfs_order(graph: Graph, source: Any = 0, *, whole: bool = False, device: str = "auto") -> Result:
    """Depth-first search: the order in which vertices are discovered and left, and the tree.

    Neighbours are visited in the order of their ids, so the result is unique.

    Parameters
    ----------
    graph
        Directed or undirected. Weights are ignored.
    source
        The name of the vertex to start at.
    whole
        Search the whole graph: start again at the smallest vertex that was not reached, until there is none.
    device
        Any device. A depth-first search is sequential, so one thread of the CPU runs it for every device.

    Returns
    -------
    Result
        ``preorder`` and ``postorder``: the number of each vertex in the order of discovery and of leaving, from 0; -1
        where unreached. ``parent``: the vertex it was discovered from (itself at a start). ``num_reached``.

    Notes
    -----
    Time O(n + m). Memory: up to 54 bytes per vertex.

    Examples
    --------
    >>> import clew
    >>> found = clew.dfs_order(clew.Graph.from_edges(["a", "a", "b"], ["b", "c", "d"]), "a")
    >>> found.preorder.tolist(), found.postorder.tolist(), found.path_to("d")
    ([0, 1, 3, 2], [3, 1, 2, 0], ['a', 'b', 'd'])
    """
    return run("dfs_order", graph, device, source=graph.vertex(source), whole=bool(whole))
