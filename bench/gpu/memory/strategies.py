"""The placement strategies by the names that tables have, and graphs renumbered by them."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import clew
from bench.gpu.memory.graphs import Named
from bench.gpu.memory.measuring import Bench, edge_bytes
from clew.placement import Degree, Frontier, Hot, Interleave, Intraleave, Placement, Random

#: With the parameters of docs/placement.md: of the vertex where searches begin, the bytes of fast memory and the mean
#: size of a frontier. Those that did best on smaller graphs come first.
STRATEGIES: dict[str, Callable[[Any, int, int], Any]] = {
    "Hot(cost)": lambda source, fast, frontier: Hot(fast, "cost"),
    "Frontier(mean size)": lambda source, fast, frontier: Frontier(source, frontier),
    "Degree(2, 80)": lambda source, fast, frontier: Degree(out_degree=2, cutoff_percentile=80),
    "Random(0.5)": lambda source, fast, frontier: Random(1, 0.5),
    "Intraleave(1-1)": lambda source, fast, frontier: Intraleave(source, "1-1"),
    "Interleave(1-1)": lambda source, fast, frontier: Interleave(source, "1-1"),
    "Hot(degree)": lambda source, fast, frontier: Hot(fast),
}
LONGEST = 60.0  # seconds that placing and renumbering may take


class Renumbered(NamedTuple):
    """A graph after placing, how that was done, and the seconds of deciding and of renumbering, both on the CPU."""

    graph: clew.Graph
    placement: Placement
    decided: float
    moved: float

    @property
    def fast_share(self) -> float:
        """The part of the rows' bytes that the strategy wants in fast memory."""
        both = self.placement.fast_bytes + self.placement.slow_bytes
        return self.placement.fast_bytes / max(1, both)


def renumbered(bench: Bench, named: Named, strategy: str, part: int) -> Renumbered:
    """By a strategy that may have one in ``part`` of the edges' bytes in fast memory."""
    graph = named.graph
    # Strategies count an offset with every row; on a GPU offsets are no edges, and take nothing of what these may have.
    fast = edge_bytes(graph, "sssp") // part + graph.num_vertices * graph.indptr.itemsize
    started = time.perf_counter()
    chosen = STRATEGIES[strategy](graph.name(named.source), fast, _mean_frontier(bench, named))
    placement = chosen.place(graph, fast_memory=fast)
    decided = time.perf_counter()
    moved = placement.apply(graph)
    return Renumbered(moved, placement, decided - started, time.perf_counter() - decided)


def _mean_frontier(bench: Bench, named: Named) -> int:
    """Of the search that every table has; where it failed every frontier is larger."""
    depth = bench.known.get((named.name, "bfs"))
    return 1 if depth is None else max(1, int((depth >= 0).sum()) // (int(depth.max()) + 1))


def warm_up(bench: Bench) -> None:
    """Compile what strategies need, on a small graph, so that no renumbering has it in its time."""
    small = clew.generate.random_weights(clew.generate.kronecker(6, seed=1), 1, 255, seed=1)
    for strategy in STRATEGIES:
        bench.tried(f"small {strategy}", partial(renumbered, bench, Named("small", small, 0), strategy, 2), 60)
