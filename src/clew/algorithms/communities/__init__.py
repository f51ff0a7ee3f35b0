"""What Louvain and Leiden share: the check of weights, the modularity, and the numbers of communities."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from clew.algorithms.registry import Answer
from clew.checks import array
from clew.dtypes import Array
from clew.errors import GraphError
from clew.graph import Graph, check_graph
from clew.result import Result


def check_resolution(resolution: float) -> float:
    """Reject anything but a finite number of 0 or more."""
    if not isinstance(resolution, (int, float, np.number)) or not 0 <= resolution < np.inf:
        raise GraphError(f"resolution is {resolution!r}; expected a finite number of 0 or more, such as 1.0.")
    return float(resolution)


def undirected(graph: Graph) -> Graph:
    """The graph with every edge in both directions, checked for weights that modularity is not defined for."""
    weights = graph.weights
    if weights is not None and weights.size:
        if weights.dtype.kind == "f" and not np.isfinite(weights).all():
            raise GraphError(
                f"{int((~np.isfinite(weights)).sum()):,} weights are NaN or infinite; communities need "
                "finite weights. Remove these edges, or use graph.with_weights(None)."
            )
        if weights.dtype.kind in "if" and (least := weights.min()) < 0:
            raise GraphError(
                f"the smallest weight is {least}; communities need weights of 0 or more. "
                "Use graph.with_weights(None) to count edges."
            )
    return graph.symmetrized(duplicates="keep") if graph.directed else graph


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

    return cpu.Level.of(undirected(graph)).modularity(label, check_resolution(resolution))


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
    labels = array("communities", communities)
    if labels.shape != (graph.num_vertices,):
        raise GraphError(
            f"communities has shape {labels.shape}; expected one entry per vertex, ({graph.num_vertices},)."
        )
    return np.unique(labels, return_inverse=True)[1].reshape(-1)


def summary(graph: Graph, community: Array, levels: list[Array], quality: float, moves: list[int]) -> Answer:
    """The answer: communities numbered by size, the largest first, and of equal ones the one with the smallest vertex.

    ``levels`` are the communities before they were merged, the smallest first; the last is ``community``.
    """
    numbers = by_size(community, graph.indices.dtype)
    facts: dict[str, Any] = {"count": int(numbers.max(initial=-1)) + 1, "modularity": quality}
    if levels:
        facts["hierarchy"] = [*(by_size(level, graph.indices.dtype) for level in levels[:-1]), numbers]
    return Answer({"community": numbers}, facts, iterations=len(moves), trace={"moves": np.array(moves, np.int64)})


def by_size(label: Array, dtype: np.dtype[Any]) -> Array:
    """Labels replaced by numbers from 0, in the order of decreasing size."""
    _, first, place, counts = np.unique(label, return_index=True, return_inverse=True, return_counts=True)
    order = np.lexsort((first, -counts))
    numbers = np.empty(order.size, dtype)
    numbers[order] = np.arange(order.size)
    return numbers[place.reshape(-1)]


def numbered(label: Array) -> tuple[Array, int]:
    """Labels replaced by 0, 1, … in their order, and how many there are."""
    used = np.zeros(label.size, np.bool_)
    used[label] = True
    return (np.cumsum(used) - 1).astype(label.dtype)[label], int(used.sum())


def above(community: Array, part: Array, count: int) -> Array:
    """The communities of parts. The label of a community is one of its parts, so that labels are vertices again."""
    label = np.empty(community.size, community.dtype)
    label[community] = part  # of several, the last part
    label_of_part = np.empty(count, community.dtype)
    label_of_part[part] = label[community]
    return label_of_part


def first_vertices(label: Array) -> Array:
    """Labels replaced by the first vertex that has each."""
    first = np.empty_like(label)
    first[label[::-1]] = np.arange(label.size, dtype=label.dtype)[::-1]
    return first[label]
