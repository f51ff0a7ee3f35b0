"""AllFast and AllSlow: the two extremes that other placements are compared with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from clew.graph import Graph
from clew.placement.strategy import Strategy


@dataclass(frozen=True)
class AllFast(Strategy):
    """Put every vertex in fast memory, while it has room."""

    name: ClassVar[str] = "all_fast"

    def choose(self, graph: Graph) -> npt.NDArray[np.bool_]:
        """All vertices."""
        return np.ones(graph.num_vertices, dtype=np.bool_)


@dataclass(frozen=True)
class AllSlow(Strategy):
    """Put every vertex in slow memory."""

    name: ClassVar[str] = "all_slow"

    def choose(self, graph: Graph) -> npt.NDArray[np.bool_]:
        """No vertices."""
        return np.zeros(graph.num_vertices, dtype=np.bool_)
