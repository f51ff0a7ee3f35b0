"""What a file cannot hold of a graph, so that whoever reads it will not find it."""

from __future__ import annotations

from clew.counts import counted
from clew.graph import Graph
from clew.io.registry import EDGE_LIST, Format


def lost(graph: Graph, one: Format, suffix: str, undirected: str = "directed=False") -> list[str]:
    """What is not kept where the graph is written in this format to a file with this suffix, a phrase each.

    ``undirected`` is the option with which a file is read as an undirected graph.
    """
    found = []
    if graph.names is not None and not one.keeps_names:
        found.append("the names of vertices, which are numbers there")
    if one.name == EDGE_LIST and not _is_counted(graph, suffix) and (isolated := graph.describe().isolated):
        found.append(f"{counted(isolated, 'vertex')} without edges")
    if not graph.directed and not (one.keeps_direction and _is_marked(one, suffix)):
        found.append(f"that edges go both ways: read it with {undirected}")
    if not graph.weighted and (one.name == "dimacs" or (one.name == "gap" and suffix == ".wsg")):
        found.append("that edges have no weights: each has weight 1 there")
    kept = graph.metadata if one.keeps_metadata is None else one.keeps_metadata
    if dropped := [key for key in graph.metadata if key not in kept]:
        found.append(f"the metadata {', '.join(map(str, dropped))}")
    return found


def _is_counted(graph: Graph, suffix: str) -> bool:
    """Whether an edge list says how many vertices there are: it does where there are no edges and it has comments."""
    from clew.io.edge_list.writer import WITH_HEADER

    return not graph.num_arcs and graph.names is None and suffix not in WITH_HEADER


def _is_marked(one: Format, suffix: str) -> bool:
    """Whether an undirected graph says that it is one: an edge list does in a comment, which not all of them have."""
    from clew.io.edge_list.writer import WITH_HEADER, WITHOUT_COMMENTS

    return one.name != EDGE_LIST or suffix not in (*WITH_HEADER, *WITHOUT_COMMENTS)
