"""Placements compared on a sample of searches: what each would read from either memory, and how long that takes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from clew.graph import Graph
from clew.placement.levels import levels_from
from clew.placement.placement import Placement, row_bytes
from clew.placement.strategy import Strategy

#: Bytes per second of slow and of fast memory where nobody measured them: DRAM and MCDRAM of the paper's Figure 1.
SPEEDS = (84.0e9, 396.1e9)


class Compared(NamedTuple):
    """A placement, and the seconds that the sampled searches would spend on reading rows."""

    strategy: Strategy
    placement: Placement
    seconds: float


def compare(
    graph: Graph,
    strategies: Iterable[Strategy],
    fast_memory: int | str | None = None,
    *,
    speeds: tuple[float, float] = SPEEDS,
    searches: int = 3,
    seed: int = 0,
) -> list[Compared]:
    """Place ``graph`` by every strategy and say what reading its rows would cost; best first.

    A breadth-first search is run from each of a few random vertices that have edges. Every frontier reads the rows of
    its vertices once; both memories deliver at the same time, so it takes as long as the slower one of them. That is
    counted, not timed: it says which placement uses two memories of these speeds best, and nothing about caches.
    """
    sizes = row_bytes(graph.outgoing)
    sampled = [levels_from(graph, source) for source in _sources(graph, searches, seed)]
    results = []
    for strategy in strategies:
        placement = strategy.place(graph, fast_memory)
        fast = placement.fast
        seconds = sum(_seconds(depth, sizes, fast, speeds) for depth in sampled)
        results.append(Compared(strategy, placement, seconds))
    return sorted(results, key=lambda compared: compared.seconds)


def _sources(graph: Graph, searches: int, seed: int) -> npt.NDArray[np.int64]:
    candidates = np.flatnonzero(graph.degrees())
    return np.random.default_rng(seed).choice(candidates, min(searches, candidates.size), replace=False)


def _seconds(
    depth: npt.NDArray[np.int32],
    sizes: npt.NDArray[np.int64],
    fast: npt.NDArray[np.bool_],
    speeds: tuple[float, float],
) -> float:
    """The sum over all frontiers of the time that the slower memory takes."""
    levels = int(depth.max(initial=0)) + 1
    place = np.where(depth < 0, 2 * levels, 2 * depth.astype(np.int64) + fast)
    read = np.bincount(place, weights=sizes, minlength=2 * levels)[: 2 * levels].reshape(levels, 2)
    return float((read / np.asarray(speeds)).max(axis=1, initial=0.0).sum())
