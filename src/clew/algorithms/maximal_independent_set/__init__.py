"""Maximal independent set."""

from __future__ import annotations

from typing import Literal, get_args

from clew.algorithms.registry import algorithm, run
from clew.checks import one_of
from clew.graph import Graph
from clew.result import Result

Method = Literal["luby", "degree"]


@algorithm(needs=("in_edges",), distributed=True, packed=("cpu", "cuda"), packed_slowdown=(1.3, 1.3), scattered=True)
def maximal_independent_set(graph: Graph, *, method: Method = "luby", seed: int = 0, device: str = "auto") -> Result:
    """Maximal independent set: no two members are neighbours, and no vertex could be added.

    Maximal is not maximum: larger sets may exist, but are hard to find. The result is the same for any number of
    threads, and on a GPU.

    Parameters
    ----------
    graph
        Edge directions and self-loops are ignored.
    method
        How members are chosen. "luby": every vertex has a random key. In each round the vertices with the largest key
        in their neighbourhood join, and their neighbours are discarded. The result is that of one greedy pass in key
        order. "degree": each round draws vertices with probability 1/(2·degree). If two neighbours are drawn, the one
        of higher degree stays. This usually gives a larger set, in more rounds.
    seed
        The seed of the random keys.
    device
        "auto", "cpu" or "cuda".
        Under "reference" Luby's method is used.

    Returns
    -------
    Result
        ``member`` (a bool per vertex) and ``size`` (the number of members). The trace has ``left``: the number of
        vertices processed per round.

    Notes
    -----
    O(log n) rounds with high probability. In practice they take O(n + m) time together, since discarded vertices are
    skipped. Memory: 17 bytes per vertex.

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
