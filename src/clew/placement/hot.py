"""Hot: the rows that are read most often, until fast memory is full."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from clew.errors import GraphError
from clew.graph import Graph
from clew.placement.heat import HEAT
from clew.placement.hottest import hottest_fitting
from clew.placement.sizes import parse_bytes, smallest
from clew.placement.strategy import Strategy


@dataclass(frozen=True)
class Hot(Strategy):
    """Put the hottest vertices in fast memory, hottest first, until it is full.

    Suppose that memories differ only in bandwidth, and a visit reads the whole row. Then the rows visited most often
    save the most per byte of fast memory, for any length. If each access has a cost, as over a GPU's link, that leaves
    the many short rows outside. Then ``by="cost"`` is better. A row that does not fit is skipped, and smaller rows
    after it may still fit.

    Parameters
    ----------
    fast_memory
        The amount of fast memory: a number of bytes, or a text such as "8GiB".
    by
        How visits are estimated: "degree" (in-edges), "pagerank" (a few iterations), or "access" (random walks, which
        read a small part of the graph). With "cost", every row is one access, and the rows that save the most per byte,
        which are the short ones, come first.
    """

    name: ClassVar[str] = "hot"
    fast_memory: int | str
    by: str = "degree"

    def __post_init__(self) -> None:
        parse_bytes(self.fast_memory)
        if self.by not in HEAT:
            raise GraphError(f"by is {self.by!r}; expected one of {', '.join(map(repr, HEAT))}.")

    def choose(self, graph: Graph) -> npt.NDArray[np.bool_]:
        """The hottest vertices that fit."""
        return hottest_fitting(graph.outgoing, HEAT[self.by](graph), parse_bytes(self.fast_memory))

    def choose_within(self, graph: Graph, fast_memory: int | str | None) -> npt.NDArray[np.bool_]:
        """The hottest vertices that fit the smaller of two budgets."""
        return Hot(smallest(self.fast_memory, fast_memory), self.by).choose(graph)
