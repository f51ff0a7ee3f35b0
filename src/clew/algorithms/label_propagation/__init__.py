"""Communities by label propagation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from clew.algorithms.pagerank.arguments import check_most_rounds
from clew.algorithms.registry import Answer, algorithm, run
from clew.dtypes import Array
from clew.graph import Graph
from clew.result import Result, Trace


@algorithm(generic="generic", cpu="cpu", cuda="cuda", check="check", needs=("in_edges",))
def label_propagation(graph: Graph, *, max_iterations: int = 10, device: str = "auto") -> Result:
    """Communities: every vertex takes on the label that most of its neighbours have, again and again.

    At first, a vertex's label is its own id. In every round all vertices look at the labels of the round before and
    take the most frequent one among their neighbours, the smallest of several; a vertex without neighbours keeps its
    own. This is CDLP of LDBC Graphalytics: deterministic, and the same for any number of threads and on
    a GPU.

    Parameters
    ----------
    graph
        Directed or not; weights do not matter. A neighbour counts once for every edge: in a directed graph out-edges
        and in-edges both count, so one that is linked in both directions counts twice, and so does a self-loop.
    max_iterations
        Rounds after which to stop. Labels may swing for ever: the two ends of a lone edge trade theirs in every round.
    device
        "auto", "cpu" or "cuda".

    Returns
    -------
    Result
        ``label`` (the id of the vertex whose label won) and ``count`` (how many different labels are left);
        ``converged`` says whether a round changed nothing; the trace has ``changed`` (labels changed per round)
        and, on the CPU, the ``active`` vertices of the round: all, or the neighbours of those that changed.

    Notes
    -----
    Time O(n + m) a round, less once few labels change. 9 bytes a vertex, for every thread 4 bytes a vertex, and the
    in-edges of a directed graph.

    References
    ----------
    U. N. Raghavan, R. Albert, S. Kumara: "Near linear time algorithm to detect community structures in large-scale
    networks", Physical Review E 76, 2007.
    A. Iosup et al.: "The LDBC Graphalytics benchmark", arXiv:2011.15028.

    Examples
    --------
    >>> import clew
    >>> graph = clew.Graph.from_edges([0, 1, 2, 3, 4, 5, 2], [1, 2, 0, 4, 5, 3, 3], directed=False)
    >>> clew.label_propagation(graph).label.tolist()
    [0, 0, 0, 2, 2, 2]
    """
    return run("label_propagation", graph, device, max_iterations=check_most_rounds(max_iterations, least=0))


def summary(xp: Any, label: Any, rounds: int, settled: bool, trace: Mapping[str, Array]) -> Answer:
    """The answer, from the labels and what each round did; ``xp`` is the module that computes with them."""
    left = xp.zeros(label.size, dtype=np.bool_)
    left[label] = True
    facts = {"count": int(left.sum())}
    return Answer({"label": label}, facts, iterations=rounds, converged=settled, trace=Trace(trace))
