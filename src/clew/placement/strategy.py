"""Strategy: the base class of the placement strategies, and the breadth-first levels that several of them use."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import fields
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from clew import transform
from clew.algorithms.bfs import cpu
from clew.checks import parse_bytes
from clew.dtypes import as_bits
from clew.errors import GraphError
from clew.graph import Graph
from clew.placement.placement import Mask, Placement, as_budget, edge_bytes


class Strategy(ABC):
    """Chooses vertices for fast memory. Subclasses are frozen dataclasses whose fields are the options."""

    #: The name on the command line.
    name: ClassVar[str]

    @abstractmethod
    def choose(self, graph: Graph) -> Mask:
        """For every vertex, whether it should be in fast memory."""

    def place(self, graph: Graph, fast_memory: int | str | None = None) -> Placement:
        """Place the vertices of ``graph``.

        ``fast_memory`` limits the bytes, as a number or a text such as "8GiB". Chosen vertices are then taken in id
        order, and those whose row does not fit stay in slow memory.
        """
        return Placement.from_mask(graph, self.choose_within(graph, fast_memory), str(self))

    def choose_within(self, graph: Graph, fast_memory: int | str | None) -> Mask:
        """For every vertex, whether ``place`` puts it in fast memory."""
        chosen = transform.as_mask(self.choose(graph), graph.num_vertices)
        if fast_memory is None:
            return chosen
        from clew.placement import kernels

        fitting = chosen.copy()  # the strategy may own the mask
        rows = graph.outgoing
        sizes = (np.uint64(edge_bytes(rows)), np.uint64(rows.indptr.itemsize))
        kernels.keep_fitting(fitting, as_bits(rows.indptr), *sizes, as_budget(parse_bytes(fast_memory)))
        return fitting

    def __str__(self) -> str:
        """The command line's form: ``degree:out_degree=2,cutoff_percentile=80``."""
        values = ((option.name, option_text(getattr(self, option.name))) for option in fields(self))  # type: ignore[arg-type]
        options = ",".join(f"{name}={text}" for name, text in values if text)
        return f"{self.name}:{options}" if options else self.name


def option_text(value: Any) -> str:
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


def levels_from(graph: Graph, vertex: int) -> npt.NDArray[np.int32]:
    """The breadth-first level of every vertex, -1 where unreached."""
    depth: npt.NDArray[np.int32] = cpu.bfs(graph, vertex).values["depth"]
    return depth


def level_sizes(graph: Graph, depth: npt.NDArray[np.int32]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The number of vertices on every level, and the number of their edges."""
    vertices = np.bincount(depth + 1)[1:]  # the first count is of unreached vertices
    edges = np.bincount(depth + 1, weights=graph.degrees())[1:]
    return vertices, edges.astype(np.int64)
