"""Colouring on the CPU: the order of the vertices, and memory for the kernels."""

from __future__ import annotations

from math import isqrt
from typing import Any

import numpy as np

from clew import threads
from clew.algorithms.coloring import kernels, summary
from clew.algorithms.registry import Answer
from clew.dtypes import Array, as_bits
from clew.engines.cpu import team
from clew.generate.arguments import stream
from clew.graph import Graph
from clew.result import TRACED_ROUNDS, seconds_between
from clew.workspace import Workspace, result, scratch


def workspace(graph: Graph, method: str, order: str) -> Workspace:
    """The arrays of a run."""
    n, ids = graph.num_vertices, f"u{graph.outgoing.id_dtype.itemsize}"
    if method == "rounds":
        traced = min(n, TRACED_ROUNDS)
        return Workspace(
            color=result(n, np.int32, kernels.NO_COLOR),
            above=scratch(n, np.uint32, 0),
            below=scratch(n, np.uint32, 0),
            queue=scratch(n, ids),
            colored=scratch(traced, np.int64, 0),
            begun=scratch(traced + 1, np.int64, 0),
        )
    peeled = order == "smallest_last"
    return Workspace(
        color=result(n, np.int32, later=True),
        label=scratch(n, np.uint64),
        vertices=scratch(n, ids),
        words=None if peeled else scratch(n, np.uint64),
        place=scratch(n, np.uint64, later=True) if peeled else None,
        sorted_by_degree=scratch(n, ids, later=True) if peeled else None,
    )


def coloring(graph: Graph, method: str, order: str, seed: int) -> Answer:
    """By rounds, or one vertex after the other in an order."""
    return color_by_rounds(graph, seed) if method == "rounds" else color_in_order(graph, order, seed)


def color_in_order(graph: Graph, order: str, seed: int) -> Answer:
    """Every vertex gets the smallest colour that no neighbour before it has."""
    work = workspace(graph, "in_order", order).allocate()
    label, vertices = work.label, work.vertices
    out, into = team.symmetric_rows(graph)
    degrees = team.total_degrees(graph)
    largest = int(degrees.max(initial=0))
    if order == "smallest_last":
        kernels.smallest_last(out, into, as_bits(degrees), np.uint64(largest), vertices)
    else:
        top = largest if order == "largest_first" else 0
        _sort_by_priority(out, into, top, stream(seed, "coloring"), work.words, vertices)
    label[vertices] = np.arange(label.size, dtype=np.uint64) << kernels.COLOR_BITS
    # k colours need vertices of degree k-1 and k(k-1)/2 edges.
    limit = min(largest, isqrt(2 * graph.num_arcs) + 2) + 2
    team.run(kernels.in_order, graph.num_arcs, out, into, vertices, label, limit)
    return summary(((label & kernels.COLOR_MASK) - np.uint64(1)).astype(np.int32))


def color_by_rounds(graph: Graph, seed: int) -> Answer:
    """Every round colours those whose random value is the largest, or the smallest, among what is left around them."""
    work = workspace(graph, "rounds", "").allocate()
    key, rows = stream(seed, "coloring"), team.symmetric_rows(graph)
    arrays = (work.above, work.below, work.color, work.queue, work.colored, work.begun)
    rounds = team.run(kernels.by_rounds, graph.num_arcs, key, *rows, *arrays)
    trace = {"colored": work.colored[:rounds], "seconds": seconds_between(work.begun[: rounds + 1])}
    return summary(work.color, int(rounds), trace)


def _sort_by_priority(
    out: tuple[Any, Any], into: tuple[Any, Any] | None, top: int, key: np.uint64, words: Array, vertices: Array
) -> None:
    """Set ``vertices`` by degree, where ``top`` is the largest of them, then at random."""
    n = vertices.size
    id_bits = max(1, n - 1).bit_length()
    parts = threads.pieces(n)
    threads.each(kernels.priorities, parts, parts, key, out, into, np.uint64(top), np.uint64(id_bits), words)
    words.sort()
    words &= np.uint64((1 << id_bits) - 1)
    vertices[:] = words
