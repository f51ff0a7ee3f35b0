"""The check that an argument is a graph."""

from __future__ import annotations

from os import PathLike
from typing import Any

from clew.checks import kind_of
from clew.errors import GraphError
from clew.graph import Graph


def check_graph(graph: Any) -> None:
    """Reject anything but a graph, and say how to convert it."""
    if isinstance(graph, Graph):
        return
    kind = kind_of(graph)
    made = ""
    if isinstance(graph, str | PathLike):
        made = ": read the file with clew.read"
    elif kind.startswith("networkx."):
        made = ": convert it with clew.Graph.from_networkx"
    raise GraphError(f"the graph is of type {kind}; expected a clew.Graph{made}.")
