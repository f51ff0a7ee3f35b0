"""Intraleave: the vertices of every frontier of a breadth-first search alternately."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from clew.graph import Graph
from clew.placement.levels import levels_from, places_in_levels
from clew.placement.ratio import Ratio, is_fast_turn, parse_ratio
from clew.placement.strategy import Strategy, vertex_of


@dataclass(frozen=True)
class Intraleave(Strategy):
    """Within every frontier, put vertices alternately in slow and in fast memory, in a given ratio.

    Parameters
    ----------
    source
        The name of the vertex to start at. Unreached vertices go to slow memory.
    ratio
        The number of vertices to slow and to fast memory, as (1, 2) or "1-2". It restarts in every frontier, in id
        order.

    References
    ----------
    Q. Wu, S. Verma, A. M. Taft: "Graph placement optimization on a heterogeneous memory system", section III-A.
    """

    name: ClassVar[str] = "intraleave"
    source: int | str
    ratio: Ratio | str

    def __post_init__(self) -> None:
        object.__setattr__(self, "ratio", parse_ratio(self.ratio))

    def choose(self, graph: Graph) -> npt.NDArray[np.bool_]:
        """The chosen vertices of every frontier."""
        depth = levels_from(graph, vertex_of(graph, self.source))
        chosen: npt.NDArray[np.bool_] = is_fast_turn(parse_ratio(self.ratio), places_in_levels(depth)) & (depth >= 0)
        return chosen
