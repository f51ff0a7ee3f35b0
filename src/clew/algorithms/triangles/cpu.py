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
from clew.workspace import Workspace, result, scratch

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
        return as_signed(counts[self.rank])


def workspace(
    graph: Graph, per_vertex: bool, *, times: bool = False, short: bool | None = None
) -> Workspace:  # fmt: skip
    """The arrays of a count. ``times``: how often items of lists count; ``short``: what ``rows_are_short`` says."""
    n, ids = graph.num_vertices, f"u{graph.indices.itemsize}"
    if rows_are_short(graph) if short is None else short:
        return Workspace(count=result(n, np.uint64, 0) if per_vertex else None)
    both, size = graph.directed, graph.num_arcs * (2 if graph.directed else 1)
    return Workspace(
        count=result(n, np.uint64, later=True) if per_vertex else None,
        count_by_rank=scratch(n, np.uint64, 0) if per_vertex else None,
        near_start=scratch(n, np.uint64) if both else None,
        near_stop=scratch(n, np.uint64) if both else None,
        near_items=scratch(size, ids) if both else None,
        near_times=scratch(size, np.uint8) if both else None,
        rank=scratch(n, ids),
        start=scratch(n, np.uint64),
        stop=scratch(n, np.uint64),
        items=scratch(size, ids),
        times=scratch(size, np.uint8) if both and times else None,
        marks=scratch((threads.count(), n), np.uint8, later=True),
    )


def triangles(graph: Graph, per_vertex: bool) -> Answer:
    """The number of triangles and, unless the total will do, how many every vertex is in."""
    if not per_vertex:
        return Answer({}, {"total": total(graph)})
    counts = count(graph)
    return Answer({"count": counts}, {"total": int(counts.sum()) // 3})


def total(graph: Graph) -> int:
    """The number of triangles."""
    from clew.algorithms.triangles import kernels

    short = rows_are_short(graph)
    work = workspace(graph, False, short=short).allocate()
    if short:
        return int(team.run(kernels.in_place, graph.num_arcs, *graph.outgoing.unsigned(), None, **shown(graph)))
    near = neighbours(graph, work)._replace(times=None)
    return int(team.run(kernels.total, graph.num_arcs, *ranked(graph, near, work).lists[:3], **shown(graph)))


def shown(graph: Graph) -> dict[str, Any]:
    """What ``team.run`` shows of kernels that take vertices one after the other."""
    from clew.algorithms.triangles import kernels
    from clew.engines.cpu.team.kernels import counter

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
    return count_within(graph, workspace(graph, True).allocate())


def count_within(graph: Graph, work: Any) -> Array:
    """The same, in the arrays of a ``workspace``: rows are merged as they are where it has no lists."""
    from clew.algorithms.triangles import kernels

    if work.count is not None:
        team.run(kernels.in_place, graph.num_arcs, *graph.outgoing.unsigned(), work.count, **shown(graph))
        return as_signed(work.count)
    order = ranked(graph, neighbours(graph, work)._replace(times=None), work)
    team.run(kernels.count, graph.num_arcs, *order.lists[:3], order.hubs, work.count_by_rank, **shown(graph))
    return order.by_vertex(work.count_by_rank)


def as_signed(counts: Array) -> Array:
    """Unsigned counts as int64, in the same memory."""
    return counts.view(np.int64)


def neighbours(graph: Graph, work: Any) -> Lists:
    """The neighbours of every vertex, in ascending order.

    Of an undirected graph these are the rows as they are; of a directed graph, what is in the row of a vertex or has it
    in its own row: once each, without the vertex itself, and with the number of directions.
    """
    indptr, indices = graph.outgoing.unsigned()
    if not graph.directed:
        return Lists(indptr[:-1], indptr[1:], indices)
    from clew.algorithms.clustering_coefficient import kernels

    lists = Lists(work.near_start, work.near_stop, work.near_items, work.near_times)
    bounds = blocks_of(graph.outgoing)
    out, into = graph.outgoing.unsigned(), graph.incoming.unsigned()
    threads.each(kernels.both_directions, bounds.size - 1, bounds, out, into, *lists)
    return lists.frozen()


def ranked(graph: Graph, near: Lists, work: Any) -> Ranked:
    """The vertices by falling degree, and those of their neighbours that come before them."""
    from clew.algorithms.triangles import kernels

    kernels.ranks(near.start, near.stop, work.rank)
    lists = Lists(work.start, work.stop, work.items, work.times)
    bounds = blocks_of(graph.outgoing)
    threads.each(kernels.lists_by_rank, bounds.size - 1, bounds, *near, work.rank, *lists)
    return Ranked(lists.frozen(), work.rank)
