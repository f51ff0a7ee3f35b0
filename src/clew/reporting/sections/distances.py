"""Distances from a hub, and to a hub."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew import plots
from clew.checks import counted
from clew.reporting import words
from clew.reporting.content import Column, Plot, Section, Table
from clew.reporting.figures import plot
from clew.reporting.study import Study
from clew.result import Result

MOST_ROWS = 60


def distances(study: Study) -> Section:
    """Breadth-first levels along the edges, and against them where they have a direction."""
    graph = study.graph
    if not graph.num_arcs:
        return Section("distances", "Distances", "There are no edges, so no vertex can reach another.")
    hub, goal = study.called(study.hub), study.called(study.goal)
    lead = _sentence(f"From {hub}", study.search, graph.num_vertices)
    figures = [_profile(study, "distances", f"Steps from {hub}", study.search)]
    if graph.directed:
        lead += " " + _sentence(f"Backwards from {goal}", study.search_back, graph.num_vertices)
        figures.append(_profile(study, "distances-back", f"Steps to {goal}", study.search_back))
    return Section("distances", "Distances", lead, figures)


def _sentence(where: str, result: Result, vertices: int) -> str:
    depth = result.depth[result.depth >= 0]
    return (
        f"{where}, {counted(depth.size, 'vertex is', 'vertices are')} reachable "
        f"({words.percent(depth.size / vertices)}):"
        f" the farthest in {counted(int(depth.max()), 'step')}, {words.number(float(depth.mean()))} on average."
    )


def _profile(study: Study, key: str, title: str, result: Result) -> Plot:
    depth = result.depth
    counts = np.bincount(depth[depth >= 0])
    rows: list[list[Any]] = [
        [step, here, so_far, so_far / depth.size]
        for step, (here, so_far) in enumerate(zip(counts.tolist(), np.cumsum(counts).tolist(), strict=True))
    ]
    caption = title
    if len(rows) > MOST_ROWS:
        stride = -(-len(rows) // MOST_ROWS)
        caption += f": every {stride}th of {len(rows):,} steps, and the last"
        rows = [*rows[:-1:stride], rows[-1]]
    columns = [
        Column("Steps", words.whole),
        Column("Vertices", words.whole),
        Column("Within", words.whole),
        Column("of all", words.percent),
    ]
    with study.step("Distance profile"):
        return plot(key, title, lambda dark: plots.distances(depth, dark=dark), Table(caption, columns, rows))
