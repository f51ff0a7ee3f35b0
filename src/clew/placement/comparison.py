"""Placements compared on a sample of reads: what each takes from either memory, and how long that takes."""

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
    """A placement, the seconds of every pattern of reading rows, and their geometric mean."""

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
    """Place ``graph`` by every strategy and say what reading its rows would cost; best first.

    Four patterns are gone through, as ``clew.placement.reads`` has them: searches from a few random vertices that have
    edges, with pulling (bfs) and without (shortest paths); all rows in order (PageRank); the first neighbours of all
    rows (components). In each step both memories deliver at the same time, so it takes as long as the slower one of
    them. Lines and accesses are counted, not timed: that says which placement suits two memories of these speeds, and
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
    """What strategies are ranked by."""
    if min(patterns.values()) <= 0:  # there is nothing to read
        return 0.0
    return math.exp(sum(map(math.log, patterns.values())) / len(patterns))
