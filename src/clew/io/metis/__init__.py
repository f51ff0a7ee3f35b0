"""METIS: a header ``n m [fmt [ncon]]``, then a line for each vertex with its neighbours, counted from 1.

``fmt`` has up to three digits: hundreds for a size of every vertex, tens for ``ncon`` weights of every vertex, units
for a weight after every neighbour. Lines that start with ``%`` are comments; an empty line is a vertex without
neighbours, so there are exactly n lines (blank ones at the end do not count). Vertex weights and sizes are kept in the
graph's metadata as ``vertex_weights`` (n, or n×ncon) and ``vertex_sizes``.

Every edge stands on the lines of both its ends, so that m edges make 2m entries. Other customs are told by the number
of entries:

- Self-loops, which METIS itself does not have, stand twice on their line where there are 2m entries in all (two entries
  are one edge then), or once where that makes the number right.
- m entries: every edge stands once, on the line of its source, as GAP's benchmark suite has it; the graph is directed.

METIS means vertex sizes by the hundreds digit, the DIMACS-10 challenge "may have self-loops and parallel edges".
Whichever reading gives the right number of entries holds; METIS's own comes first.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from clew.adjacency import Adjacency
from clew.dtypes import Array
from clew.errors import FormatError, GraphError
from clew.graph import Graph
from clew.io.metis.rows import Header, check_number_of_lines, looks_like_header, read_header, rows_and_direction
from clew.io.options import ReadOptions, WriteOptions, graph_from_rows
from clew.io.registry import Match
from clew.io.sink import Sink
from clew.io.source import Source
from clew.io.text.tokens import Tokens, read_tokens, token_dtype
from clew.io.text.writer import write_lines


def sniff(head: bytes) -> Match:
    """Maybe, where the first line that is no comment could be a header; many a list of edges starts like one, too."""
    for line in head.splitlines():
        if line.strip() and not line.lstrip().startswith(b"%"):
            return Match.MAYBE if looks_like_header(line) else Match.NO
    return Match.NO


def read(source: Source, options: ReadOptions) -> Graph:
    """Read a graph: undirected, unless every edge stands only once."""
    header = read_header(source)
    tokens = _tokens(source, header, options)
    check_number_of_lines(tokens, header)
    rows, directed = rows_and_direction(tokens, header)
    stored = (rows.indptr, rows.neighbours(), rows.weights)
    try:
        return graph_from_rows(*stored, options, directed=directed, metadata=rows.vertex_data())
    except GraphError:
        if directed if options.directed is None else options.directed:
            raise
        one_way = _one_way(graph_from_rows(*stored, replace(options, directed=True), directed=True))
        if one_way is None:
            raise
        raise tokens.error_at(one_way[0], _asymmetry(*one_way), by_line=True).advised(
            "Pass directed=True to read each entry as an edge of its own.",
            "With --directed, each entry is read as an edge of its own.",
        ) from None


def _tokens(source: Source, header: Header, options: ReadOptions) -> Tokens:
    """All numbers after the header; where they can only be neighbours, they are checked on the way."""
    plain = not (header.sizes or header.num_vertex_weights or header.edge_weights)
    return read_tokens(
        source,
        kind="number" if header.edge_weights else "id",
        name="neighbour" if plain else "number",
        range=(1, header.num_vertices) if plain else None,
        number_dtype=token_dtype(options),
        comments=b"%",
        after=header.line,
        progress=options.progress,
    )


def _one_way(graph: Graph) -> tuple[int, int] | None:
    from clew.build.rows import first_asymmetry

    return first_asymmetry(graph.outgoing)


def _asymmetry(vertex: int, neighbour: int) -> str:
    return (
        f"vertex {vertex + 1} and its neighbour {neighbour + 1} do not agree about the edge between them: it stands on "
        "one of their lines only, or with another weight or another number of times on the other one. Expected every "
        "edge on the lines of both its ends."
    )


def write(graph: Graph, sink: Sink, options: WriteOptions) -> None:
    """Write an undirected graph, with ``vertex_weights`` and ``vertex_sizes`` of its metadata where they are there.

    Every edge stands on the lines of both its ends, a self-loop twice on its own. METIS itself knows neither self-loops
    nor parallel edges; they are written all the same, since other programs read them. Names of vertices are not
    written: vertices are 1…n in their order.
    """
    _refuse_what_does_not_fit(graph, sink)
    sizes = _vertex_columns(graph, "vertex_sizes", sink)
    if len(sizes) > 1:
        raise FormatError(f"there are {len(sizes)} sizes per vertex; METIS has one.", path=sink.path)
    vertex_weights = _vertex_columns(graph, "vertex_weights", sink)
    digits = f"{len(sizes)}{int(bool(vertex_weights))}{int(graph.weighted)}"
    header = [str(graph.num_vertices), str(graph.num_edges)]
    if digits != "000":
        header.append(digits)
    if len(vertex_weights) > 1:
        header.append(str(len(vertex_weights)))
    sink.write(" ".join(header).encode() + b"\n")
    rows = graph.outgoing if not graph.num_loops else _with_loops_twice(graph.outgoing)
    columns = [rows.indices] if rows.weights is None else [rows.indices, rows.weights]
    write_lines(
        sink,
        rows.indptr,
        columns,
        leads=[*sizes, *vertex_weights],
        bases=[1, 0][: len(columns)],
        progress=options.progress,
    )


def _refuse_what_does_not_fit(graph: Graph, sink: Sink) -> None:
    if graph.directed:
        raise FormatError(
            "a METIS file holds an undirected graph, and this one is directed.",
            remedy="Write graph.symmetrized().",
            option="Make it undirected with --symmetrize.",
            path=sink.path,
        )
    if graph.weights is None:
        return
    if graph.weights.dtype.kind == "f":
        raise FormatError(
            f"METIS has integers for weights, not {graph.weights.dtype}.",
            remedy="Scale and round them first, for example with graph.with_weights((1000 * graph.weights).round()"
            ".astype('int64')), or drop them with graph.with_weights(None).",
            option="Drop them with --weights none, or take others, such as --weights random:1:255.",
            path=sink.path,
        )
    if graph.weights.size and graph.weights.min() < 1:
        raise FormatError(
            f"the smallest edge weight is {graph.weights.min()}; METIS has weights of 1 and more.",
            remedy="Shift or drop them first, with graph.with_weights(…).",
            option="Drop them with --weights none, or take others, such as --weights random:1:255.",
            path=sink.path,
        )


def _vertex_columns(graph: Graph, name: str, sink: Sink) -> list[Array]:
    """Sizes or weights of vertices from the metadata: an array each."""
    given: Any = graph.metadata.get(name)
    if given is None:
        return []
    values = np.asarray(given)
    if values.dtype.kind not in "iu" or values.ndim not in (1, 2) or values.shape[0] != graph.num_vertices:
        raise FormatError(
            f"metadata[{name!r}] has shape {values.shape} and dtype {values.dtype}; expected integers, one or a row of "
            f"them for each of the {graph.num_vertices:,} vertices.",
            path=sink.path,
        )
    if values.ndim == 1:
        return [values]
    return [np.ascontiguousarray(values[:, column]) for column in range(values.shape[1])]


def _with_loops_twice(rows: Adjacency) -> Adjacency:
    """Rows in which every edge has two entries, self-loops as well."""
    owners = np.repeat(np.arange(rows.num_vertices, dtype=rows.indices.dtype), rows.degrees())
    loops = np.flatnonzero(rows.indices == owners)
    indices: Array = np.insert(rows.indices, loops, rows.indices[loops])
    return Adjacency(
        rows.indptr + np.searchsorted(loops, rows.indptr),
        indices,
        None if rows.weights is None else np.insert(rows.weights, loops, rows.weights[loops]),
    )
