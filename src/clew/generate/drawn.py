"""Edges that a generator draws one by one: any range of them can be drawn by itself, on any worker of a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from clew import threads
from clew.build.rows import Policies
from clew.dtypes import IdArray
from clew.generate.arguments import check_memory, check_memory_of_edges
from clew.graph import Duplicates, Graph, Loops
from clew.packed.build import EdgeSource, build_packed

BATCH = 1 << 18  # edges that a thread draws at once: they stay in its cache

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
    packed
        Whether the graph is packed. Its plain edges are then never in memory all at once.
    """

    num_vertices: int
    num_edges: int
    draw: Callable[[int, int], tuple[IdArray, IdArray]]
    directed: bool
    duplicates: Duplicates = "keep"
    loops: Loops = "keep"
    packed: bool = False

    def graph(self) -> Graph:
        """The graph; inside ``postponed()``, these edges, which are still to be drawn."""
        if _postponed.get():
            return self  # type: ignore[return-value]
        if self.packed:
            return self.packed_graph()
        check_memory_of_edges(self.num_vertices, self.num_edges, directed=self.directed)
        source, target = self.draw(0, self.num_edges)
        return Graph.from_edges(
            source, target, None, self.num_vertices, self.directed, self.duplicates, self.loops, consume=True
        )

    def packed_graph(self, room: int | None = None) -> Graph:
        """The packed graph, drawn several times; plain rows take ``room`` bytes, or three fifths of free memory."""
        least = 8 * self.num_vertices + self.num_edges // 8
        check_memory(least, self.num_vertices, self.num_edges)
        shares = max(1, min(threads.count() * threads.PIECES_PER_THREAD, self.num_edges // BATCH))

        def batches(share: int) -> Iterator[tuple[IdArray, IdArray, None]]:
            first, stop = (self.num_edges * each // shares for each in (share, share + 1))
            for start in range(first, stop, BATCH):
                yield *self.draw(start, min(BATCH, stop - start)), None

        mirror = not self.directed
        policies = Policies(self.directed, self.duplicates, self.loops, mirror=mirror)
        built = build_packed(EdgeSource(shares, batches, lambda: (self.num_vertices, None)), policies, room)
        return Graph(built.adjacency, directed=self.directed, report=built.report)


@contextmanager
def postponed() -> Iterator[None]:
    """Let generators of drawn edges return a ``Drawn``; the others build their graph as always."""
    token = _postponed.set(True)
    try:
        yield
    finally:
        _postponed.reset(token)
