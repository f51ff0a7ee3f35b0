"""The most similar vertices of every vertex."""

from __future__ import annotations

import numpy as np

from clew.algorithms.registry import Answer, algorithm, run
from clew.algorithms.similarity import METHODS, Method
from clew.checks import one_of, whole
from clew.dtypes import Array
from clew.graph import Graph
from clew.result import Result

MOST = 1 << 20  # others that a vertex may list


@algorithm(needs=("in_edges",), vertices=("similar",))
def most_similar(graph: Graph, *, k: int = 10, method: Method = "jaccard", device: str = "auto") -> Result:
    """Most similar vertices: for each vertex, the k others with which it shares most neighbours.

    Parameters
    ----------
    graph
        Directed or undirected. In a directed graph, out-neighbours are compared. Use ``graph.reversed()`` for
        in-neighbours. Weights, self-loops and duplicate edges are ignored.
    k
        How many others to list.
    method
        How to score two vertices, as in ``clew.similarity``: "jaccard", "overlap", "cosine", "adamic_adar" or
        "resource_allocation".
    device
        "auto", "cpu" or "cuda". The lists are the same.

    Returns
    -------
    Result
        ``score`` (float64) and ``similar`` (vertices), with k columns in descending order. Of equal scores, the smaller
        id comes first. Where fewer vertices share a neighbour, the score is 0 and the vertex is -1.

    Notes
    -----
    Time: the sum of the squares of the degrees. Memory: the result, and 12 bytes per vertex and thread. No list of all
    pairs is made. The result does not depend on the number of threads. On a GPU, up to 512 blocks have 12 bytes per
    vertex, within 4 GB. The time there grows with k² for vertices with k others or more two steps away.

    Examples
    --------
    >>> import clew
    >>> friends = clew.Graph.from_edges(["ann", "ann", "bob", "bob"], ["cy", "dan", "cy", "eve"], directed=False)
    >>> found = clew.most_similar(friends, k=1)
    >>> found.of("cy", "similar"), found.of("cy", "score")
    (['dan'], [0.5])
    """
    one_of("method", method, METHODS)
    return run("most_similar", graph, device, k=whole("k", k, 1, MOST), method=method)


def summary(similar: Array, scores: Array) -> Answer:
    """The answer."""
    return Answer({"score": scores, "similar": similar}, {"num_pairs": int(np.count_nonzero(similar >= 0))})
