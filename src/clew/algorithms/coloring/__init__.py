"""Vertex colouring."""

from __future__ import annotations

from typing import Any, Literal, get_args

from clew.algorithms.registry import Answer, algorithm, run
from clew.checks import one_of
from clew.graph import Graph
from clew.result import Result

Method = Literal["jones_plassmann", "rounds"]
Order = Literal["largest_first", "random", "smallest_last"]


@algorithm(needs=("in_edges",), distributed=True, packed=("cpu", "cuda"), packed_slowdown=(1.3, 1.3), scattered=True)
def coloring(
    graph: Graph,
    *,
    method: Method = "jones_plassmann",
    order: Order = "largest_first",
    seed: int = 0,
    device: str = "auto",
) -> Result:
    """Greedy vertex colouring: neighbours get different colours; few colours, not the minimum.

    The result is the same for any number of threads, and on a GPU.

    Parameters
    ----------
    graph
        Edge directions are ignored. Self-loops are ignored too: with them no colouring would exist.
    method
        How colours are assigned. "jones_plassmann": in order of priority, every vertex takes the smallest colour that
        no neighbour of higher priority has. "rounds": every vertex has a random value. Each round gives one colour to
        vertices whose value is the largest among their uncoloured neighbours, and another to the smallest. No colour is
        used again, so "rounds" needs more colours.
    order
        The priorities of "jones_plassmann". "largest_first": by degree, ties at random. "random": at random, 64
        consecutive vertices at a time, which is faster and needs as many colours. "smallest_last": the reverse of
        the order in which vertices of smallest degree are removed. It usually needs the fewest colours. Without
        duplicate edges and loops, it needs at most the degeneracy (the largest core number) plus one.
        "rounds" ignores this option.
    seed
        The seed of the random values; "smallest_last" has none.
    device
        "auto", "cpu" or "cuda".
        "reference" ignores method and order, and colors by rounds.

    Returns
    -------
    Result
        ``color`` (int32, 0…count-1) and ``count`` (the number of colours). The trace of "rounds" has ``colored``: the
        number of vertices coloured per round.

    Notes
    -----
    "jones_plassmann" takes O(n log n + m) time and 24 bytes per vertex. It never needs more colours than the largest
    degree plus one. Computing "smallest_last" is single-threaded. "rounds" takes O(n + m) time and 16 bytes per vertex.

    References
    ----------
    M. T. Jones, P. E. Plassmann: "A parallel graph coloring heuristic", SIAM J. Sci. Comput. 14 (1993).
    W. Hasenplaugh, T. Kaler, T. B. Schardl, C. E. Leiserson: "Ordering heuristics for parallel graph coloring",
    SPAA 2014.
    J. Cohen, P. Castonguay: "Efficient graph matching and coloring on the GPU", GTC 2012.
    D. W. Matula, L. L. Beck: "Smallest-last ordering and clustering and graph coloring algorithms", J. ACM 30 (1983).

    Examples
    --------
    >>> import clew
    >>> result = clew.coloring(clew.generate.cycle(5))
    >>> result.count
    3
    >>> clew.coloring(clew.generate.star(4)).color.tolist()
    [0, 1, 1, 1]
    """
    one_of("method", method, get_args(Method))
    one_of("order", order, get_args(Order))
    return run("coloring", graph, device, method=method, order=order, seed=seed)


def summary(color: Any, rounds: int = 1, trace: Any = None) -> Answer:
    """The answer, from the colours counted from 0 and, if there were rounds, their trace."""
    return Answer(
        {"color": color}, {"count": int(color.max()) + 1 if color.size else 0}, iterations=rounds, trace=trace
    )
