"""AsNumbered: the numbering as it is, the last rows in fast memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from clew.graph import Graph
from clew.placement.placement import Placement, row_bytes
from clew.placement.sizes import parse_bytes
from clew.placement.strategy import Strategy


@dataclass(frozen=True)
class AsNumbered(Strategy):
    """The last rows that fit go to fast memory, and no vertex gets another number.

    Generators, crawlers and map makers number near vertices nearly alike, and early ones tend to have many edges; every
    other strategy tears that apart. It is also what a GPU does with a graph without a placement.

    Parameters
    ----------
    fast_memory
        How much of it there is: a number of bytes, or a text such as "8GiB".
    """

    name: ClassVar[str] = "as_numbered"
    fast_memory: int | str

    def __post_init__(self) -> None:
        parse_bytes(self.fast_memory)

    def choose(self, graph: Graph) -> npt.NDArray[np.bool_]:
        """All from some vertex on."""
        from_the_end = np.cumsum(row_bytes(graph.outgoing)[::-1])
        fast: npt.NDArray[np.bool_] = (from_the_end <= parse_bytes(self.fast_memory))[::-1]
        return fast

    def place(self, graph: Graph, fast_memory: int | str | None = None) -> Placement:
        """Where the vertices of ``graph`` go; of two budgets the smaller one holds."""
        if fast_memory is None or parse_bytes(fast_memory) >= parse_bytes(self.fast_memory):
            return super().place(graph)
        return AsNumbered(fast_memory).place(graph)
