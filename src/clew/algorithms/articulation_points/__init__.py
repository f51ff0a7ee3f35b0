"""Articulation points."""

from __future__ import annotations

from clew.algorithms.registry import COMPILED, algorithm, run
from clew.graph import Graph
from clew.result import Result


@algorithm(host=COMPILED)
def articulation_points(graph: Graph, *, device: str = "auto") -> Result:
    """Articulation points: the vertices whose removal disconnects others.

    Parameters
    ----------
    graph
        Directions and weights are ignored.
    device
        "auto", "cpu" or "cuda".

    Returns
    -------
    Result
        ``member``: whether each vertex is an articulation point. ``count``: the number of them.

    Notes
    -----
    Time and memory as in ``clew.bridges``.

    Examples
    --------
    >>> import clew
    >>> clew.articulation_points(clew.generate.path(4)).member.tolist()
    [False, True, True, False]
    """
    return run("articulation_points", graph, device)
