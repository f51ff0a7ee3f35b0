"""Betweenness on the CPU: dependencies of sources on vertices, summed up in the order of the sources."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from clew import build, threads
from clew.adjacency import Adjacency
from clew.algorithms.betweenness import summary
from clew.algorithms.registry import Answer
from clew.build.rows import blocks_of
from clew.dtypes import Array, as_bits
from clew.engines.cpu import memory, team
from clew.graph import Graph
from clew.progress import over

BYTES_PER_VERTEX = 25  # of one search: paths, along, queue, levels, divided, and a bit
ENTRIES = 1 << 22  # dependencies that a round keeps: small graphs have many sources a round
# Levels with more paths than this are divided by it: a power of two, far enough from the ends of a float64's range that
# neither the next level's sums nor shares of a vertex with as few as 1 / LARGE paths go beyond them.
LARGE = 2.0**900


def betweenness(graph: Graph, sources: Array, scale: Any) -> Answer:
    """The dependencies on every vertex, scaled."""
    return summary(graph, sources, dependencies(graph, sources) * scale)


def dependencies(graph: Graph, sources: Array) -> npt.NDArray[np.float64]:
    """For every vertex, the sum of the sources' dependencies on it.

    The dependency of s on v is the sum over all targets t, other than v and s, of the fraction of the shortest paths
    from s to t that lead over v. Several searches run at once where there are enough sources for all threads and
    memory for their work; else all threads share one search after the other. The sums are the same.
    """
    n = graph.num_vertices
    rows = _without_duplicates(graph.outgoing)
    into = _without_duplicates(graph.incoming).unsigned() if graph.directed else None
    total = np.zeros(n)
    if searches_run_at_once(n, sources.size):
        _many_at_once(rows, into, sources, total)
    else:
        _one_by_one(rows, into, sources, total)
    return total


def searches_run_at_once(num_vertices: int, num_sources: int) -> bool:
    """Whether every thread gets a search of its own: there are enough of them, and memory for their work."""
    at_once = threads.count()
    needed = 8 * num_vertices + at_once * num_vertices * (8 + BYTES_PER_VERTEX)
    return num_sources >= at_once and needed <= memory.available() // 2


def _many_at_once(rows: Adjacency, into: tuple[Array, Array] | None, sources: Array, total: Array) -> None:
    from clew.algorithms.betweenness import kernels

    n = rows.num_vertices
    members = min(threads.count(), sources.size)
    in_round = min(sources.size, max(members, ENTRIES // n))
    found = np.empty((in_round, n))
    parts = threads.pieces(n * in_round)
    each = rows.num_arcs + n
    starts = range(0, sources.size, in_round)
    for start in over(starts, "searching", unit="sources", when=sources.size * each > team.BRIEF):
        chosen = as_bits(sources[start : start + in_round])
        counted = np.empty(chosen.size, dtype=np.bool_)
        search = (rows.unsigned(), into, chosen, LARGE, found, counted)
        team.take(kernels.many_dependencies, members, chosen.size, chosen.size * each, *search)
        failed = np.flatnonzero(~counted)
        threads.each(_any_range, failed.size, rows, chosen, found, failed)
        threads.each(kernels.add_rows, parts, parts, found[: chosen.size], total)


def _one_by_one(rows: Adjacency, into: tuple[Array, Array] | None, sources: Array, total: Array) -> None:
    from clew.algorithms.betweenness import kernels

    n = rows.num_vertices
    memory.check(n * (16 + BYTES_PER_VERTEX), "betweenness", "free memory or take a part of the graph")
    ids = as_bits(rows.indices).dtype
    seen = np.empty(-(-n // 64), dtype=np.uint64)
    divided = np.zeros(n + 1, dtype=np.bool_)
    work = (np.empty(n), np.empty(n), np.empty(n, dtype=ids), np.empty(n + 1, dtype=ids), divided, seen)
    found = np.empty((1, n))
    parts = threads.pieces(n)
    chosen, long = as_bits(sources), sources.size * (rows.num_arcs + n) > team.BRIEF
    for row in over(range(sources.size), "searching", unit="sources", when=long):
        search = (rows.unsigned(), into, chosen[row], LARGE, work, found[0])
        if not team.run(kernels.dependencies, rows.num_arcs, *search):
            _any_range(0, rows, chosen[row:], found, [0])
        threads.each(kernels.add_rows, parts, parts, found, total)


def _any_range(piece: int, rows: Adjacency, sources: Array, found: Array, failed: Sequence[int] | Array) -> None:
    """Once more for a search whose counts lie too far apart; by one thread, with twice the memory and time."""
    from clew.algorithms.betweenness import kernels_wide as kernels

    row = failed[piece]
    kernels.wide_dependencies(rows.unsigned(), sources[row], found[row])


def _without_duplicates(rows: Adjacency) -> Adjacency:
    """The rows themselves where no edge is there twice: a path over either of two equal edges is one path."""
    from clew.algorithms.betweenness import kernels

    bounds = blocks_of(rows)
    if not any(threads.each(kernels.has_duplicates, bounds.size - 1, bounds, rows.unsigned())):
        return rows
    return build.from_rows(rows.indptr, rows.indices, None, directed=True, duplicates="drop", loops="drop").adjacency
