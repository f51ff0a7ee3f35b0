"""Summaries of results for pairs of vertices: connected pairs, distances, and closeness."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from clew.dtypes import Array
from clew.graph import Graph
from clew.names import called
from clew.result import Result


class Ranking(NamedTuple):
    """A table whose first rows are shown, and facts about all rows."""

    of: str
    columns: list[str]
    rows: Callable[[int], list[tuple[Any, ...]]]
    facts: dict[str, Any]


def ranking_of(graph: Graph, result: Result) -> Ranking | None:
    """Closeness ranking of a result with a number for every pair; None for other results."""
    if result.algorithm == "all_pairs":
        return _ranked(graph, "vertex", result.distance, np.arange(graph.num_vertices), result.reached)
    if result.algorithm == "multi_source_bfs":
        starts = np.array([graph.vertex(name) for name in result.sources.tolist()], dtype=np.int64)
        return _ranked(graph, "source", result.depth.T, starts, result.reached.T)
    return None


def _ranked(graph: Graph, of: str, away: Array, starts: Array, known: Array) -> Ranking:
    """Rank by closeness; ``away`` has a row per start with the distances to all vertices, valid where ``known``.

    Closeness is the share of the other vertices that can be reached, divided by their mean distance.
    """
    sums = [_summed(row, there, start) for row, there, start in zip(away, known, starts.tolist(), strict=True)]
    joined, total, nearest, farthest = np.array(sums).reshape(-1, 4).T
    farthest = farthest.astype(away.dtype)
    mean = np.divide(total, joined, out=np.zeros(joined.size), where=joined > 0)
    reached = joined.astype(np.int64)
    columns: dict[str, Array] = {"num_reached": reached, "mean_distance": mean, "largest_distance": farthest}
    if not np.any(nearest < 0):  # else near and far mean nothing
        share = joined / max(1, graph.num_vertices - 1)
        columns = {"closeness": np.divide(share, mean, out=np.zeros(joined.size), where=mean > 0), **columns}
    order = np.argsort(-next(iter(columns.values())), kind="stable")
    names = called(graph.names, starts)

    def rows(top: int) -> list[tuple[Any, ...]]:
        first = order[:top]
        return list(zip(names[first].tolist(), *(values[first].tolist() for values in columns.values()), strict=True))

    pairs = int(joined.sum())
    facts = {
        "joined_pairs": pairs,
        "possible_pairs": starts.size * max(0, graph.num_vertices - 1),
        "mean_distance": float(total.sum() / pairs) if pairs else None,
        "largest_distance": farthest[joined > 0].max().item() if pairs else None,
    }
    return Ranking(of, list(columns), rows, facts)


def _summed(row: Array, there: Array, start: int) -> tuple[int, float, Any, Any]:
    """For the other vertices with a path: their number, and the sum, minimum and maximum of the distances."""
    there = there.copy()
    there[start] = False
    found = row[there]
    if not found.size:
        return 0, 0.0, 0, 0
    return int(found.size), float(found.sum(dtype=np.float64)), found.min(), found.max()
