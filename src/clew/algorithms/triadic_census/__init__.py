"""Triadic census."""

from __future__ import annotations

from clew.algorithms.registry import Answer, algorithm, run
from clew.dtypes import Array
from clew.graph import Graph
from clew.result import Result

#: The 16 types, by their numbers of mutual, one-way and missing edges between pairs, and by their shapes.
TYPES = [
    "003",
    "012",
    "102",
    "021D",
    "021U",
    "021C",
    "111D",
    "111U",
    "030T",
    "030C",
    "201",
    "120D",
    "120U",
    "120C",
    "210",
    "300",
]
#: For a, b and c: the type where the edges between a and b are code % 4 (1: a to b, 2: b to a, 3: both), those between
#: a and c code // 4 % 4, and those between b and c code // 16.
CODES = tuple(int(digit, 16) for digit in "011213571546276a1537488c598d6dbe1456589d388b7cde267a6bde7dceaeef")


@algorithm(vertices=(), host="it has no form for other engines, so the CPU runs it for every device")
def triadic_census(graph: Graph, *, device: str = "auto") -> Result:
    """Triadic census: how many sets of three vertices are connected in each of 16 ways.

    The names are those of Davis and Leinhardt: "021C" has 0 pairs with edges in both directions, 2 with one edge and 1
    without. The letter (Down, Up, Cycle, Transitive) tells apart what these numbers do not.

    Parameters
    ----------
    graph
        Edges of an undirected graph count in both directions. Self-loops, duplicate edges and weights are ignored.
    device
        Any device; the CPU runs it.

    Returns
    -------
    Result
        ``census``: a dict from the 16 names to counts. Each count is also a fact: ``result.facts["021C"]``.

    Notes
    -----
    Time O(m·d) for a largest degree of d, on all threads. Memory: 9 bytes per vertex and thread, and up to 10 per edge.

    References
    ----------
    V. Batagelj, A. Mrvar: "A subquadratic triad census algorithm for large sparse networks with small maximum degree",
    Social Networks 23, 2001.

    Examples
    --------
    >>> import clew
    >>> census = clew.triadic_census(clew.Graph.from_edges([0, 1, 2, 2], [1, 2, 0, 3])).census
    >>> {name: count for name, count in census.items() if count}
    {'012': 1, '021D': 1, '021C': 1, '030C': 1}
    """
    return run("triadic_census", graph, device)


def counted(codes: Array, ones: int, twos: int, num_vertices: int) -> Answer:
    """The answer, from connected triads by code, and pairs with one or two edges that no third vertex touches."""
    census = dict.fromkeys(TYPES, 0)
    for code, count in zip(CODES, codes.tolist(), strict=True):
        census[TYPES[code]] += count
    census["012"] += ones
    census["102"] += twos
    census["003"] = num_vertices * (num_vertices - 1) * (num_vertices - 2) // 6 - sum(census.values())
    return Answer({}, {"census": census, **census})
