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
    """The hottest vertices go to fast memory, hottest first, until it is full.

    Where memories differ in bandwidth alone and a visit reads the whole row, rows visited most often save most per byte
    of fast memory, whatever their length. Where an access costs by itself, as over a GPU's link, that leaves the many
    short rows outside, each of them an access; there ``by="cost"`` does better. A row that does not fit any more is
    passed over, and smaller ones after it still get their chance.

    Parameters
    ----------
    fast_memory
        How much of it there is: a number of bytes, or a text such as "8GiB".
    by
        How visits are estimated: "degree" (edges that lead to the vertex), "pagerank" (a few rounds of it), or
        "access" (random walks, which read a small part of the graph). Or "cost": every row is one access, and those
        that save most per byte, the short ones, go first.
    """

    name: ClassVar[str] = "hot"
    fast_memory: int | str
    by: str = "degree"

    def __post_init__(self) -> None:
        parse_bytes(self.fast_memory)
        if self.by not in HEAT:
            raise GraphError(f"by is {self.by!r}; expected one of {', '.join(map(repr, HEAT))}.")

    def choose(self, graph: Graph) -> npt.NDArray[np.bool_]:
        """The hottest that fit."""
        return hottest_fitting(graph.outgoing, HEAT[self.by](graph), parse_bytes(self.fast_memory))

    def choose_within(self, graph: Graph, fast_memory: int | str | None) -> npt.NDArray[np.bool_]:
        """The hottest that fit the smaller one of two budgets."""
        return Hot(smallest(self.fast_memory, fast_memory), self.by).choose(graph)
