"""JSON of nodes and links, as ``networkx.node_link_data`` and D3 have it.

``{"directed": false, "nodes": [{"id": "ann", "age": 40}], "edges": [{"source": "ann", "target": "ann"}]}`` is a graph
of one node. The list of edges is called ``edges`` or ``links``. Other members of a node or an edge are attributes.
"""

from __future__ import annotations

import json
from typing import Any

from clew.graph import Graph
from clew.io.attributed import Content, names_of, write_edges, write_nodes
from clew.io.options import ReadOptions, WriteOptions
from clew.io.sink import Sink
from clew.io.source import Match, Source

LISTS = ("edges", "links")
WEIGHTED = "weighted"  # an attribute of the graph that clew writes where no edge shows it


def sniff(head: bytes) -> Match:
    """An object with nodes and edges; in a large file, the edges are beyond the first bytes."""
    start = head.lstrip()
    return Match.SURE if start.startswith(b"{") and b'"nodes"' in head else Match.NO


def read(source: Source, options: ReadOptions) -> Graph:
    """Read a graph with the attributes of its nodes and edges."""
    try:
        data = json.loads(source.whole().tobytes())
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", None)
        raise source.error(f"this is not JSON: {error}.", line=line) from None
    edges = next((data[name] for name in LISTS if isinstance(data, dict) and name in data), None)
    if not isinstance(edges, list) or not isinstance(data.get("nodes"), list):
        raise source.error('expected an object with the lists "nodes" and "edges" (or "links").')
    about = data.get("graph")
    weighted = isinstance(about, dict) and about.get(WEIGHTED) is True
    content = Content(directed=bool(data.get("directed", False)), weights_without_edges=weighted)
    for number, node in enumerate(data["nodes"]):
        _add(source, content.node_columns, number, node, ("id",), "node")
        if not content.add_node(_name(source, node["id"])):
            raise source.error(f"the node {node['id']!r} is there twice.")
    for number, edge in enumerate(edges):
        _add(source, content.edge_columns, number, edge, ("source", "target", "key"), "edge")
        content.source.append(_name(source, edge["source"]))
        content.target.append(_name(source, edge["target"]))
    as_text = any(isinstance(node, str) for node in content.nodes)
    said = f'"directed": {json.dumps(content.directed)}' if "directed" in data else 'the missing "directed"'
    return content.graph(source, options, as_text=as_text, directed_by=said)


def _add(source: Source, columns: dict[str, Any], number: int, item: Any, keys: tuple[str, ...], what: str) -> None:
    """Check a node or an edge, and add its attributes to the columns."""
    missing = [key for key in keys if key != "key" and (not isinstance(item, dict) or key not in item)]
    if missing:
        raise source.error(f"{what} number {number + 1} has no {missing[0]!r}: {json.dumps(item)[:80]}.")
    for name, value in item.items():
        if name not in keys:
            plain = value if isinstance(value, str | int | float | None) else json.dumps(value)
            columns.setdefault(name, {})[number] = plain


def _name(source: Source, name: Any) -> Any:
    if isinstance(name, bool) or not isinstance(name, int | str):
        raise source.error(f"a node is called {json.dumps(name)[:80]}; expected text or an integer.")
    return name


def write(graph: Graph, sink: Sink, options: WriteOptions) -> None:  # noqa: ARG001
    """Write a node and an edge per line, with their attributes; ``networkx.node_link_graph`` reads them."""
    names = names_of(graph)
    about = {WEIGHTED: True} if graph.weighted and not graph.num_arcs else {}
    start = {"directed": graph.directed, "multigraph": True, "graph": about}
    sink.write(json.dumps(start)[:-1].encode() + b', "nodes": [')
    write_nodes(graph, sink, lambda number, row: _line(number, {"id": names[number], **row}))
    sink.write(b'],\n"edges": [')
    write_edges(graph, sink, lambda number, u, v, row: _line(number, {"source": names[u], "target": names[v], **row}))
    sink.write(b"]}\n")


def _line(number: int, item: dict[str, Any]) -> str:
    return f"{',' if number else ''}\n{json.dumps(item, default=str)}"
