"""Random walks of node2vec."""

from __future__ import annotations

from collections.abc import Iterable

from clew.algorithms.random_walks import start_walks
from clew.algorithms.registry import algorithm
from clew.graph import Graph
from clew.names import Name
from clew.walk_result import WalkResult


@algorithm(per_walk=True, vertices=("walk",))
def node2vec_walks(
    graph: Graph,
    sources: Iterable[Name],
    *,
    length: int = 80,
    walks: int = 1,
    p: float = 1.0,
    q: float = 1.0,
    weighted: bool = False,
    seed: int = 0,
    device: str = "auto",
) -> WalkResult:
    """Node2vec walks: random walks that prefer to return, to stay near, or to go far.

    Parameters
    ----------
    graph
        Directed or undirected.
    sources
        The vertices to start from, by name. A vertex may occur several times.
    length
        The number of steps.
    walks
        The number of walks per source.
    p
        A step back to the previous vertex is 1/p times as likely as one to a common neighbour. Large values avoid it.
    q
        A step to a vertex that the previous one has no edge to is 1/q times as likely. Large values stay near.
    weighted
        Multiply by the weights of the edges, which must be 0 or more. By default all edges count 1.
    seed
        Selects the random numbers.
    device
        "auto", "cpu" or "cuda".

    Returns
    -------
    WalkResult
        ``walk``: a row per walk with ``length`` + 1 vertex ids, -1 after a vertex without out-edges. Walks of the same
        source follow each other. ``to_lists()`` has the walks by name.

    Notes
    -----
    Steps are drawn and accepted or drawn again, so there is no table for pairs of edges. An extreme ``p`` or ``q``
    takes more draws. Walks are the same on a GPU, and for any number of threads.

    References
    ----------
    A. Grover, J. Leskovec: "node2vec: scalable feature learning for networks", KDD 2016.

    Examples
    --------
    >>> import clew
    >>> clew.node2vec_walks(clew.generate.complete(9), range(9), length=5, p=4, q=0.5).walk.shape
    (9, 6)
    """
    return start_walks("node2vec_walks", graph, sources, length, walks, weighted, seed, device, p, q)
