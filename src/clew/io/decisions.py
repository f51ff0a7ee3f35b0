"""What a reader decided where a file does not say: kept in the graph's report, with the option that overrides it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from clew.graph import Graph
from clew.io.options import ReadOptions


def reported(graph: Graph, columns: Mapping[str, str], decisions: Iterable[str]) -> Graph:
    """The graph with a report that lists the columns of its file and what was decided about them."""
    report = graph.report.about(columns, decisions)
    return Graph(graph.outgoing, directed=graph.directed, names=graph.names, report=report, metadata=graph.metadata)


def about_direction(directed: bool, options: ReadOptions, *, by: str = "") -> tuple[str, ...]:
    """What is decided about direction, if the caller does not say; ``by`` is what in the file says so."""
    if options.directed is not None:
        return ()
    if by:
        way = "directed=False (--undirected)" if directed else "directed=True (--directed)"
        return (f"Edges are {'directed' if directed else 'undirected'}, as {by} says. Pass {way} to override it.",)
    return ("Edges were read as directed. Pass directed=False (--undirected) if they go both ways.",)
