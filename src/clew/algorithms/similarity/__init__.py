"""Similarity of pairs of vertices."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, get_args

import numpy as np

from clew.algorithms.arguments import vertices_of
from clew.algorithms.registry import algorithm, run
from clew.checks import one_of
from clew.dtypes import Array
from clew.edge_result import EdgeResult
from clew.errors import GraphError
from clew.graph import Graph
from clew.names import Name

Method = Literal["jaccard", "overlap", "cosine", "adamic_adar", "resource_allocation"]
METHODS = get_args(Method)


@algorithm(per_edge=True)
def similarity(
    graph: Graph,
    pairs: Iterable[tuple[Name, Name]] | None = None,
    *,
    method: Method = "jaccard",
    device: str = "auto",
) -> EdgeResult:
    """Similarity: how many neighbours two vertices share, for given pairs or for the ends of every edge.

    Parameters
    ----------
    graph
        Directed or undirected. In a directed graph, out-neighbours are compared. Use ``graph.reversed()`` for
        in-neighbours. Weights, self-loops and duplicate edges are ignored.
    pairs
        Pairs of vertices: a list of tuples of names, or an array with two columns. The default is every edge.
    method
        "jaccard": shared neighbours, divided by the neighbours of either vertex. "overlap": divided by the neighbours
        of the vertex with fewer. "cosine": divided by the geometric mean of both. "adamic_adar": the sum of
        1 / log(degree) of the shared neighbours. "resource_allocation": the sum of 1 / degree.
    device
        "auto", "cpu" or "cuda".

    Returns
    -------
    EdgeResult
        ``score`` (float64), in the order of the pairs, or of ``graph.edges()``. It is 0 if nothing is shared.

    Notes
    -----
    Rows are sorted, so a pair takes the time to merge two rows, or to search one in the other if that is faster.
    Degrees count distinct neighbours; in a directed graph, the in-neighbours. Scores do not depend on the number of
    threads. ``clew.most_similar`` finds the most similar vertices of every vertex.

    References
    ----------
    D. Liben-Nowell, J. Kleinberg: "The link-prediction problem for social networks", JASIST 58 (7), 2007.

    Examples
    --------
    >>> import clew
    >>> friends = clew.Graph.from_edges(["ann", "ann", "bob", "bob"], ["cy", "dan", "cy", "eve"], directed=False)
    >>> clew.similarity(friends, [("ann", "bob"), ("cy", "dan")]).to_dict()
    {('ann', 'bob'): 0.3333333333333333, ('cy', 'dan'): 0.5}
    """
    one_of("method", method, METHODS)
    found = run("similarity", graph, device, pairs=_ids_of(graph, pairs), method=method)
    assert isinstance(found, EdgeResult)
    return found


def _ids_of(graph: Graph, pairs: Iterable[tuple[Name, Name]] | None) -> tuple[Array, Array] | None:
    if pairs is None:
        return None
    given = pairs if isinstance(pairs, np.ndarray) else list(pairs)
    if any(np.ndim(pair) != 1 or len(pair) != 2 for pair in (given if isinstance(given, list) else given[:1])):
        raise GraphError("pairs has an entry that is no pair of vertices; expected tuples such as ('ann', 'bob').")
    if isinstance(given, np.ndarray) and given.size:
        return vertices_of(graph, given[:, 0]), vertices_of(graph, given[:, 1])
    return vertices_of(graph, [first for first, _ in given]), vertices_of(graph, [second for _, second in given])


def values_of(degrees: Array, method: str) -> Array:
    """What a shared neighbour counts, by its degree; one that is not shared counts 0."""
    if method == "adamic_adar":
        return np.divide(1.0, np.log(np.maximum(degrees, 1)), out=np.zeros(degrees.size), where=degrees > 1)
    if method == "resource_allocation":
        return np.divide(1.0, degrees, out=np.zeros(degrees.size), where=degrees > 1)
    return np.ones(degrees.size)
