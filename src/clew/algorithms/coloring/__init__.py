"""Vertex colouring."""

from __future__ import annotations

from typing import Any, Literal, get_args

from clew.algorithms.registry import Answer, algorithm, run
from clew.checks import one_of
from clew.graph import Graph
from clew.result import Result, Trace

Method = Literal["jones_plassmann", "rounds"]
Order = Literal["largest_first", "random", "smallest_last"]


@algorithm(generic="generic", cpu="cpu", cuda="cuda", check="check", needs=("in_edges",))
def coloring(
    graph: Graph,
    *,
    method: Method = "jones_plassmann",
    order: Order = "largest_first",
    seed: int = 0,
    device: str = "auto",
) -> Result:
    """A colour for every vertex such that no two neighbours have the same; few colours, not the fewest.

    The answer is the same for any number of threads, and on a GPU.

    Parameters
    ----------
    graph
        Edges count in both directions. Self-loops are ignored: with them no colouring would exist.
    method
        "jones_plassmann": in an order of priority, every vertex takes the smallest colour that no neighbour of higher
        priority has. "rounds": every vertex has a random value, and each round gives one colour to those whose value
        is the largest among the neighbours that are left, and one to those where it is the smallest; no colour is
        used again, so there are more of them.
    order
        Priorities of "jones_plassmann". "largest_first": by degree, equals at random. "random": at random altogether,
        64 consecutive vertices at a time, which is faster than one by one and needs as many colours. "smallest_last":
        against the order in which vertices of smallest degree are removed one after the other; usually the fewest
        colours, never more than the degeneracy (the largest core number) plus one where there are no duplicate edges
        and loops. "rounds" is random whatever is given here.
    seed
        Of the random values; "smallest_last" has none.
    device
        "auto", "cpu" or "cuda".

    Returns
    -------
    Result
        ``color`` (int32, 0…count-1), ``count`` (the number of colours); the trace of "rounds" has
        ``colored``, how many vertices each round gave a colour.

    Notes
    -----
    "jones_plassmann" takes O(n log n + m) time and 24 bytes a vertex, and never more colours than the largest degree
    plus one; finding "smallest_last" is one thread's work. "rounds" takes O(n + m) time and
    16 bytes a vertex.

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


def summary(color: Any, rounds: int = 1, trace: Trace | None = None) -> Answer:
    """The answer, from the colours counted from 0 and, where there were rounds, what each did."""
    return Answer(
        {"color": color}, {"count": int(color.max()) + 1 if color.size else 0}, iterations=rounds, trace=trace
    )
