"""The modularity of communities."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from clew.algorithms.communities import check_resolution, undirected
from clew.checks import array
from clew.dtypes import refuse_labels
from clew.errors import GraphError
from clew.graph import Graph, check_graph
from clew.result import Result


def modularity(graph: Graph, communities: Result | npt.ArrayLike, *, resolution: float = 1.0) -> float:
    """The modularity of communities: the share of edges inside them, less what chance would give.

    Parameters
    ----------
    graph
        Weights, if there are any, are the strengths of edges. Directions are ignored.
    communities
        A result with a ``community`` or ``label`` for every vertex, such as that of ``clew.leiden``, or an array of
        integers with an entry per vertex.
    resolution
        The factor of what chance would give. Larger ones favour small communities.

    Returns
    -------
    float
        At most 1; 0 if all vertices are in one community. NaN if the graph has no edges.

    References
    ----------
    M. E. J. Newman, M. Girvan: "Finding and evaluating community structure in networks", Physical Review E 69, 2004.

    Examples
    --------
    >>> import clew
    >>> graph = clew.Graph.from_edges([0, 1, 2, 3, 4, 5, 2], [1, 2, 0, 4, 5, 3, 3], directed=False)
    >>> round(clew.modularity(graph, [0, 0, 0, 1, 1, 1]), 4)
    0.3571
    """
    check_graph(graph)
    label = _labels(graph, communities)
    if graph.num_vertices == 0:
        return float("nan")
    from clew.algorithms.communities import cpu

    return cpu.Rows.of(undirected(graph)).modularity(label, check_resolution(resolution))


def _labels(graph: Graph, communities: Any) -> npt.NDArray[np.int64]:
    """An integer per vertex from 0 up, from a result or an array of labels."""
    if isinstance(communities, Result):
        values = communities.numpy().values
        named = next((values[name] for name in ("community", "label") if name in values), None)
        if named is None:
            raise GraphError(
                f"the result of {communities.algorithm} has no community per vertex; it has "
                f"{', '.join(values)}. Pass one of its arrays."
            )
        communities = named
    refuse_labels("communities", communities, "vertex")
    labels = array("communities", communities)
    if labels.shape != (graph.num_vertices,):
        raise GraphError(
            f"communities has shape {labels.shape}; expected one entry per vertex, ({graph.num_vertices},)."
        )
    return np.unique(labels, return_inverse=True)[1].reshape(-1)
