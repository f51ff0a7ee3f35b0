"""Local clustering coefficients."""

from __future__ import annotations

from typing import Literal, get_args

from clew.algorithms.arguments import check_flow_weights
from clew.algorithms.registry import algorithm, run
from clew.checks import one_of
from clew.errors import GraphError
from clew.graph import Graph
from clew.result import Result

Method = Literal["links", "triangles"]


def has_means(graph: Graph, method: Method, *, weighted: bool) -> bool:
    """Whether triangles count the means of their weights, or directed ones are counted."""
    return weighted or (graph.directed and method == "triangles")


@algorithm(needs=("in_edges",), packed=("cuda",))
def clustering_coefficient(
    graph: Graph, *, method: Method = "links", weighted: bool = False, device: str = "auto"
) -> Result:
    """Local clustering coefficient: how connected the neighbours of each vertex are, from 0 to 1.

    For a vertex with d neighbours, it is the number of edges among those neighbours divided by the number possible.
    That is d·(d-1) in a directed graph, and d·(d-1)/2 in an undirected one. The coefficient is 0 if d is less than 2.
    In a directed graph, both out- and in-neighbours count, and so does each direction of an edge among them. This is
    LCC of LDBC Graphalytics.

    Parameters
    ----------
    graph
        Directed or undirected. Self-loops and duplicate edges are ignored.
    method
        "links" as above. "triangles" (Fagiolo) differs for directed graphs only: the number of directed triangles at
        the vertex, divided by the number possible with its edges. NetworkX has this one.
    weighted
        Let a triangle count the geometric mean of its weights, relative to the largest weight (Onnela). Weights are 0
        or more, and those of parallel edges add up. A directed graph needs ``method="triangles"``.
    device
        "auto", "cpu" or "cuda".

    Returns
    -------
    Result
        ``coefficient``: float64. ``average``: the mean coefficient. ``transitivity``: the number of edges among the
        neighbours of all vertices, divided by the number possible (0 if none are possible).

    Notes
    -----
    Time and memory as in ``clew.triangles``, plus 16 bytes per vertex and 2 per edge. The result does not depend on the
    number of threads. On a GPU, the last digits of sums of weights differ from run to run.

    References
    ----------
    D. J. Watts, S. H. Strogatz: "Collective dynamics of 'small-world' networks", Nature 393, 1998.
    G. Fagiolo: "Clustering in complex directed networks", Physical Review E 76, 2007.
    J.-P. Onnela et al.: "Intensity and coherence of motifs in weighted complex networks", Physical Review E 71, 2005.
    A. Iosup et al.: "The LDBC Graphalytics benchmark", arXiv:2011.15028.

    Examples
    --------
    >>> import clew
    >>> found = clew.clustering_coefficient(clew.Graph.from_edges([0, 1, 2, 2], [1, 2, 0, 3], directed=False))
    >>> found.coefficient.round(3).tolist(), round(found.transitivity, 3)
    ([1.0, 1.0, 0.333, 0.0], 0.6)
    """
    one_of("method", method, get_args(Method))
    if weighted:
        check_flow_weights(graph, "clustering_coefficient")
        if graph.directed and method == "links":
            raise GraphError(
                'clustering_coefficient(weighted=True) of a directed graph needs method="triangles".',
                remedy='Pass method="triangles".',
                option="Pass --method triangles.",
            )
    means = has_means(graph, method, weighted=weighted)
    return run("clustering_coefficient", graph, device, means=means, weighted=weighted)
