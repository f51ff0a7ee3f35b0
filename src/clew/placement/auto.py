"""Auto: several strategies tried on a sample of reads, the best of them taken."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from clew.graph import Graph
from clew.placement.as_numbered import AsNumbered
from clew.placement.comparison import SPEEDS, compare
from clew.placement.degree import Degree
from clew.placement.frontier import Frontier
from clew.placement.hot import Hot
from clew.placement.placement import Placement, row_bytes
from clew.placement.random import Random
from clew.placement.sizes import parse_bytes
from clew.placement.speed import Speed, parse_speeds
from clew.placement.strategy import Strategy
from clew.placement.uniform import AllFast

LARGE_FRONTIERS = 20  # a frontier of more than 1/20 of the vertices is a large one
CUTOFF = 80  # the percentile of the paper's example
ALIKE = 1.01  # what is within a hundredth of the best is as good; then the first of the list is taken


@dataclass(frozen=True)
class Auto(Strategy):
    """The strategy that reads a few sampled searches and sweeps fastest, by ``clew.placement.compare``.

    Tried are: the numbering as it is; short rows (Hot by cost), hot ones by degree and by sampled access; children of
    busy vertices (Degree), large frontiers from the vertex with the most edges (Frontier), chance, and everything as
    far as it fits. Of those that are alike the first is taken, so vertices are renumbered only where that gains.

    Parameters
    ----------
    fast_memory
        How much of it there is: a number of bytes, or a text such as "8GiB".
    speeds
        What slow and fast memory do: "gpu" (a link and a GPU's memory), "mcdram" (DRAM and MCDRAM, by bandwidth alone),
        or a pair of ``Speed`` or bytes per second; ``clew.tiers`` measures them.
    searches, seed
        How many searches to sample, and which.
    """

    name: ClassVar[str] = "auto"
    fast_memory: int | str
    speeds: str | tuple[float | Speed, float | Speed] = SPEEDS
    searches: int = 3
    seed: int = 0

    def __post_init__(self) -> None:
        parse_bytes(self.fast_memory)
        parse_speeds(self.speeds)

    def candidates(self, graph: Graph) -> list[Strategy]:
        """What is tried on this graph.

        Those that take a budget fill fast memory, or as much of it as keeps both memories busy for the same time.
        """
        if not graph.num_vertices:
            return [AllFast()]
        total = int(row_bytes(graph.outgoing).sum())
        slow, fast = (speed.in_order for speed in parse_speeds(self.speeds))
        wanted = min(parse_bytes(self.fast_memory), int(total * fast / (slow + fast)))
        hub = graph.name(int(graph.degrees().argmax()))
        return [
            AsNumbered(wanted),
            Hot(wanted, "cost"),
            Hot(wanted, "degree"),
            Hot(wanted, "access"),
            Degree(graph.num_arcs // graph.num_vertices, CUTOFF),
            Frontier(hub, graph.num_vertices // LARGE_FRONTIERS),
            Random(self.seed, wanted / total),
            AllFast(),
        ]

    def choose(self, graph: Graph) -> npt.NDArray[np.bool_]:
        """As the best one chooses."""
        return self.place(graph).fast

    def place(self, graph: Graph, fast_memory: int | str | None = None) -> Placement:
        """The best placement; of two budgets the smaller one holds."""
        budgets = [parse_bytes(budget) for budget in (self.fast_memory, fast_memory) if budget is not None]
        tried = Auto(min(budgets), self.speeds, self.searches, self.seed).candidates(graph)
        ranked = compare(graph, tried, min(budgets), speeds=self.speeds, searches=self.searches, seed=self.seed)
        good = [compared for compared in ranked if compared.seconds <= ALIKE * ranked[0].seconds]
        return min(good, key=lambda compared: tried.index(compared.strategy)).placement
