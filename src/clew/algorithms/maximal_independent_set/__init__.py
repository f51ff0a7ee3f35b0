"""Maximal independent set."""

from __future__ import annotations

from typing import Literal, get_args

from clew.algorithms.registry import algorithm, run
from clew.checks import one_of
from clew.graph import Graph
from clew.result import Result

Method = Literal["luby", "degree"]


@algorithm(generic="generic", cpu="cpu", cuda="cuda", check="check", needs=("in_edges",))
def maximal_independent_set(graph: Graph, *, method: Method = "luby", seed: int = 0, device: str = "auto") -> Result:
    """Vertices of which no two are neighbours, and to which no other vertex could be added.

    Maximal is not maximum: there may be larger sets, which are hard to find. The answer is the same for any number of
    threads, and on a GPU.

    Parameters
    ----------
    graph
        Edges count in both directions. Self-loops are ignored.
    method
        "luby": every vertex has a random key; in each round those with the largest key around join and their
        neighbours are discarded. It is the set that a single pass over the vertices in the order of their keys gives.
        "degree": each round draws vertices at random, with a chance of 1/(2·degree); where two of them are neighbours
        the one of higher degree stays. Usually a larger set, in more rounds.
    seed
        Of the random keys.
    device
        "auto", "cpu" or "cuda".

    Returns
    -------
    Result
        ``member`` (a bool per vertex), ``size`` (how many are true); the trace has ``left``, the vertices that each
        round looked at.

    Notes
    -----
    O(log n) rounds with high probability, together O(n + m) time in practice, as discarded vertices are not looked at
    again; 17 bytes a vertex.

    References
    ----------
    M. Luby: "A simple parallel algorithm for the maximal independent set problem", SIAM J. Comput. 15 (1986).
    G. E. Blelloch, J. T. Fineman, J. Shun: "Greedy sequential maximal independent set and matching are parallel on
    average", SPAA 2012.

    Examples
    --------
    >>> import clew
    >>> clew.maximal_independent_set(clew.generate.complete(5)).size
    1
    >>> clew.maximal_independent_set(clew.generate.path(3), method="degree", seed=0).member.tolist()
    [True, False, True]
    """
    one_of("method", method, get_args(Method))
    return run("maximal_independent_set", graph, device, seed=seed, by_degree=method == "degree")
