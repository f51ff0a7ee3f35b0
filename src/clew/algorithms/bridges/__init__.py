"""Bridges."""

from __future__ import annotations

from clew.algorithms.registry import COMPILED, algorithm, run
from clew.edge_result import EdgeResult
from clew.graph import Graph


@algorithm(per_edge=True, host=COMPILED)
def bridges(graph: Graph, *, device: str = "auto") -> EdgeResult:
    """Bridges: the edges whose removal disconnects their ends.

    Parameters
    ----------
    graph
        Directions and weights are ignored. Parallel edges are no bridges, nor are two edges in opposite directions.
    device
        "auto", "cpu" or "cuda".

    Returns
    -------
    EdgeResult
        ``bridge``: whether each edge is a bridge. ``count``: the number of bridges.

    Notes
    -----
    Time O(n + m). Memory: 80 bytes per vertex and 24 per stored edge; 20 more per edge of a directed graph, whose edges
    are stored in both directions first. On a GPU, a spanning forest takes the place of the depth-first search. Time
    O((n + m) log n). Memory there: 200 bytes per vertex and 45 per edge.

    References
    ----------
    J. Hopcroft, R. Tarjan: "Algorithm 447: efficient algorithms for graph manipulation", CACM 16, 1973.
    R. E. Tarjan, U. Vishkin: "An efficient parallel biconnectivity algorithm", SIAM Journal on Computing 14, 1985.

    Examples
    --------
    >>> import clew
    >>> g = clew.Graph.from_edges(["a", "b", "c", "c"], ["b", "c", "a", "d"], directed=False)
    >>> found = clew.bridges(g)
    >>> found.count, [ends.tolist() for ends in found.edges(found.bridge)]
    (1, [['c'], ['d']])
    >>> g.filter_edges(~found.bridge).num_edges
    3
    """
    found = run("bridges", graph, device)
    assert isinstance(found, EdgeResult)
    return found
