"""Condensation."""

from __future__ import annotations

from clew.algorithms.registry import algorithm, run
from clew.graph import Graph
from clew.result import Result


@algorithm(vertices=())
def condensation(graph: Graph, *, device: str = "auto") -> Result:
    """Condensation: the acyclic graph of the strongly connected components.

    Parameters
    ----------
    graph
        Directed or undirected. The components of an undirected graph have no edges between them.
    device
        "auto", "cpu" or "cuda". ``graph`` and ``sizes`` are on the host.

    Returns
    -------
    Result
        ``component`` of each vertex: numbers from 0 in topological order, so edges lead to larger numbers. ``graph``:
        a directed graph whose vertices are the components, with an edge where the graph has any, and the column
        ``size``. ``count``: the number of components. ``sizes``: their numbers of vertices.

    Notes
    -----
    Time and memory as in ``clew.strongly_connected_components``, and the edges between components.

    Examples
    --------
    >>> import clew
    >>> found = clew.condensation(clew.Graph.from_edges([0, 1, 2, 2, 3], [1, 0, 1, 3, 4]))
    >>> found.component.tolist(), [ends.tolist() for ends in found.graph.edges()[:2]]
    ([1, 1, 0, 2, 3], [[0, 0, 2], [1, 2, 3]])
    """
    return run("condensation", graph, device)
