"""Triangles on the CPU: the lists that the kernels count on."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from clew import threads
from clew.algorithms.registry import Answer
from clew.algorithms.triangles import kernels
from clew.build.rows import blocks_of
from clew.dtypes import Array, as_bits
from clew.engines.cpu import team
from clew.engines.cpu.team.kernels import FIRST_COUNTER, LINE
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


def workspace(
    graph: Graph, per_vertex: bool, *, times: bool = False, short: bool | None = None
) -> Workspace:  # fmt: skip
    """The arrays of a count. ``times``: how often items of lists count; ``short``: what ``rows_are_short`` says."""
    n, ids = graph.num_vertices, f"u{graph.outgoing.id_dtype.itemsize}"
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
    """The number of triangles and, with ``per_vertex``, how many every vertex is in."""
    short = rows_are_short(graph)
    work = workspace(graph, per_vertex, short=short).allocate()
    if per_vertex:
        counts = count_within(graph, neighbours(graph, work), work)
        return Answer({"count": counts}, {"total": int(counts.sum()) // 3})
    if short:
        total = team.run(kernels.in_place, graph.num_arcs, *graph.outgoing.plain().unsigned(), None, **shown(graph))
    else:
        lists = ranked(graph, neighbours(graph, work), work)
        total = team.run(kernels.total, graph.num_arcs, *lists[:3], **shown(graph))
    return Answer({}, {"total": int(total)})


def shown(graph: Graph) -> dict[str, Any]:
    """How ``team.run`` shows the progress of kernels that take vertices one after the other."""

    def watch(state: Array) -> tuple[float, float | None]:
        taken = int(state[(FIRST_COUNTER + kernels.TAKEN) * int(LINE)])
        return min(taken, graph.num_vertices), graph.num_vertices

    return {"shown": "counting triangles", "unit": "vertices", "watch": watch}


def rows_are_short(graph: Graph) -> bool:
    """Whether to merge rows as they are; a directed graph's would have to be made undirected first."""
    if graph.directed:
        return False
    bounds = blocks_of(graph.outgoing)
    work = threads.each(kernels.sum_of_squares, bounds.size - 1, bounds, as_bits(graph.indptr))
    return bool(sum(work) <= SHORT * graph.num_arcs)


def count_within(graph: Graph, near: Lists, work: Any) -> Array:
    """How many triangles every vertex is in; with ``work.times``, the directed edges among its neighbours.

    ``work`` has the arrays of ``workspace``. Rows are merged as they are where it has no lists.
    """
    counts: Array | None = work.count
    if counts is not None:
        team.run(kernels.in_place, graph.num_arcs, *graph.outgoing.plain().unsigned(), counts, **shown(graph))
    else:
        lists, hubs = ranked(graph, near, work), np.uint64(min(kernels.HUBS, graph.num_vertices))
        team.run(kernels.count, graph.num_arcs, *lists, hubs, work.count_by_rank, **shown(graph))
        counts = work.count_by_rank[work.rank]
    signed: Array = counts.view(np.int64)
    return signed


def neighbours(graph: Graph, work: Any) -> Lists:
    """The neighbours of every vertex, in ascending order.

    Of an undirected graph these are the rows as they are. In a directed graph, both out- and in-neighbours count, each
    once, without the vertex itself, and with the number of directions.
    """
    indptr, indices = graph.outgoing.plain().unsigned()
    if not graph.directed:
        return Lists(indptr[:-1], indptr[1:], indices)
    lists = Lists(work.near_start, work.near_stop, work.near_items, work.near_times)
    bounds = blocks_of(graph.outgoing)
    threads.each(
        kernels.both_directions, bounds.size - 1, bounds, (indptr, indices), graph.incoming.plain().unsigned(), *lists
    )
    return lists.frozen()


def ranked(graph: Graph, near: Lists, work: Any) -> Lists:
    """By rank, every vertex's neighbours that come before it; ``work.rank`` is set to the rank by falling degree."""
    kernels.ranks(near.start, near.stop, work.rank)
    lists = Lists(work.start, work.stop, work.items, work.times)
    if lists.times is None:
        near = near._replace(times=None)
    bounds = blocks_of(graph.outgoing)
    threads.each(kernels.lists_by_rank, bounds.size - 1, bounds, *near, work.rank, *lists)
    return lists.frozen()
