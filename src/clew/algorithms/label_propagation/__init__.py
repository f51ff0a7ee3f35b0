"""Communities by label propagation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from clew.algorithms.arguments import check_most_rounds
from clew.algorithms.registry import Answer, algorithm, run
from clew.dtypes import Array
from clew.graph import Graph
from clew.result import Result


@algorithm(
    needs=("in_edges",),
    distributed=True,
    dense_rounds=True,
    packed=("cpu", "cuda"),
    packed_slowdown=(1.13, 1.5),
    scattered=True,
)
def label_propagation(graph: Graph, *, max_iterations: int = 10, device: str = "auto") -> Result:
    """Communities by label propagation: each vertex adopts its neighbours' most frequent label.

    Initially, a vertex's label is its own id. In every iteration, all vertices adopt the most frequent label among
    their neighbours in the previous iteration, or the smallest of several. A vertex without neighbours keeps its own
    label. This is CDLP of LDBC Graphalytics. It is deterministic: the same for any number of threads and on a GPU.

    Parameters
    ----------
    graph
        Directed or undirected. Weights are ignored. A neighbour counts once per edge. In a directed graph, out- and
        in-edges both count, so a neighbour in both directions counts twice, and so does a self-loop.
    max_iterations
        The maximum number of iterations. Labels may oscillate forever: the ends of an isolated edge swap theirs.
    device
        "auto", "cpu" or "cuda".

    Returns
    -------
    Result
        ``label`` (the id of the vertex whose label won) and ``count`` (the number of distinct labels). ``converged``:
        whether the last iteration changed nothing. The trace has ``changed`` (labels changed per iteration) and, on the
        CPU, ``active`` (vertices processed: all, or the neighbours of those that changed).

    Notes
    -----
    Time O(n + m) per iteration, less once few labels change. Memory: 9 bytes per vertex, 4 bytes per vertex and thread,
    and the in-edges of a directed graph.

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
    """The answer, from the labels and the trace; ``xp`` is the array module."""
    left = xp.zeros(label.size, dtype=np.bool_)
    left[label] = True
    facts = {"count": int(left.sum())}
    return Answer({"label": label}, facts, iterations=rounds, converged=settled, trace=trace)
