"""Comparison of placements on sampled reads: the traffic and time of each memory."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

from clew.checks import whole
from clew.graph import Graph
from clew.placement.placement import Placement
from clew.placement.reads import Layout, Reads
from clew.placement.speed import Speed, parse_speeds
from clew.placement.strategy import Strategy

#: Where nobody measured: bandwidths alone, of the memories that the paper had.
SPEEDS = "mcdram"


class Compared(NamedTuple):
    """A placement, the seconds of every read pattern, and their geometric mean."""

    strategy: Strategy
    placement: Placement
    seconds: float
    patterns: dict[str, float]


def compare(
    graph: Graph,
    strategies: Iterable[Strategy],
    fast_memory: int | str | None = None,
    *,
    speeds: str | tuple[float | Speed, float | Speed] = SPEEDS,
    searches: int = 3,
    seed: int = 0,
) -> list[Compared]:
    """Place ``graph`` by every strategy and estimate the cost of reading its rows; best first.

    Four patterns are simulated (see ``clew.placement.reads``). Two are searches from a few random vertices that have
    edges, with pulling (bfs) and without (shortest paths). The others read all rows in order (PageRank), and the first
    neighbours of all rows (components). In each step both memories work at the same time, so the slower one decides.
    Lines and accesses are counted, not timed. This shows which placement suits two memories of these speeds, and says
    nothing about caches. Strategies are ranked by the geometric mean, so that no pattern outweighs the others.
    """
    slow_and_fast = parse_speeds(speeds)
    whole("searches", searches, 0)
    whole("seed", seed, 0)
    tried = list(strategies)
    placements = [strategy.place(graph, fast_memory) for strategy in tried]
    counted = Reads(graph, searches, seed).seconds([Layout.of(one) for one in placements], slow_and_fast)
    results = [
        Compared(strategy, placement, geometric_mean(patterns), patterns)
        for strategy, placement, patterns in zip(tried, placements, counted, strict=True)
    ]
    return sorted(results, key=lambda compared: compared.seconds)


def geometric_mean(patterns: dict[str, float]) -> float:
    """The value that strategies are ranked by."""
    if min(patterns.values()) <= 0:  # there is nothing to read
        return 0.0
    return math.exp(sum(map(math.log, patterns.values())) / len(patterns))
