"""Strategy: what decides where vertices go. One file each; this is what they share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import fields
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from clew.dtypes import as_bits
from clew.errors import GraphError
from clew.graph import Graph
from clew.placement.placement import Placement, row_bytes
from clew.placement.sizes import parse_bytes


class Strategy(ABC):
    """Chooses vertices for fast memory. Subclasses are frozen dataclasses whose fields are the knobs."""

    #: What the command line calls it.
    name: ClassVar[str]

    @abstractmethod
    def choose(self, graph: Graph) -> npt.NDArray[np.bool_]:
        """For every vertex, whether it should be in fast memory."""

    def place(self, graph: Graph, fast_memory: int | str | None = None) -> Placement:
        """Where the vertices of ``graph`` go.

        With ``fast_memory``, a number of bytes or a text such as "8GiB", no more than that is used: chosen vertices
        are taken in the order of their ids, and those whose row does not fit any more stay in slow memory.
        """
        chosen = self.choose(graph)
        if fast_memory is not None:
            chosen = fitting(graph, np.flatnonzero(chosen), parse_bytes(fast_memory))
        return Placement.from_mask(graph, chosen, str(self))

    def __str__(self) -> str:
        """As on the command line: ``degree:out_degree=2,cutoff_percentile=80``."""
        knobs = ((knob.name, getattr(self, knob.name)) for knob in fields(self))  # type: ignore[arg-type]
        told = ",".join(f"{name}={shown(value)}" for name, value in knobs if shown(value))
        return f"{self.name}:{told}" if told else self.name


def shown(value: Any) -> str:
    """A knob's value as text; nothing where a command line cannot say it."""
    if isinstance(value, tuple):
        return "-".join(map(str, value)) if all(isinstance(part, int) for part in value) else ""
    return f"{value:g}" if isinstance(value, float) else str(value)


def fitting(graph: Graph, order: npt.NDArray[np.int64], budget: int) -> npt.NDArray[np.bool_]:
    """Those of the vertices ``order``, taken in that order, whose rows fit into the budget; who does not is skipped."""
    from clew.placement import kernels_budget

    fast = np.zeros(graph.num_vertices, dtype=np.bool_)
    kernels_budget.fill(as_bits(order), as_bits(row_bytes(graph.outgoing)), np.uint64(min(budget, 2**63)), fast)
    return fast


def vertex_of(graph: Graph, source: int | str) -> int:
    """The id of a vertex named by the user, on a command line perhaps, where numbers are text."""
    names_are_integers = graph.names is None or graph.names.are_integers
    if isinstance(source, str) and names_are_integers:
        try:
            return graph.vertex(int(source))
        except ValueError:
            raise GraphError(f"{source!r} is not a vertex: the vertices of this graph are integers.") from None
    return graph.vertex(source)
