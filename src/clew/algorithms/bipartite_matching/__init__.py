"""Bipartite matching."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np

from clew.algorithms.registry import Answer, algorithm, run
from clew.checks import one_of
from clew.dtypes import Array
from clew.graph import Graph
from clew.result import Result

Method = Literal["maximum", "maximal"]


@algorithm(distributed=True)
def bipartite_matching(graph: Graph, *, left: Any = None, method: Method = "maximum", device: str = "auto") -> Result:
    """Maximum bipartite matching: the largest set of edges that share no vertex.

    The result is the same in every run and for any number of threads.

    Parameters
    ----------
    graph
        A bipartite graph: every edge joins the two sides. Edge directions and weights are ignored.
    left
        One of the sides: a bool per vertex, or the names of its vertices. By default the sides come from the file
        (``graph.metadata["bipartite"]``). Otherwise a search finds them, and puts the first vertex of every component
        on the left.
    method
        "maximum": no matching has more edges; "maximal": no edge could be added. A maximal matching takes one pass,
        and is usually within one percent of the maximum.
    device
        The CPU for "auto" and "cpu"; sparse products on the GPU, with vectors copied there and back, for "cuda".

    Returns
    -------
    Result
        ``mate`` (the partner's vertex id, -1 where unmatched), ``left`` (the side used, a bool per vertex) and ``size``
        (the number of pairs). The trace has ``paths``: the augmenting paths of each phase. Those of the first phase are
        the single edges of the maximal matching.

    Notes
    -----
    Karp and Sipser's heuristic gives the initial matching in O(n + m) time. Each phase of Pothen and Fan's algorithm
    takes O(n + m) as well. A grid of a million vertices needs 8 phases; the worst case is n. It is single-threaded.
    Memory: 30 bytes per vertex, and a symmetric copy of a directed graph.

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
    from clew.algorithms.bipartite_matching.sides import left_side

    links = graph.with_weights(None).symmetrized() if graph.directed else graph
    return run("bipartite_matching", links, device, left=left_side(links, left), maximum=method == "maximum")


def summary(mate: Array, left: Array, paths: list[int]) -> Answer:
    """The answer, from the partners and the number of pairs that each phase added."""
    facts = {"size": sum(paths)}
    trace = {"paths": np.array(paths, dtype=np.int64)}
    return Answer({"mate": mate, "left": left}, facts, iterations=len(paths), trace=trace)
