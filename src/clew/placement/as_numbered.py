"""AsNumbered: keep the numbering, and put the last rows in fast memory."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from clew.graph import Graph
from clew.placement.placement import edge_bytes
from clew.placement.sizes import parse_bytes, smallest
from clew.placement.strategy import Strategy


@dataclass(frozen=True)
class AsNumbered(Strategy):
    """Put the last rows that fit in fast memory, without renumbering vertices.

    Generators, crawlers and map makers give nearby vertices similar numbers, and early vertices tend to have many
    edges. Other strategies destroy that locality. A GPU uses this placement for a graph without one.

    Parameters
    ----------
    fast_memory
        The amount of fast memory: a number of bytes, or a text such as "8GiB".
    """

    name: ClassVar[str] = "as_numbered"
    fast_memory: int | str

    def __post_init__(self) -> None:
        parse_bytes(self.fast_memory)

    def choose(self, graph: Graph) -> npt.NDArray[np.bool_]:
        """All vertices from some vertex on."""
        rows, budget = graph.outgoing, parse_bytes(self.fast_memory)

        def fits(first: int) -> bool:
            arcs, offsets = rows.num_arcs - int(rows.indptr[first]), rows.num_vertices - first
            return arcs * edge_bytes(rows) + offsets * rows.indptr.itemsize <= budget

        fast = np.zeros(rows.num_vertices, dtype=np.bool_)
        fast[bisect_left(range(rows.num_vertices), True, key=fits) :] = True
        return fast

    def choose_within(self, graph: Graph, fast_memory: int | str | None) -> npt.NDArray[np.bool_]:
        """All vertices from some vertex on that fit the smaller of two budgets."""
        return AsNumbered(smallest(self.fast_memory, fast_memory)).choose(graph)
