"""Frontier: large frontiers of a breadth-first search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from clew import threads
from clew.errors import GraphError
from clew.graph import Graph
from clew.placement.levels import level_sizes, levels_from
from clew.placement.strategy import Strategy, vertex_of


@dataclass(frozen=True)
class Frontier(Strategy):
    """Put frontiers with more vertices than a threshold in fast memory: large ones need its bandwidth.

    Parameters
    ----------
    source
        The name of the vertex to start at. Unreached vertices go to slow memory.
    threshold
        Frontiers with more vertices than this are chosen.

    References
    ----------
    Q. Wu, S. Verma, A. M. Taft: "Graph placement optimization on a heterogeneous memory system", section III-A.
    """

    name: ClassVar[str] = "frontier"
    source: int | str
    threshold: int

    def __post_init__(self) -> None:
        if self.threshold < 0:
            raise GraphError(f"threshold is {self.threshold}; expected a number of vertices, 0 or more.")

    def choose(self, graph: Graph) -> npt.NDArray[np.bool_]:
        """All vertices of the large frontiers."""
        from clew.placement import kernels_levels as kernels

        depth = levels_from(graph, vertex_of(graph, self.source))
        large = level_sizes(graph, depth)[0] > self.threshold
        fast, pieces = np.empty(depth.size, dtype=np.bool_), threads.pieces(depth.size)
        threads.each(kernels.on_levels, pieces, pieces, depth, large, fast)
        return fast
