"""Colouring on the CPU: the order of the vertices, and memory for the kernels."""

from __future__ import annotations

from math import isqrt

import numpy as np

from clew import threads
from clew.algorithms.coloring import summary
from clew.algorithms.registry import Answer
from clew.dtypes import Array, as_bits
from clew.engines.cpu import team
from clew.generate.streams import stream
from clew.graph import Graph
from clew.result import Trace
from clew.tracing import seconds_between

TRACED_ROUNDS = 1 << 16


def coloring(graph: Graph, method: str, order: str, seed: int) -> Answer:
    """By rounds, or one vertex after the other in an order."""
    return color_by_rounds(graph, seed) if method == "rounds" else color_in_order(graph, order, seed)


def color_in_order(graph: Graph, order: str, seed: int) -> Answer:
    """Every vertex gets the smallest colour that no neighbour before it has."""
    from clew.algorithms.coloring import kernels

    n = graph.num_vertices
    out, into = both_ways(graph)
    degrees = _degrees(graph)
    largest = int(degrees.max(initial=0))
    if order == "smallest_last":
        vertices = np.empty(n, dtype=out[1].dtype)
        kernels.smallest_last(out, into, as_bits(degrees), np.uint64(largest), vertices)
    else:
        top = largest if order == "largest_first" else 0
        vertices = _sorted_by_priority(graph, out, into, top, stream(seed, "coloring"))
    label = np.empty(n, dtype=np.uint64)
    label[vertices] = np.arange(n, dtype=np.uint64) << kernels.COLOR_BITS
    # k colours need vertices of degree k-1 and k(k-1)/2 edges.
    limit = min(largest, isqrt(2 * graph.num_arcs) + 2) + 2
    team.run(kernels.in_order, graph.num_arcs, out, into, vertices, label, limit)
    return summary(((label & kernels.COLOR_MASK) - np.uint64(1)).astype(np.int32))


def color_by_rounds(graph: Graph, seed: int) -> Answer:
    """Every round colours those whose random value is the largest, or the smallest, among what is left around them."""
    from clew.algorithms.coloring import kernels

    n = graph.num_vertices
    out, into = both_ways(graph)
    color = np.full(n, kernels.NO_COLOR, dtype=np.int32)
    above, below = (np.zeros(n, dtype=np.uint32) for _ in range(2))
    queue = np.empty(n, dtype=out[1].dtype)
    colored = np.zeros(min(n, TRACED_ROUNDS), dtype=np.int64)
    key = stream(seed, "coloring")
    begun = np.zeros(colored.size + 1, dtype=np.int64)
    rounds = team.run(kernels.by_rounds, graph.num_arcs, key, out, into, above, below, color, queue, colored, begun)
    told = {"colored": colored[:rounds], "seconds": seconds_between(begun[: rounds + 1])}
    return summary(color, int(rounds), Trace(told))


def both_ways(graph: Graph) -> tuple[tuple[Array, Array], tuple[Array, Array] | None]:
    """The rows in which a vertex finds all its neighbours: the out-edges, and where they go one way the in-edges."""
    return graph.outgoing.unsigned(), graph.incoming.unsigned() if graph.directed else None


def _degrees(graph: Graph) -> Array:
    """Edges at every vertex, in either direction."""
    return graph.degrees() + graph.degrees("in") if graph.directed else graph.degrees()


def _sorted_by_priority(
    graph: Graph, out: tuple[Array, Array], into: tuple[Array, Array] | None, top: int, key: np.uint64
) -> Array:
    """Vertices by degree, where ``top`` is the largest of them, then at random."""
    from clew.algorithms.coloring import kernels

    n = graph.num_vertices
    id_bits = max(1, n - 1).bit_length()
    words = np.empty(n, dtype=np.uint64)
    parts = threads.pieces(n)
    threads.each(kernels.priorities, parts, parts, key, out, into, np.uint64(top), np.uint64(id_bits), words)
    words.sort()
    return (words & np.uint64((1 << id_bits) - 1)).astype(out[1].dtype)
