"""Searches for weighted betweenness, and for the betweenness of edges, in rounds.

Parallel edges are one, the shortest of them: paths over either of two equal edges are the same path.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from clew import build, threads
from clew.adjacency import Adjacency
from clew.algorithms.betweenness import kernels_lengths, with_lengths
from clew.dtypes import Array, as_bits
from clew.engines.cpu import team
from clew.graph import Graph
from clew.progress import over
from clew.workspace import Workspace, scratch

ENTRIES = 1 << 22  # entries of an array that a round of searches keeps


def simple_rows(graph: Graph, *, weighted: bool) -> Adjacency:
    """The shortest of the edges between any two vertices, with float64 weights, or without."""
    rows = with_lengths(graph, weighted=weighted).outgoing
    given = (rows.indptr, rows.indices, rows.weights)
    return build.from_rows(*given, directed=True, duplicates="min", loops="drop").adjacency


def workspace(graph: Graph, num_sources: int) -> Workspace:
    """The arrays of a round of searches; every thread has some of its own besides."""
    shape = (in_a_round(graph, num_sources), graph.num_vertices)
    arrays = {name: scratch(shape, np.float64) for name in ("distances", "paths", "rates", "dependencies")}
    return Workspace(powers=scratch(shape, np.int32), **arrays)


def in_a_round(graph: Graph, num_sources: int) -> int:
    """How many sources' arrays are kept until they are added."""
    return min(num_sources, max(threads.count(), ENTRIES // max(1, graph.num_vertices)))


def searches(rows: Adjacency, sources: Array, work: Any) -> Iterator[tuple[Array, ...]]:
    """Distances, paths, their powers and rates, and dependencies: a row per source of a round."""
    arrays = (work.distances, work.paths, work.powers, work.rates, work.dependencies)
    in_round, each = len(work.distances), rows.num_arcs + rows.num_vertices
    starts = range(0, sources.size, max(1, in_round))
    for start in over(starts, "searching", unit="sources", when=sources.size * each > team.BRIEF):
        chosen = as_bits(sources[start : start + in_round])
        found = tuple(array[: chosen.size] for array in arrays)
        given = (rows.unsigned(), rows.weights, chosen, *found)
        team.take(
            kernels_lengths.many_searches, min(threads.count(), chosen.size), chosen.size, chosen.size * each, *given
        )
        yield found
