"""The graph in one paragraph, its main numbers, and all its facts."""

from __future__ import annotations

import numpy as np

from clew import describe
from clew.checks import counted
from clew.reporting import words
from clew.reporting.content import Facts, Section, Tiles
from clew.reporting.study import Study

LONGEST_REMARK = 300  # characters of what a file says about itself


def overview(study: Study) -> Section:
    """The summary of the graph."""
    with study.step("Facts"):
        description = study.graph.describe()
    known = [
        (what, value) for what, value in describe.facts(description) if what not in ("vertices", "edges", "memory")
    ]
    facts = [*known, *study.origin]
    facts += _remarks(study, {what for what, _ in facts})
    return Section("overview", "Overview", _summary(study), [Tiles(_tiles(study, description.bytes)), Facts(facts)])


def _summary(study: Study) -> str:
    graph = study.graph
    kind = "A directed graph" if graph.directed else "An undirected graph"
    vertices = counted(graph.num_vertices, "vertex")
    if not graph.num_vertices:
        return f"{kind} with no vertices and no edges."
    text = f"{kind} of {vertices} and {counted(graph.num_edges, 'edge')}."
    if not graph.num_arcs:
        return text
    degrees = study.out_degrees
    half = counted(int(np.median(degrees)), "out-edge" if graph.directed else "edge")
    text += (
        f" Half of the vertices have {half} or fewer; the one with the most,"
        f" {study.called(int(degrees.argmax()))}, has {degrees.max():,}."
    )
    share = study.weak_sizes[0] / graph.num_vertices
    if study.weak_sizes.size == 1:
        text += " They form a single connected component."
    else:
        text += f" Its largest component holds {words.percent(share)} of the vertices."
    depth = study.search.depth
    text += (
        f" From {study.called(study.hub)}, {words.percent(study.search.num_reached / graph.num_vertices)} of the"
        f" vertices can be reached, in {counted(int(depth.max()), 'step')} or fewer."
    )
    return text


def _tiles(study: Study, size: int) -> list[tuple[str, str, str]]:
    graph = study.graph
    direction = "directed" if graph.directed else "undirected"
    weights = "unweighted" if graph.weights is None else f"{graph.weights.dtype} weights"
    tiles = [
        (f"{graph.num_vertices:,}", "vertices", "named" if graph.names is not None else "numbered"),
        (f"{graph.num_edges:,}", "edges", f"{direction}, {weights}"),
    ]
    if graph.num_vertices:
        mean = graph.num_arcs / graph.num_vertices
        largest = study.weak_sizes[0] / graph.num_vertices
        tiles += [
            (words.number(round(mean, 2)), "edges per vertex", f"at most {int(study.out_degrees.max()):,}"),
            (
                f"{study.weak_sizes.size:,}",
                "component" if study.weak_sizes.size == 1 else "components",
                f"{words.percent(largest)} in the largest",
            ),
        ]
    if graph.num_arcs:
        farthest = int(study.search.depth.max())
        tiles.append((f"{farthest:,}", "steps to the farthest vertex", f"from {study.called(study.hub)}"))
    tiles.append((words.octets(size), "in memory", f"{graph.indices.dtype} ids"))
    return tiles


def _remarks(study: Study, taken: set[str]) -> list[tuple[str, str]]:
    """What the graph's file says about it, as far as that is text or a number."""
    text = {str(key): value for key, value in study.graph.metadata.items() if isinstance(value, str | int | float)}
    return [
        (f"about {key}" if key in taken else key, str(value)[:LONGEST_REMARK])
        for key, value in text.items()
        if key != "title"
    ]
