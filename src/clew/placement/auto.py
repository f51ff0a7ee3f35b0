"""Auto: several strategies tried on a sample of reads, the best of them taken."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from clew.checks import whole
from clew.graph import Graph
from clew.placement.as_numbered import AsNumbered
from clew.placement.comparison import SPEEDS, geometric_mean
from clew.placement.degree import Degree
from clew.placement.frontier import Frontier
from clew.placement.hot import Hot
from clew.placement.placement import Placement, all_bytes
from clew.placement.random import Random
from clew.placement.reads import Layout, Reads
from clew.placement.sizes import parse_bytes, smallest
from clew.placement.speed import Speed, parse_speeds
from clew.placement.strategy import Strategy
from clew.placement.uniform import AllFast

LARGE_FRONTIERS = 20  # a frontier of more than 1/20 of the vertices is a large one
CUTOFF = 80  # the percentile of the paper's example
#: Edges. Degree and Frontier look at all of them, which takes longer than all else; and of 72 cases that were counted
#: (12 graphs of different kinds, 3 pairs of memories, 2 budgets) neither was picked. Beyond this they are left out.
FEW = 1 << 22
ALIKE = 1.01  # what is within a hundredth of the best is as good; then the first of the list is taken


@dataclass(frozen=True)
class Auto(Strategy):
    """The strategy that reads a few sampled searches and sweeps fastest, by ``clew.placement.compare``.

    Tried are: the numbering as it is; short rows (Hot by cost), hot ones by degree and by sampled access; unless the
    graph is large, children of busy vertices (Degree) and large frontiers from the vertex with the most edges
    (Frontier); chance, and everything as far as it fits. Of those that are alike the first is taken, so vertices are
    renumbered only where that gains.

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
        whole("searches", self.searches, 0)
        whole("seed", self.seed, 0)

    def candidates(self, graph: Graph) -> list[Strategy]:
        """What is tried on this graph.

        Those that take a budget fill fast memory, or as much of it as keeps both memories busy for the same time.
        """
        if not graph.num_vertices:
            return [AllFast()]
        total = all_bytes(graph.outgoing)
        slow, fast = (speed.in_order for speed in parse_speeds(self.speeds))
        wanted = min(parse_bytes(self.fast_memory), int(total * fast / (slow + fast)))
        tried: list[Strategy] = [AsNumbered(wanted), *(Hot(wanted, by) for by in ("cost", "degree", "access"))]
        if graph.num_arcs <= FEW:
            hub = graph.name(int(graph.degrees().argmax()))
            tried.append(Degree(graph.num_arcs // graph.num_vertices, CUTOFF))
            tried.append(Frontier(hub, graph.num_vertices // LARGE_FRONTIERS))
        return [*tried, Random(self.seed, wanted / total), AllFast()]

    def choose(self, graph: Graph) -> npt.NDArray[np.bool_]:
        """As the best one chooses."""
        return self.place(graph).fast

    def place(self, graph: Graph, fast_memory: int | str | None = None) -> Placement:
        """The best placement; of two budgets the smaller one holds."""
        budget = smallest(self.fast_memory, fast_memory)
        tried = Auto(budget, self.speeds, self.searches, self.seed).candidates(graph)
        # Only the best one is numbered: to count what is read, it is enough to know what is in fast memory.
        layouts = [Layout(None, strategy.choose_within(graph, budget)) for strategy in tried]
        counted = Reads(graph, self.searches, self.seed).seconds(layouts, parse_speeds(self.speeds))
        seconds = [geometric_mean(patterns) for patterns in counted]
        best = next(number for number, taken in enumerate(seconds) if taken <= ALIKE * min(seconds))
        return Placement.from_mask(graph, layouts[best].fast, str(tried[best]))
