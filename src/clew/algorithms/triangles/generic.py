"""Triangles: paths of two edges whose ends are neighbours."""

from __future__ import annotations

from clew.algorithms.registry import Answer
from clew.algorithms.waist import Waist
from clew.graph import Graph
from clew.operators import semirings


def triangles(waist: Waist, graph: Graph, per_vertex: bool) -> Answer:
    """How many triangles every vertex is in; see ``clew.triangles``."""
    links = waist.simple(graph, directed=False)
    # C = A A where A has an entry; a row of C counts each of the vertex's triangles twice, once for either way round.
    paths = waist.spgemm(links, links, semirings.plus_pair, mask=links)
    count = waist.elementwise(lambda paths, two: paths // two, waist.reduce_segments(paths), 2)
    return Answer({"count": count} if per_vertex else {}, {"total": int(count.sum()) // 3})
