"""Matching in bipartite graphs."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np

from clew.algorithms.registry import Answer, algorithm, run
from clew.checks import one_of
from clew.dtypes import Array
from clew.errors import GraphError
from clew.graph import Graph
from clew.names import shown
from clew.result import Result, Trace
from clew.transform import as_mask

Method = Literal["maximum", "maximal"]


@algorithm(generic="generic", cpu="cpu", check="check")
def bipartite_matching(graph: Graph, *, left: Any = None, method: Method = "maximum", device: str = "auto") -> Result:
    """Edges between two sides of which no two share a vertex, as many as possible.

    The answer is the same in every run and for any number of threads.

    Parameters
    ----------
    graph
        Bipartite: every edge joins the two sides. Edges count in both directions; weights do not matter.
    left
        One of the sides: a bool per vertex, or the names of its vertices. Without it, the sides that the file gave
        (``graph.metadata["bipartite"]``), or else those found by a search, with the first vertex of every component on
        the left.
    method
        "maximum": no matching has more edges. "maximal": no edge could be added; found in one pass, and usually within
        a percent of the maximum.
    device
        "auto" and "cpu" run on the CPU; "cuda" as products with sparse vectors on the GPU, which travel there and back.

    Returns
    -------
    Result
        ``mate`` (the partner's vertex id, -1 where there is none), ``left`` (the side that was used, a bool per
        vertex), ``size`` (the number of pairs); the trace has ``paths``, the
        augmenting paths that each phase found; the first phase's are the single edges of the maximal matching.

    Notes
    -----
    Karp and Sipser's heuristic for the start takes O(n + m) time, as does each phase of Pothen and Fan's searches, of
    which there are few: 8 on a grid of a million vertices, though n in the worst case. One thread's work. 30 bytes a
    vertex, and a copy of a directed graph in both directions.

    References
    ----------
    R. M. Karp, M. Sipser: "Maximum matching in sparse random graphs", FOCS 1981.
    A. Pothen, C.-J. Fan: "Computing the block triangular form of a sparse matrix", ACM Trans. Math. Softw. 16 (1990).
    I. S. Duff, K. Kaya, B. Uçar: "Design, implementation, and analysis of maximum transversal algorithms", ACM Trans.
    Math. Softw. 38 (2011).

    Examples
    --------
    >>> import clew
    >>> clew.bipartite_matching(clew.generate.path(5)).mate.tolist()
    [-1, 2, 1, 4, 3]
    >>> jobs = clew.Graph.from_edges(["ann", "ann", "bob"], ["cook", "wash", "cook"])
    >>> clew.bipartite_matching(jobs, left=["ann", "bob"]).size
    2
    """
    one_of("method", method, get_args(Method))
    links = graph.with_weights(None).symmetrized() if graph.directed else graph
    return run("bipartite_matching", links, device, left=_left_side(links, left), maximum=method == "maximum")


def _left_side(graph: Graph, left: Any) -> Array:
    """The side that was asked for, or the file's, or one that is found; a bool per vertex."""
    from clew.algorithms.bipartite_matching.cpu import edge_within_a_side, two_sides

    if left is not None:
        given = np.asarray(left)
        if graph.names is not None and given.dtype != np.bool_:
            given = graph.names.ids_of(left)
        side = as_mask(given, graph.num_vertices)
        if (edge := edge_within_a_side(graph, side)) is not None:
            where = "left" if side[edge[0]] else "right"
            raise GraphError(
                f"the edge {shown(graph.names, *edge)} has both ends on the {where} side; expected every edge to "
                "lead from one side to the other. Leave left out to have the sides found."
            )
        return side
    match graph.metadata.get("bipartite"):
        case [int(first), int(second)] if first >= 0 and first + second == graph.num_vertices:
            side = np.arange(graph.num_vertices) < first
            if edge_within_a_side(graph, side) is None:
                return side
    side, edge = two_sides(graph)
    if edge is not None:
        raise GraphError(
            f"the graph is not bipartite: the edge {shown(graph.names, *edge)} closes a cycle of odd length; expected "
            "two sides and edges between them only."
        )
    return side


def summary(mate: Array, left: Array, paths: list[int]) -> Answer:
    """The answer, from the partners and how many pairs each phase added."""
    facts = {"size": int((mate >= 0).sum()) // 2}
    trace = Trace({"paths": np.array(paths, dtype=np.int64)})
    return Answer({"mate": mate, "left": left}, facts, iterations=len(paths), trace=trace)
