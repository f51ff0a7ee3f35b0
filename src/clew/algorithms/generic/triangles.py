"""Triangles: paths of two edges whose ends are neighbours."""

from __future__ import annotations

from clew.algorithms.generic.steps import simple
from clew.algorithms.generic.waist import elementwise, reduce_segments, spgemm
from clew.graph import Graph
from clew.operators import semirings
from clew.result import Result


def triangles(graph: Graph, *, device: str = "auto") -> Result:
    """How many triangles every vertex is in; see ``clew.triangles``."""
    links = simple(graph, directed=False)
    # C = A A where A has an entry; a row of C counts each of the vertex's triangles twice, once for either way round.
    paths = spgemm(links, links, semirings.plus_pair, mask=links, device=device)
    count = elementwise(lambda paths, two: paths // two, reduce_segments(paths, device=device), 2, device=device)
    facts = {"total": int(count.sum()) // 3}
    return Result("triangles", {"count": count}, names=graph.names, facts=facts)
