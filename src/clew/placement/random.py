"""Random: the baseline for other strategies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from clew import threads
from clew.errors import GraphError
from clew.graph import Graph
from clew.placement.strategy import Strategy


@dataclass(frozen=True)
class Random(Strategy):
    """Put every vertex in fast memory with the same probability.

    Parameters
    ----------
    seed
        The random seed.
    bias
        The probability of fast memory, from 0 to 1.

    References
    ----------
    Q. Wu, S. Verma, A. M. Taft: "Graph placement optimization on a heterogeneous memory system", section III-A.
    """

    name: ClassVar[str] = "random"
    seed: int
    bias: float

    def __post_init__(self) -> None:
        if self.seed < 0:
            raise GraphError(f"seed is {self.seed}; expected an integer of 0 or more.")
        if not 0 <= self.bias <= 1:
            raise GraphError(f"bias is {self.bias}; expected a probability from 0 to 1.")

    def choose(self, graph: Graph) -> npt.NDArray[np.bool_]:
        """One random number per vertex."""
        fast = np.empty(graph.num_vertices, dtype=np.bool_)
        pieces = threads.pieces(fast.size)
        threads.each(self._draw, pieces, pieces, fast)
        return fast

    def _draw(self, piece: int, pieces: int, fast: npt.NDArray[np.bool_]) -> None:
        """The random numbers of one piece of the vertices; they do not depend on the number of pieces."""
        first, last = piece * fast.size // pieces, (piece + 1) * fast.size // pieces
        numbers = np.random.Generator(np.random.PCG64(self.seed).advance(first))
        np.less(numbers.random(last - first), self.bias, out=fast[first:last])
