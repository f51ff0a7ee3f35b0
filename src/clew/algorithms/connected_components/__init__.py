"""Connected components."""

from __future__ import annotations

from typing import Any

from clew.algorithms.registry import Answer, algorithm, run
from clew.graph import Graph
from clew.result import Result


@algorithm(generic="generic", cpu="cpu", cuda="cuda", check="check")
def connected_components(graph: Graph, *, device: str = "auto") -> Result:
    """Which vertices hang together: in a component, every vertex can be reached from every other.

    Of a directed graph, the weak components: an edge may be followed either way.
    ``strongly_connected_components`` heeds directions, and ``graph.largest_component()`` cuts the largest one out.

    Parameters
    ----------
    graph
        Directed or not; weights do not matter.
    device
        "auto", "cpu", "cuda", or "hybrid": the GPU, with results in host memory.

    Returns
    -------
    Result
        ``label`` (the smallest vertex id in the component), ``count`` (of components), ``sizes`` (of the components,
        in ascending order of their labels), ``largest`` (the largest size).

    Notes
    -----
    Two edges of every vertex join most of the largest component; others are looked at only where they may still join
    something. Time O(n + m), of an undirected graph with one large component usually O(n); beside the graph 4 bytes a
    vertex for the label (8 with 64-bit ids), as many to count the sizes and 8 a component. In-edges of a directed graph
    that are there already are used, but not built for this. The answer is unique and does not depend on
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


def summary(label: Any, sizes: Any) -> Answer:
    """The answer, from the smallest vertex of each vertex's component and the sizes in the order of those."""
    facts = {"count": sizes.size, "sizes": sizes, "largest": int(sizes.max()) if sizes.size else 0}
    return Answer({"label": label}, facts)
