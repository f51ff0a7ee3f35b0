"""Triadic census."""

from __future__ import annotations

from clew.algorithms.registry import COMPILED, Answer, algorithm, run
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
#: The type of a, b and c by a code. The edges between a and b are code % 4 (1: a to b, 2: b to a, 3: both). Those
#: between a and c are code // 4 % 4, and those between b and c code // 16.
CODES = tuple(int(digit, 16) for digit in "011213571546276a1537488c598d6dbe1456589d388b7cde267a6bde7dceaeef")


@algorithm(vertices=(), packed=("cuda",), host=COMPILED)
def triadic_census(graph: Graph, *, device: str = "auto") -> Result:
    """Triadic census: how many sets of three vertices are connected in each of 16 ways.

    The names are those of Davis and Leinhardt: "021C" has 0 pairs with edges in both directions, 2 with one edge and 1
    without. The letter (Down, Up, Cycle, Transitive) tells apart what these numbers do not.

    Parameters
    ----------
    graph
        Edges of an undirected graph count in both directions. Self-loops, duplicate edges and weights are ignored.
    device
        "auto", "cpu" or "cuda".

    Returns
    -------
    Result
        ``census``: a dict from the 16 names to counts. Each count is also a fact: ``result.facts["021C"]``.

    Notes
    -----
    All threads list the triangles, as in ``clew.triangles``. The other triads follow from the degrees. Time O(m·√m).
    Memory: 20 bytes per vertex, one per vertex and thread, and up to 20 per edge. On a GPU: 40 bytes per vertex, and up
    to 26 per edge.

    Examples
    --------
    >>> import clew
    >>> census = clew.triadic_census(clew.Graph.from_edges([0, 1, 2, 2], [1, 2, 0, 3])).census
    >>> {name: count for name, count in census.items() if count}
    {'012': 1, '021D': 1, '021C': 1, '030C': 1}
    """
    return run("triadic_census", graph, device)


def counted(closed: Array, wedges: Array, ones: int, twos: int, num_vertices: int) -> Answer:
    """The answer, from triangles by code, pairs of neighbours of a vertex by kind, and pairs with one or two edges.

    A pair of neighbours is an open triad unless it is a corner of a triangle. The numbers of triads with one connected
    pair, and with none, follow from those of all pairs and of all triads.
    """
    census, n = dict.fromkeys(TYPES, 0), num_vertices
    turned = (0, 2, 1, 3)
    for code, count in enumerate(closed.tolist()):
        first, second, third = code % 4, code // 4 % 4, code // 16
        if count:
            census[TYPES[CODES[code]]] += count
            for corner in ((first, second), (turned[first], third), (turned[second], turned[third])):
                wedges[min(corner), max(corner)] -= count
    for one in (1, 2, 3):
        for other in range(one, 4):
            census[TYPES[CODES[one + 4 * other]]] += int(wedges[one, other])
    others = list(census.items())
    for name, place, count in (("012", 1, ones), ("102", 0, twos)):
        census[name] = count * max(n - 2, 0) - sum(int(kind[place]) * number for kind, number in others)
    census["003"] = n * (n - 1) * (n - 2) // 6 - sum(census.values())
    return Answer({}, {"census": census, **census})
