"""Random walks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from clew.algorithms.arguments import check_flow_weights, share_of_items, vertices_of
from clew.algorithms.registry import algorithm, run
from clew.checks import whole
from clew.dtypes import Array
from clew.errors import GraphError
from clew.generate.arguments import stream
from clew.graph import Graph
from clew.names import Name
from clew.result import Result
from clew.walk_result import WalkResult

LONGEST = 1 << 40  # a step has 2^20 numbers of its walk's random stream


class Walks(NamedTuple):
    """The checked arguments: where walks start, how long they are, the key of the random numbers, and the biases.

    A worker of a cluster has the starts of its own walks; ``first`` is the number of the first, and ``total`` of all.
    """

    starts: Array
    length: int
    key: np.uint64
    weighted: bool
    p: float = 1.0
    q: float = 1.0
    first: int = 0
    total: int = 0


@algorithm(per_walk=True, vertices=("walk",))
def random_walks(
    graph: Graph,
    sources: Iterable[Name],
    *,
    length: int = 10,
    walks: int = 1,
    weighted: bool = False,
    seed: int = 0,
    device: str = "auto",
) -> WalkResult:
    """Random walks: from each source, follow random out-edges.

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
    weighted
        Choose edges in proportion to their weights, which must be 0 or more. By default all edges are equally likely.
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
    A walk's random numbers depend on the seed and its row alone. So walks are the same on a GPU, and for any number of
    threads. Weighted walks need 8 bytes per edge, and a binary search per step.

    Examples
    --------
    >>> import clew
    >>> clew.random_walks(clew.generate.cycle(5, directed=True), [0, 3], length=4).walk.tolist()
    [[0, 1, 2, 3, 4], [3, 4, 0, 1, 2]]
    """
    return start_walks("random_walks", graph, sources, length, walks, weighted, seed, device)


def start_walks(
    name: str,
    graph: Graph,
    sources: Iterable[Name],
    length: int,
    walks: int,
    weighted: bool,
    seed: int,
    device: str,
    p: float = 1.0,
    q: float = 1.0,
) -> WalkResult:
    """Check the arguments of either function, and run it."""
    if weighted:
        check_flow_weights(graph, name)
    for what, bias in (("p", p), ("q", q)):
        if not isinstance(bias, (int, float, np.number)) or not 0 < bias < np.inf:
            raise GraphError(f"{what} is {bias!r}; expected a number above 0.")
    vertices = vertices_of(graph, sources)
    total = vertices.size * whole("walks", walks, 1)
    first, last = share_of_items(graph, total)
    starts, key = vertices[np.arange(first, last) // walks], stream(seed, "random walks")
    given = Walks(starts, whole("length", length, 0, LONGEST), key, weighted, float(p), float(q), first, total)
    found: Result = run(name, graph, device, given=given)
    assert isinstance(found, WalkResult)
    return found
