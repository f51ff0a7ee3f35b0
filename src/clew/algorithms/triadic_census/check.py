"""Checker of triadic censuses: from a list of all triangles, and from pairs of neighbours of every vertex."""

from __future__ import annotations

from itertools import permutations

import numpy as np

from clew.algorithms.checking import arcs, named, require
from clew.algorithms.triangles.check import Pairs, listed
from clew.graph import Graph
from clew.result import Result

#: An example of each type on vertices 0, 1 and 2, from the drawings of Davis and Leinhardt.
DRAWN = {
    "021D": "10 12", "021U": "01 21", "021C": "01 12", "111D": "02 20 12", "111U": "02 20 21", "201": "02 20 12 21",
    "030T": "01 21 02", "030C": "10 21 02", "120D": "10 12 02 20", "120U": "01 21 02 20", "120C": "01 12 02 20",
    "210": "01 12 21 02 20", "300": "01 10 12 21 02 20",
}  # fmt: skip


@named
def triadic_census(graph: Graph, result: Result) -> None:
    """Count closed triads from triangles, open ones from pairs of neighbours, and the others from the pairs left."""
    n, expected = graph.num_vertices, dict.fromkeys(["003", "012", "102", *DRAWN], 0)
    names = _names()
    u, v = arcs(graph)
    keys = np.unique((u * n + v)[u != v])
    pairs = Pairs.of(graph)

    def between(one: np.ndarray, other: np.ndarray) -> np.ndarray:
        """1 where an edge leads from one to the other, 2 where one leads back, 3 where both do."""
        there, back = (np.isin(a.astype(np.int64) * n + b, keys) for a, b in ((one, other), (other, one)))
        return np.asarray(there + 2 * back)

    first, second = pairs.ends.T
    side = between(first, second)
    near = np.zeros((n, 4), dtype=np.int64)  # neighbours of every vertex by kind
    np.add.at(near, (first, side), 1)
    np.add.at(near, (second, np.array([0, 2, 1, 3])[side]), 1)
    wedges = np.zeros((4, 4), dtype=np.int64)  # pairs of neighbours of one vertex, by kind
    for one in (1, 2, 3):
        wedges[one, one] = (near[:, one] * (near[:, one] - 1) // 2).sum()
        for other in range(one + 1, 4):
            wedges[one, other] = (near[:, one] * near[:, other]).sum()
    for triangle in listed(pairs):
        a, b, c = triangle.corners
        codes = np.bincount(between(a, b) + 4 * between(a, c) + 16 * between(b, c), minlength=64)
        for code in np.flatnonzero(codes).tolist():
            expected[names[code]] += int(codes[code])
        for corner, left, right in ((a, b, c), (b, a, c), (c, a, b)):  # no open triads
            kinds = np.sort([between(corner, left), between(corner, right)], axis=0)
            np.subtract.at(wedges, tuple(kinds), 1)
    for one, other in zip(*np.nonzero(wedges), strict=True):
        expected[names[int(one + 4 * other)]] += int(wedges[one, other])
    for name, mutual in (("012", 0), ("102", 1)):
        touched = sum(int(kind[1 - mutual]) * count for kind, count in expected.items() if kind not in ("012", "102"))
        expected[name] = int((side == 3).sum() if mutual else (side != 3).sum()) * max(n - 2, 0) - touched
    expected["003"] = n * (n - 1) * (n - 2) // 6 - sum(expected.values())
    for name, count in expected.items():
        require(result.census[name] == count, f"there are {count:,} triads of type {name}")


def _names() -> dict[int, str]:
    """The type of every code of three vertices with two or three connected pairs."""
    names = {}
    for name, drawn in DRAWN.items():
        for order in permutations(range(3)):
            edges = {(order[int(edge[0])], order[int(edge[1])]) for edge in drawn.split()}
            code = 0
            for place, (one, other) in enumerate(((0, 1), (0, 2), (1, 2))):
                code += 4**place * (((one, other) in edges) + 2 * ((other, one) in edges))
            names[code] = name
    return names
