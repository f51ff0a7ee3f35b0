"""The graph itself, drawn."""

from __future__ import annotations

import numpy as np

from clew import plots
from clew.dtypes import Array
from clew.reporting import words
from clew.reporting.content import EVERYTHING, Column, Section, Skipped, Table
from clew.reporting.figures import plot
from clew.reporting.sections.cohesion import LARGEST_FOR_CORES
from clew.reporting.study import Study

LARGEST = 1 << 25  # edges, in both directions; above it placing the vertices takes minutes
LANDMARKS = 12


def picture(study: Study) -> Section:
    """Vertices where their edges pull them, coloured by core number."""
    graph = study.graph
    if not graph.num_vertices:
        return Section("picture", "Picture", "There is nothing to draw: the graph has no vertices.")
    most = LARGEST // 2 if graph.directed else LARGEST
    if study.too_large(most):
        why = (
            f"the layout of a graph with more than {most:,} stored edges takes minutes, "
            f"and this one has {graph.num_arcs:,}"
        )
        return Section("picture", "Picture", "", [Skipped("The picture", why, EVERYTHING)])
    with study.step("Layout of the picture"):
        places = plots.layout(graph)
    cores = None if study.too_large(LARGEST_FOR_CORES) or not graph.num_arcs else study.cores
    with study.step("Picture"):
        figure = plot(
            "picture",
            "The graph, drawn by its edges",
            lambda dark: plots.picture(graph, cores, places=places, dark=dark),
            _landmarks(study, places),
        )
    lead = (
        "Edges pull like springs and vertices repel each other, so densely connected vertices end up close "
        "together. Distances in the picture suggest structure; they are not graph distances."
        f"{' The colour is the core number of a vertex.' if cores is not None else ''}"
    )
    return Section("picture", "Picture", lead, [figure])


def _landmarks(study: Study, places: Array) -> Table:
    """Where the vertices with the most edges are, as percentages of the width and the height."""
    degrees = study.out_degrees + study.in_degrees if study.graph.directed else study.out_degrees
    chosen = np.argsort(-degrees, kind="stable")[:LANDMARKS]
    low = places.min(axis=0)
    size = np.maximum(places.max(axis=0) - low, np.finfo(np.float32).tiny)
    rows = [
        [words.name(study.graph.name(vertex)), int(degrees[vertex]), *((places[vertex] - low) / size).tolist()]
        for vertex in chosen.tolist()
    ]
    columns = [
        Column("Vertex", name=True),
        Column("Edges", words.whole),
        Column("From the left", words.percent),
        Column("From the bottom", words.percent),
    ]
    return Table("Where the vertices with the most edges are drawn", columns, rows)
