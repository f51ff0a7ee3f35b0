"""Checker of triangles: all of them, listed by looking up what closes each wedge."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from clew.algorithms.checking import arcs, named, require
from clew.graph import Graph
from clew.result import Result

Ids = npt.NDArray[np.int64]
WEDGES = 1 << 20  # looked up at a time


@named
def triangles(graph: Graph, result: Result) -> None:
    """Check ``total``, and ``count`` where it is there, against a list of all triangles."""
    expected = np.zeros(graph.num_vertices, dtype=np.int64)
    total = 0
    for triangle in listed(Pairs.of(graph)):
        total += triangle.corners[0].size
        for corner in triangle.corners:
            expected += np.bincount(corner, minlength=expected.size)
    require(result.total == total, f"there are {total:,} triangles")
    if "count" in result.values:
        require(result.count.size == expected.size, "there is an entry for every vertex")
        require(result.count == expected, "a vertex counts the triangles it is in")


class Pairs(NamedTuple):
    """The pairs of different vertices with an edge between them, each once; few of them start at any one vertex."""

    ends: Ids  # two columns; rows in ascending order of the first end's place in the order of degrees
    keys: Ids  # ascending
    place: Ids
    directions: Ids  # edges between the two, one for each direction; always 2 in an undirected graph

    @classmethod
    def of(cls, graph: Graph) -> Pairs:
        """The pairs of a graph."""
        n = graph.num_vertices
        source, target = arcs(graph)
        directed = np.unique((source * n + target)[source != target])
        source, target = directed // max(n, 1), directed % max(n, 1)
        degree = np.bincount(source, minlength=n) + np.bincount(target, minlength=n)
        place = np.empty(n, dtype=np.int64)
        place[np.argsort(degree, kind="stable")] = np.arange(n)
        first = np.where(place[source] < place[target], source, target)
        second = source + target - first
        keys, where, directions = np.unique(place[first] * n + place[second], return_index=True, return_counts=True)
        return cls(np.stack([first[where], second[where]], axis=1), keys, place, directions)


class _Triangles(NamedTuple):
    corners: tuple[Ids, Ids, Ids]
    opposite: tuple[Ids, Ids, Ids]  # the pair that is opposite to each corner, by its row


def listed(pairs: Pairs) -> Iterator[_Triangles]:
    """Every triangle once: u before v before w, from the pair u-v, each pair v-w and, if there is one, the pair u-w."""
    n = pairs.place.size
    starts = np.searchsorted(pairs.keys, np.arange(n + 1) * n)  # by place: where the pairs of a first end start
    middle = pairs.place[pairs.ends[:, 1]]
    wedges = np.concatenate([[0], np.cumsum(starts[middle + 1] - starts[middle])])
    begin = 0
    while begin < middle.size:
        end = max(begin + 1, int(np.searchsorted(wedges, wedges[begin] + WEDGES, side="right")) - 1)
        lengths = np.diff(wedges[begin : end + 1])
        one = np.repeat(np.arange(begin, end), lengths)
        two = np.arange(one.size) - np.repeat(wedges[begin:end] - wedges[begin], lengths) + starts[middle[one]]
        u, v, w = pairs.ends[one, 0], pairs.ends[one, 1], pairs.ends[two, 1]
        closing = pairs.place[u] * n + pairs.place[w]
        three = np.minimum(np.searchsorted(pairs.keys, closing), pairs.keys.size - 1)
        closed: Any = pairs.keys[three] == closing
        yield _Triangles((u[closed], v[closed], w[closed]), (two[closed], three[closed], one[closed]))
        begin = end
