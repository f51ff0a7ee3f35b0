"""The most important vertices, by PageRank."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.checks import counted
from clew.reporting import words
from clew.reporting.content import Column, Section, Table
from clew.reporting.figures import spread
from clew.reporting.study import Study

TOP = 20


def ranking(study: Study) -> Section:
    """The top vertices with their degrees, and the distribution of ranks."""
    graph = study.graph
    if not graph.num_vertices:
        return Section("ranking", "PageRank", "There are no vertices to rank.")
    result = study.ranks
    rank = result.rank
    top = np.argsort(-rank, kind="stable")[:TOP].tolist()
    few = graph.num_vertices // 100
    share = f". The top 1% of the vertices get {words.percent(float(np.sort(rank)[-few:].sum()))} of the visits"
    alone = len(top) > 1 and rank[top[0]] > rank[top[1]]
    lead = (
        f"A random surfer, who follows edges and sometimes jumps to any vertex, is at {study.called(top[0])} "
        f"{words.percent(float(rank[top[0]]))} of the time{', more than anywhere else' if alone else ''}"
        f"{share if few else ''}. PageRank took {counted(result.iterations, 'iteration')}"
        f"{'' if result.converged else ' and did not converge'}."
    )
    degrees = [study.out_degrees, study.in_degrees] if graph.directed else [study.out_degrees]
    titles = ("Out-degree", "In-degree") if graph.directed else ("Degree",)
    rows: list[list[Any]] = [
        [place, words.name(graph.name(vertex)), float(rank[vertex]), *(int(found[vertex]) for found in degrees)]
        for place, vertex in enumerate(top, 1)
    ]
    columns = [Column("#", words.whole), Column("Vertex", name=True), Column("PageRank", words.percent, bar=True)]
    columns += [Column(title, words.whole) for title in titles]
    table = Table(f"{counted(len(rows), 'vertex')} with the highest PageRank", columns, rows)
    with study.step("Rank distribution"):
        figure = spread("ranks", "Distribution of PageRank", "rank", rank)
    return Section("ranking", "PageRank", lead, [table, figure])
