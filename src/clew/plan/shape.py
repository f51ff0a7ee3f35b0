"""What can be told of a graph at a glance: its degrees, and how fast a search spreads in it.

A search from one vertex is begun, until it has seen a few thousand vertices. In a social or random graph it gets there
in a few levels, each many times larger than the one before; in a grid or a road network it takes dozens, and the number
of vertices seen grows like a power of the number of levels. From that the number of levels of a whole search follows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from clew.adjacency import Adjacency
from clew.dtypes import Array
from clew.engines.cpu.team import FAR, NEAR, is_scattered
from clew.graph import Graph
from clew.plan.span import Span

SEEN = 4096  # vertices after which a glance ends
EDGES = 1 << 18  # and it looks at no more edges of a level
FAST = 4.0  # a power of the levels: what spreads faster is a small world


@dataclass(frozen=True)
class Shape:
    """What is known of a graph without computing anything on it.

    ``reached`` is the share of the vertices that a search from where the glance began may reach: known where it came to
    an end, else taken for all. ``expanding`` says that few levels reach everything.
    """

    mean_degree: float
    largest_degree: int
    levels: Span
    reached: float
    expanding: bool


def shape_of(graph: Graph, start: int | None = None) -> Shape:
    """The shape as seen from ``start``, or from the vertex with most edges."""
    n = graph.num_vertices
    if n == 0:
        return Shape(0.0, 0, Span.exactly(0), 0.0, True)
    degrees = graph.degrees()
    begin = int(degrees.argmax()) if start is None else start
    seen, ended = _glance(graph.outgoing, begin)
    levels, power = _levels(seen, n)
    if ended:
        levels = Span.exactly(len(seen))
    return Shape(
        graph.num_arcs / n,
        int(degrees.max()),
        levels,
        seen[-1] / n if ended else 1.0,
        power >= FAST or (ended and len(seen) <= math.log2(n) + 2),
    )


def spread_of(rows: Adjacency, itemsize: int) -> float:
    """Over how many bytes the values at neighbours are spread, as the caches see it."""
    size = float(rows.num_vertices * itemsize)
    if not rows.num_arcs or size <= NEAR:
        return size
    # The engine's own test, of which nothing but the size of the values matters, and which looks only at large ones.
    count = max(rows.num_vertices, FAR // itemsize + 1)
    values = np.broadcast_to(np.zeros(1, dtype=f"V{itemsize}"), count)
    return size if is_scattered(rows, values) else float(NEAR)


def _glance(rows: Adjacency, start: int) -> tuple[list[int], bool]:
    """How many vertices had been seen after each level, and whether there are no more."""
    known = np.zeros(rows.num_vertices, dtype=np.bool_)
    frontier = np.array([start])
    known[start] = True
    seen = [1]
    while seen[-1] < SEEN:
        found = np.unique(_neighbours(rows, frontier))
        frontier = found[~known[found]]
        if frontier.size == 0:
            return seen, True
        known[frontier] = True
        seen.append(seen[-1] + frontier.size)
    return seen, seen[-1] == rows.num_vertices


def _neighbours(rows: Adjacency, vertices: Array) -> Array:
    """The ends of all edges of some vertices; of very many edges, those of the first vertices."""
    starts, counts = rows.indptr[vertices], rows.indptr[vertices + 1] - rows.indptr[vertices]
    few = max(1, int(np.searchsorted(np.cumsum(counts), EDGES)))
    starts, counts = starts[:few], counts[:few]
    before = np.cumsum(counts) - counts
    places = np.arange(int(counts.sum())) + np.repeat(starts - before, counts)
    found: Array = rows.indices[places]
    return found


def _levels(seen: list[int], n: int) -> tuple[Span, float]:
    """How many levels a whole search may have, and the power by which the vertices seen grow with the levels."""
    depth, total = len(seen) - 1, seen[-1]
    if depth < 6:  # too few to fit a power: dozens of vertices a level
        power = math.inf
    else:
        power = math.log(total / seen[depth // 2]) / math.log(depth / (depth // 2))
    if power >= FAST:
        likely = depth * math.log(max(n, 2)) / math.log(max(total, 2)) + 3
        return Span(max(1.0, likely / 2), likely, likely * 4), power
    likely = depth * max(1.0, n / total) ** (1 / max(power, 1.0))
    return Span(likely / 2, likely, likely * 2), power
