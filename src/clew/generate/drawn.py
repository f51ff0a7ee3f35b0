"""Edges that a generator draws one by one: any range of them can be drawn by itself, on any worker of a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from clew.dtypes import IdArray
from clew.generate.arguments import check_memory_of_edges
from clew.graph import Duplicates, Graph, Loops

_postponed: ContextVar[bool] = ContextVar("postponed", default=False)


@dataclass(frozen=True)
class Drawn:
    """The edges of a generator.

    Parameters
    ----------
    num_vertices, num_edges
        The size of the graph.
    draw
        The sources and targets of some edges, given the first of them and their number.
    directed, duplicates, loops
        As in ``Graph.from_edges``.
    """

    num_vertices: int
    num_edges: int
    draw: Callable[[int, int], tuple[IdArray, IdArray]]
    directed: bool
    duplicates: Duplicates = "keep"
    loops: Loops = "keep"

    def graph(self) -> Graph:
        """The graph; inside ``postponed()``, these edges, which are still to be drawn."""
        if _postponed.get():
            return self  # type: ignore[return-value]
        check_memory_of_edges(self.num_vertices, self.num_edges, directed=self.directed)
        source, target = self.draw(0, self.num_edges)
        return Graph.from_edges(
            source, target, None, self.num_vertices, self.directed, self.duplicates, self.loops, consume=True
        )


@contextmanager
def postponed() -> Iterator[None]:
    """Let generators of drawn edges return a ``Drawn``; the others build their graph as always."""
    token = _postponed.set(True)
    try:
        yield
    finally:
        _postponed.reset(token)
