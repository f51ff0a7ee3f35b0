"""DIMACS: shortest path problems (``.gr``, coordinates in ``.co``) and graphs to colour (``.col``, ``.clq``).

Vertices count from 1 in the files and from 0 in the graph; lines that start with ``c`` are comments.

``p sp N M`` and M lines ``a FROM TO WEIGHT`` are a directed graph. An undirected one is customarily stored with both
arcs of every edge: ``directed=False`` reads it as such, and that both are there is checked. Weights may be negative
or fractions, although the challenge had neither. If ``X.gr`` has an ``X.co`` beside it (either may be compressed),
its coordinates go to ``metadata["coordinates"]``, n × 2. A graph is written with all its arcs; weights of 1 where
there are none, since other readers insist on a weight. Coordinates are written by ``write_coordinates``, into a file
of their own.

``p edge N M`` (``p col`` and ``p edges`` occur too) and lines ``e FROM TO`` are an undirected graph. M is the number
of these lines in most published instances; in some, edges are counted twice but listed once, and these are read as
well, as is the opposite. Instances that list both directions (``queen*``, ``miles*``, the books of the Stanford
GraphBase) so have every edge twice: pass ``duplicates="drop"``. ``directed=True`` makes two arcs of every edge. Lines
``n VERTEX VALUE`` go to ``metadata["vertex_weights"]`` if they begin before the edges do, and are refused otherwise;
lines ``d``, ``v`` and ``x``, which describe how an instance was made, are skipped. Written are only undirected graphs
without edge weights: the format has no room for more.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from clew import transform
from clew.counts import counted
from clew.dtypes import Array
from clew.errors import FormatError
from clew.graph import Graph
from clew.io.apply import graph_from_edges, wanted_weights
from clew.io.dimacs.header import first_line, kind_of, read_problem
from clew.io.dimacs.vertices import coordinates_beside, read_coordinates, read_values, write_coordinates
from clew.io.header import check_rows, check_vertices
from clew.io.options import ReadOptions, WriteOptions, weight_dtype
from clew.io.registry import Format, Match
from clew.io.sink import Sink
from clew.io.source import HEAD_BYTES, Source
from clew.io.text import Layout, Line, leading_lines, read_table, write_table

__all__ = ["FORMAT", "read_coordinates", "write_coordinates"]


def sniff_paths(head: bytes) -> Match:
    """Sure of shortest path problems, and of their coordinates, so that these can be refused with good advice."""
    return _sniff(head, "shortest path", "coordinates")


def sniff_graph(head: bytes) -> Match:
    """Sure of graphs to colour."""
    return _sniff(head, "graph")


def read_paths(source: Source, options: ReadOptions) -> Graph:
    """Read a shortest path problem."""
    problem = read_problem(source, "shortest path", ("vertices", "arcs"))
    num_vertices, num_arcs = problem.counts
    layout = Layout(
        ("id", "id", "skip" if options.weights is False else "number"),
        ("source", "target", "weight"),
        ((1, num_vertices),) * 2,
        base=1,
        number_dtype=None if options.weight_dtype is None else weight_dtype(options.weight_dtype),
        comments=b"c",
        prefix=b"a",
    )
    table = read_table(source, layout, after=problem.line, progress=options.progress)
    check_rows(table, problem.words[1], num_arcs, "arcs")
    check_vertices(source, problem.words[0], num_vertices, num_arcs)
    source_ids, target_ids = table.ids
    return Graph.from_edges(
        source_ids,
        target_ids,
        wanted_weights(table.numbers, options),
        num_vertices,
        options.directed is not False,
        options.duplicates,
        options.loops,
        both_directions=True,
        consume=True,
        metadata=_coordinates(source, num_vertices, options),
    )


def read_graph(source: Source, options: ReadOptions) -> Graph:
    """Read a graph to colour."""
    problem = read_problem(source, "graph", ("vertices", "edges"))
    num_vertices, promised = problem.counts
    valued = _has_values(source, problem.line)
    layout = Layout(
        ("id", "id"),
        ("source", "target"),
        ((1, num_vertices),) * 2,
        base=1,
        comments=b"cdvxn" if valued else b"cdvx",
        prefix=b"e",
    )
    table = read_table(source, layout, after=problem.line, progress=options.progress)
    if promised not in (2 * table.num_rows, table.num_rows / 2):
        check_rows(table, problem.words[1], promised, "edges")
    check_vertices(source, problem.words[0], num_vertices, table.num_rows)
    metadata = {"vertex_weights": read_values(source, problem.line, num_vertices)} if valued else None
    source_ids, target_ids = table.ids
    options = replace(options, ids="keep")  # names are for edge lists; here they would part vertices from their values
    return graph_from_edges(
        source_ids, target_ids, None, options, directed=False, num_vertices=num_vertices, metadata=metadata
    )


def write_paths(graph: Graph, sink: Sink, options: WriteOptions) -> None:
    """Write a shortest path problem."""
    source, target, weights = transform.edges(graph.outgoing, once=False)
    sink.write(f"p sp {graph.num_vertices} {graph.num_arcs}\n".encode())
    lengths: Array = np.ones(graph.num_arcs, dtype=np.int8) if weights is None else weights
    write_table(sink, [source, target, lengths], bases=(1, 1, 0), prefix=b"a ", progress=options.progress)


def write_graph(graph: Graph, sink: Sink, options: WriteOptions) -> None:
    """Write a graph to colour."""
    if graph.directed or graph.weighted:
        what, remedy = (
            ("directed", "graph.symmetrized()") if graph.directed else ("weighted", "graph.with_weights(None)")
        )
        raise FormatError(
            f"the graph is {what}, and this format holds only undirected graphs without edge weights; write {remedy} "
            "instead, or choose another format.",
            path=sink.path,
        )
    source, target, _ = graph.edges()
    sink.write(f"p edge {graph.num_vertices} {source.size}\n".encode())
    values: Any = graph.metadata.get("vertex_weights")
    if isinstance(values, np.ndarray) and values.shape == (graph.num_vertices,) and values.dtype.kind in "iuf":
        write_table(sink, [np.arange(1, graph.num_vertices + 1), values], prefix=b"n ")
    write_table(sink, [source, target], bases=(1, 1), prefix=b"e ", progress=options.progress)


def _sniff(head: bytes, *kinds: str) -> Match:
    line = first_line(head)
    if line is None:  # nothing but comments as far as can be seen
        return Match.MAYBE if len(head) == HEAD_BYTES else Match.NO
    return Match.SURE if line.startswith((b"p ", b"p\t")) and kind_of(line) in kinds else Match.NO


def _coordinates(source: Source, num_vertices: int, options: ReadOptions) -> dict[str, Any]:
    """What the file of coordinates beside the graph says, if there is one."""
    path = coordinates_beside(source.path)
    if path is None:
        return {}
    found = read_coordinates(path, max_expanded_bytes=options.max_expanded_bytes)
    if len(found) != num_vertices:
        raise FormatError(
            f"there are coordinates of {counted(len(found), 'vertex')}, but {source.name} has {num_vertices:,}; "
            "if they are of "
            "another graph, give this file another name.",
            path=path,
        )
    return {"coordinates": found}


def _has_values(source: Source, after: Line) -> bool:
    """Whether the first line after the problem line that is no comment is about a vertex."""
    lines = (line.text.strip() for line in leading_lines(source) if line.number > after.number)
    return next((text for text in lines if text and not text.startswith(b"c")), b"").startswith(b"n")


FORMAT = (
    Format("dimacs", "DIMACS shortest paths", (".gr",), sniff_paths, read_paths, write_paths, keeps_direction=False),
    Format(
        "dimacs-col",
        "DIMACS graph colouring and cliques",
        (".col", ".clq"),
        sniff_graph,
        read_graph,
        write_graph,
        keeps_metadata=("vertex_weights",),
    ),
)
