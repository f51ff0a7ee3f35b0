"""Betweenness on the CPU: dependencies of sources on vertices, summed up in the order of the sources."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from clew import build, threads
from clew.adjacency import Adjacency
from clew.algorithms.betweenness import kernels, lengths, summary
from clew.algorithms.registry import Answer
from clew.build.rows import blocks_of
from clew.dtypes import Array, as_bits
from clew.engines.base import check_available
from clew.engines.cpu import team
from clew.free_memory import available_bytes
from clew.graph import Graph
from clew.progress import over
from clew.workspace import Workspace, result, scratch

ENTRIES = 1 << 22  # dependencies that a round keeps: small graphs have many sources a round
# Levels with more paths than this are divided by it: a power of two, far from the ends of a float64's range. Neither
# the next level's sums nor shares of a vertex with as few as 1 / LARGE paths go beyond them.
LARGE = 2.0**900


def workspace(graph: Graph, num_sources: int, at_once: bool | None = None, weighted: bool = False) -> Workspace:
    """The arrays of the searches; threads that search on their own allocate theirs themselves.

    Rows without duplicates, where the graph has some, are not counted: only the run finds them.
    """
    if weighted:
        return Workspace(
            centrality=result(graph.num_vertices, np.float64, 0), **lengths.workspace(graph, num_sources).spaces
        )
    n, ids = graph.num_vertices, np.dtype(f"u{graph.outgoing.id_dtype.itemsize}")
    many = searches_run_at_once(graph, num_sources) if at_once is None else at_once
    members = min(threads.count(), num_sources) if many else 1
    in_round = in_a_round(graph, num_sources) if many else 1
    return Workspace(
        centrality=result(n, np.float64, 0),
        dependencies=scratch((in_round, n), np.float64),
        paths=scratch((members, n), np.float64, later=many),
        along=scratch((members, n), np.float64, later=many),
        queue=scratch((members, n), ids, later=many),
        levels=scratch((members, n + 1), ids, later=many),
        divided=scratch((members, n + 1), np.bool_, 0, later=many),
        seen=scratch((members, -(-n // 64)), np.uint64, later=many),
    )


def in_a_round(graph: Graph, num_sources: int) -> int:
    """How many sources' dependencies are kept until they are added, where searches run at once."""
    members = min(threads.count(), num_sources)
    return min(num_sources, max(members, ENTRIES // max(1, graph.num_vertices)))


def betweenness(graph: Graph, sources: Array, scale: Any, weighted: bool) -> Answer:
    """The dependencies on every vertex, scaled."""
    centrality = (weighted_dependencies if weighted else dependencies)(graph, sources)
    centrality *= scale
    return summary(graph, sources, centrality)


def dependencies(graph: Graph, sources: Array) -> npt.NDArray[np.float64]:
    """For every vertex, the sum of the sources' dependencies on it.

    The dependency of s on v is a sum over all targets t other than v and s. A term is the fraction of the shortest
    paths from s to t that lead over v. Several searches run at once where there are enough sources for all threads and
    memory for their work. Otherwise all threads share one search after the other. The sums are the same.
    """
    rows = _without_duplicates(graph.outgoing)
    into = _without_duplicates(graph.incoming).unsigned() if graph.directed else None
    many = searches_run_at_once(graph, sources.size)
    space = workspace(graph, sources.size, many)
    if not many:
        check_available(space.nbytes, "betweenness", "free memory or take a part of the graph")
    work = space.allocate()
    search = _many_at_once if many else _one_by_one
    search(rows, into, sources, work)
    total: npt.NDArray[np.float64] = work.centrality
    return total


def weighted_dependencies(graph: Graph, sources: Array) -> npt.NDArray[np.float64]:
    """The same for paths whose lengths are sums of weights; every thread searches on its own."""
    work = workspace(graph, sources.size, weighted=True).allocate()
    total: npt.NDArray[np.float64] = work.centrality
    parts = threads.pieces(work.dependencies.size)
    for *_, found in lengths.searches(lengths.simple_rows(graph, weighted=True), sources, work):
        threads.each(kernels.add_rows, parts, parts, found, total)
    return total


def searches_run_at_once(graph: Graph, num_sources: int) -> bool:
    """Whether every thread gets a search of its own: there are enough of them, and memory for their work."""
    if num_sources < threads.count():
        return False
    return workspace(graph, num_sources, at_once=True).nbytes <= available_bytes() // 2


def _many_at_once(rows: Adjacency, into: tuple[Array, Array] | None, sources: Array, work: Any) -> None:
    members = min(threads.count(), sources.size)
    found, in_round = work.dependencies, len(work.dependencies)
    parts = threads.pieces(found.size)
    each = rows.num_arcs + rows.num_vertices
    starts = range(0, sources.size, in_round)
    for start in over(starts, "searching", unit="sources", when=sources.size * each > team.BRIEF):
        chosen = as_bits(sources[start : start + in_round])
        counted = np.empty(chosen.size, dtype=np.bool_)
        search = (rows.unsigned(), into, chosen, LARGE, found, counted)
        team.take(kernels.many_dependencies, members, chosen.size, chosen.size * each, *search)
        failed = np.flatnonzero(~counted)
        threads.each(_any_range, failed.size, rows, chosen, found, failed)
        threads.each(kernels.add_rows, parts, parts, found[: chosen.size], work.centrality)


def _one_by_one(rows: Adjacency, into: tuple[Array, Array] | None, sources: Array, work: Any) -> None:
    n, found = rows.num_vertices, work.dependencies
    arrays = tuple(
        each[0] for each in (work.paths, work.along, work.queue, work.levels, work.divided, work.seen)
    )  # fmt: skip
    parts = threads.pieces(n)
    chosen, long = as_bits(sources), sources.size * (rows.num_arcs + n) > team.BRIEF
    for row in over(range(sources.size), "searching", unit="sources", when=long):
        search = (rows.unsigned(), into, chosen[row], LARGE, arrays, found[0])
        if not team.run(kernels.dependencies, rows.num_arcs, *search):
            _any_range(0, rows, chosen[row:], found, [0])
        threads.each(kernels.add_rows, parts, parts, found, work.centrality)


def _any_range(piece: int, rows: Adjacency, sources: Array, dependencies: Array, failed: Sequence[int] | Array) -> None:
    """Once more for a search whose counts lie too far apart; by one thread, with twice the memory and time."""
    row = failed[piece]
    kernels.wide_dependencies(rows.unsigned(), sources[row], dependencies[row])


def _without_duplicates(rows: Adjacency) -> Adjacency:
    """The rows themselves where no edge is there twice: a path over either of two equal edges is one path."""
    bounds = blocks_of(rows)
    if not any(threads.each(kernels.has_duplicates, bounds.size - 1, bounds, rows.unsigned())):
        return rows
    return build.from_rows(rows.indptr, rows.indices, None, directed=True, duplicates="drop", loops="drop").adjacency
