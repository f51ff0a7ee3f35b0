"""Biconnected components."""

from __future__ import annotations

from clew.algorithms.registry import COMPILED, algorithm, run
from clew.edge_result import EdgeResult
from clew.graph import Graph


@algorithm(per_edge=True, host=COMPILED)
def biconnected_components(graph: Graph, *, device: str = "auto") -> EdgeResult:
    """Biconnected components: sets of edges that no single vertex disconnects.

    Two edges are in the same component if a cycle runs through both. A bridge is a component by itself. Every edge is
    in one component, and an articulation point is in several.

    Parameters
    ----------
    graph
        Directions and weights are ignored. Self-loops are in no component.
    device
        "auto", "cpu" or "cuda".

    Returns
    -------
    EdgeResult
        ``component``: numbers from 0, in the order of the components' first edges; -1 for self-loops. ``count``: the
        number of components. ``sizes``: their numbers of edges.

    Notes
    -----
    Time and memory as in ``clew.bridges``.

    Examples
    --------
    >>> import clew
    >>> g = clew.Graph.from_edges([0, 1, 2, 2, 3, 4], [1, 2, 0, 3, 4, 2], directed=False)
    >>> clew.biconnected_components(g).component.tolist()
    [0, 0, 0, 1, 1, 1]
    """
    found = run("biconnected_components", graph, device)
    assert isinstance(found, EdgeResult)
    return found
