"""AllFast and AllSlow: the two ends that every other placement is compared with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from clew.graph import Graph
from clew.placement.strategy import Strategy


@dataclass(frozen=True)
class AllFast(Strategy):
    """Every vertex in fast memory, as far as it reaches."""

    name: ClassVar[str] = "all_fast"

    def choose(self, graph: Graph) -> npt.NDArray[np.bool_]:
        """Everyone."""
        return np.ones(graph.num_vertices, dtype=np.bool_)


@dataclass(frozen=True)
class AllSlow(Strategy):
    """Every vertex in slow memory."""

    name: ClassVar[str] = "all_slow"

    def choose(self, graph: Graph) -> npt.NDArray[np.bool_]:
        """Nobody."""
        return np.zeros(graph.num_vertices, dtype=np.bool_)
