"""Strategy: the base class of the placement strategies."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import fields
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from clew import transform
from clew.dtypes import as_bits
from clew.errors import GraphError
from clew.graph import Graph
from clew.placement.placement import Placement, edge_bytes
from clew.placement.sizes import as_budget, parse_bytes


class Strategy(ABC):
    """Chooses vertices for fast memory. Subclasses are frozen dataclasses whose fields are the options."""

    #: What the command line calls it.
    name: ClassVar[str]

    @abstractmethod
    def choose(self, graph: Graph) -> npt.NDArray[np.bool_]:
        """For every vertex, whether it should be in fast memory."""

    def place(self, graph: Graph, fast_memory: int | str | None = None) -> Placement:
        """Place the vertices of ``graph``.

        ``fast_memory`` limits the bytes, as a number or a text such as "8GiB". Chosen vertices are then taken in id
        order, and those whose row does not fit stay in slow memory.
        """
        return Placement.from_mask(graph, self.choose_within(graph, fast_memory), str(self))

    def choose_within(self, graph: Graph, fast_memory: int | str | None) -> npt.NDArray[np.bool_]:
        """For every vertex, whether ``place`` puts it in fast memory."""
        chosen = transform.as_mask(self.choose(graph), graph.num_vertices)
        if fast_memory is None:
            return chosen
        from clew.placement import kernels_groups

        fitting = chosen.copy()  # what was chosen may be somebody else's
        rows = graph.outgoing
        sizes = (np.uint64(edge_bytes(rows)), np.uint64(rows.indptr.itemsize))
        kernels_groups.keep_fitting(fitting, as_bits(rows.indptr), *sizes, as_budget(parse_bytes(fast_memory)))
        return fitting

    def __str__(self) -> str:
        """The command line's form: ``degree:out_degree=2,cutoff_percentile=80``."""
        knobs = ((knob.name, getattr(self, knob.name)) for knob in fields(self))  # type: ignore[arg-type]
        options = ",".join(f"{name}={shown(value)}" for name, value in knobs if shown(value))
        return f"{self.name}:{options}" if options else self.name


def shown(value: Any) -> str:
    """An option's value as text; empty if a command line cannot express it."""
    if isinstance(value, tuple):
        return "-".join(map(str, value)) if all(isinstance(part, int) for part in value) else ""
    return f"{value:g}" if isinstance(value, float) else str(value)


def vertex_of(graph: Graph, source: int | str) -> int:
    """The id of a named vertex; on a command line, numbers are text."""
    names_are_integers = graph.names is None or graph.names.are_integers
    if isinstance(source, str) and names_are_integers:
        try:
            source = int(source)
        except ValueError:
            raise GraphError(f"{source!r} is not a vertex: the vertices of this graph are integers.") from None
    return graph.vertex(source)
