"""Connected components."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.algorithms.registry import Answer, algorithm, run
from clew.graph import Graph
from clew.result import Result


@algorithm(
    distributed=True,
    packed=("cpu", "cuda"),
    packed_slowdown=(1.85, 1.9),
    scattered=True,
    first_neighbours=True,
)
def connected_components(graph: Graph, *, device: str = "auto") -> Result:
    """Connected components: sets of vertices that can reach each other.

    In a directed graph these are the weak components: edge directions are ignored. ``strongly_connected_components``
    respects directions. ``graph.largest_component()`` extracts the largest component.

    Parameters
    ----------
    graph
        Directed or undirected. Weights are ignored.
    device
        "auto", "cpu", "cuda", or "hybrid": the GPU, with results in host memory.

    Returns
    -------
    Result
        ``label``: the smallest vertex id in the component. ``count``: the number of components. ``sizes``: their sizes,
        in ascending order of label. ``largest``: the largest size.

    Notes
    -----
    Two edges per vertex join most of the largest component. Other edges are read only where they may still join
    components. Time O(n + m), or usually O(n) for an undirected graph with one large component. Memory besides the
    graph: 4 bytes per vertex for the label (8 with 64-bit ids), the same to count the sizes, and 8 per component.
    Existing in-edges of a directed graph are used, but none are built. The result is unique, and does not depend on
    the number of threads.

    References
    ----------
    M. Sutton, T. Ben-Nun, A. Barak: "Optimizing parallel graph connectivity computation via subgraph sampling",
    IPDPS 2018.

    Examples
    --------
    >>> import clew
    >>> result = clew.connected_components(clew.Graph.from_edges([0, 3, 4], [2, 4, 3], num_vertices=6))
    >>> result.label.tolist(), result.count, result.sizes.tolist()
    ([0, 1, 0, 3, 3, 5], 4, [2, 1, 2, 1])
    """
    return run("connected_components", graph, device)


def summary(label: Any, sizes: Any = None, rounds: int = 1) -> Answer:
    """The answer, from the smallest vertex of each component and the sizes in the same order; None: count them."""
    if sizes is None:
        sizes = np.bincount(label)
        sizes = sizes[sizes > 0]
    facts = {"count": sizes.size, "sizes": sizes, "largest": int(sizes.max()) if sizes.size else 0}
    return Answer({"label": label}, facts, iterations=rounds)
