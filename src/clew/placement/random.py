"""Random: what other strategies have to beat."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from clew.errors import GraphError
from clew.graph import Graph
from clew.placement.strategy import Strategy


@dataclass(frozen=True)
class Random(Strategy):
    """Every vertex goes to fast memory with the same probability.

    Parameters
    ----------
    seed
        The same seed makes the same placement.
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
        """By one random number each."""
        return np.random.default_rng(self.seed).random(graph.num_vertices) < self.bias
