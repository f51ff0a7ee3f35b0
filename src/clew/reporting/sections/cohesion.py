"""Cohesion: triangles, clustering and cores."""

from __future__ import annotations

from clew.checks import counted
from clew.reporting import words
from clew.reporting.content import EVERYTHING, Block, Facts, Section, Skipped
from clew.reporting.figures import spread
from clew.reporting.study import Study
from clew.result import Result

LARGEST_FOR_CORES = 1 << 26  # stored edges
LARGEST_FOR_TRIANGLES = 1 << 22  # 16 million edges of a skewed graph took 9 s on two cores


def cohesion(study: Study) -> Section:
    """Cores and triangles of the graph without directions."""
    title, graph = "Cohesion", study.graph
    if not graph.num_arcs:
        return Section("cohesion", title, "There are no edges, hence no triangles and no cores.")
    if study.too_large(LARGEST_FOR_CORES):
        why = f"the graph has {graph.num_arcs:,} stored edges, and more than {LARGEST_FOR_CORES:,} take long"
        return Section("cohesion", title, "", [Skipped("Cores and triangles", why, EVERYTHING)])
    cores = study.cores
    deepest = int((cores.core == cores.degeneracy).sum())
    lead = (
        f"The innermost core, where every vertex has {counted(cores.degeneracy, 'neighbour')} or more within the "
        f"core, has {counted(deepest, 'vertex')}."
    )
    blocks: list[Block] = []
    if study.too_large(LARGEST_FOR_TRIANGLES):
        why = f"counting them on {graph.num_arcs:,} stored edges (more than {LARGEST_FOR_TRIANGLES:,}) takes long"
        blocks.append(Skipped("Triangles", why, EVERYTHING))
    else:
        found = study.run("Triangles", "triangles", study.plain)
        clustering = study.run("Clustering", "clustering_coefficient", study.plain)
        blocks.append(Facts(_triangles(found, clustering)))
    with study.step("Core distribution"):
        blocks.append(spread("cores", "Vertices by core number", "core number", cores.core))
    return Section("cohesion", title, lead + " Edge directions are ignored here.", blocks)


def _triangles(found: Result, clustering: Result) -> list[tuple[str, str]]:
    inside = int((found.count > 0).sum())
    return [
        ("triangles", f"{found.total:,}"),
        ("vertices in one", f"{inside:,} ({words.percent(inside / len(found))})"),
        ("transitivity", f"{words.percent(clustering.transitivity)} of the pairs of neighbours are linked"),
        ("clustering", f"{clustering.average:.4f} on average over the vertices"),
    ]
