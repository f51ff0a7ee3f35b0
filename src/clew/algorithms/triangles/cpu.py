"""Triangles on the CPU: the lists that the kernels count on."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from clew import threads
from clew.algorithms.registry import Answer
from clew.build.rows import blocks_of
from clew.dtypes import Array, as_bits
from clew.engines.cpu import team
from clew.graph import Graph

SHORT = 5  # neighbours that a neighbour has on average; up to here, sorting the vertices by degree does not pay


class Lists(NamedTuple):
    """The list of v is items[start[v]:stop[v]]; ``times`` may say how often each item counts."""

    start: Array
    stop: Array
    items: Array
    times: Array | None = None

    def frozen(self) -> Lists:
        """The same, read-only as the arrays of a graph are: kernels are then compiled for one kind of lists."""
        for array in self:
            if array is not None:
                array.flags.writeable = False
        return self


class Ranked(NamedTuple):
    """By rank, every vertex's neighbours that come before it, and the rank of every vertex by falling degree."""

    lists: Lists
    rank: Array

    @property
    def hubs(self) -> np.uint64:
        """How many vertices at the beginning are worth a counter in every thread."""
        from clew.algorithms.triangles import kernels

        return np.uint64(min(kernels.HUBS, self.rank.size))

    def by_vertex(self, counts: Array) -> Array:
        """Unsigned counts by rank, as signed ones by vertex."""
        return counts[self.rank].view(np.int64)


def triangles(graph: Graph, per_vertex: bool) -> Answer:
    """The number of triangles and, unless the total will do, how many every vertex is in."""
    if not per_vertex:
        return Answer({}, {"total": total(graph)})
    counts = count(graph)
    return Answer({"count": counts}, {"total": int(counts.sum()) // 3})


def total(graph: Graph) -> int:
    """The number of triangles."""
    from clew.algorithms.triangles import kernels

    if rows_are_short(graph):
        return int(team.run(kernels.in_place, graph.num_arcs, *graph.outgoing.unsigned(), None, **shown(graph)))
    near = neighbours(graph)._replace(times=None)
    return int(team.run(kernels.total, graph.num_arcs, *ranked(graph, near).lists[:3], **shown(graph)))


def shown(graph: Graph) -> dict[str, Any]:
    """What ``team.run`` shows of kernels that take vertices one after the other."""
    from clew.algorithms.triangles import kernels
    from clew.engines.cpu.kernels_team import counter

    def watch(state: Array) -> tuple[float, float | None]:
        return min(int(state[int(counter(kernels.TAKEN))]), graph.num_vertices), graph.num_vertices

    return {"shown": "counting triangles", "unit": "vertices", "watch": watch}


def rows_are_short(graph: Graph) -> bool:
    """Whether to merge rows as they are; a directed graph's would have to be made undirected first."""
    from clew.algorithms.triangles import kernels

    if graph.directed:
        return False
    bounds = blocks_of(graph.outgoing)
    work = threads.each(kernels.sum_of_squares, bounds.size - 1, bounds, as_bits(graph.indptr))
    return bool(sum(work) <= SHORT * graph.num_arcs)


def count(graph: Graph) -> Array:
    """How many triangles every vertex is in."""
    from clew.algorithms.triangles import kernels

    counts = np.zeros(graph.num_vertices, dtype=np.uint64)
    if rows_are_short(graph):
        team.run(kernels.in_place, graph.num_arcs, *graph.outgoing.unsigned(), counts, **shown(graph))
        return counts.view(np.int64)
    order = ranked(graph, neighbours(graph)._replace(times=None))
    team.run(kernels.count, graph.num_arcs, *order.lists[:3], order.hubs, counts, **shown(graph))
    return order.by_vertex(counts)


def neighbours(graph: Graph) -> Lists:
    """The neighbours of every vertex, in ascending order.

    Of an undirected graph these are the rows as they are; of a directed graph, what is in the row of a vertex or has it
    in its own row: once each, without the vertex itself, and with the number of directions.
    """
    indptr, indices = graph.outgoing.unsigned()
    if not graph.directed:
        return Lists(indptr[:-1], indptr[1:], indices)
    from clew.algorithms.clustering_coefficient import kernels

    start, stop = (np.empty(graph.num_vertices, dtype=np.uint64) for _ in range(2))
    items = np.empty(2 * graph.num_arcs, dtype=indices.dtype)
    times = np.empty(items.size, dtype=np.uint8)
    bounds = blocks_of(graph.outgoing)
    out, into = graph.outgoing.unsigned(), graph.incoming.unsigned()
    threads.each(kernels.both_directions, bounds.size - 1, bounds, out, into, start, stop, items, times)
    return Lists(start, stop, items, times).frozen()


def ranked(graph: Graph, near: Lists) -> Ranked:
    """The vertices by falling degree, and those of their neighbours that come before them."""
    from clew.algorithms.triangles import kernels

    rank = np.empty(graph.num_vertices, dtype=near.items.dtype)
    kernels.ranks(near.start, near.stop, rank)
    start, stop = (np.empty(graph.num_vertices, dtype=np.uint64) for _ in range(2))
    items = np.empty_like(near.items)
    times = None if near.times is None else np.empty_like(near.times)
    bounds = blocks_of(graph.outgoing)
    threads.each(kernels.lists_by_rank, bounds.size - 1, bounds, *near, rank, start, stop, items, times)
    return Ranked(Lists(start, stop, items, times).frozen(), rank)
