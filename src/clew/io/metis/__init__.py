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

from clew.errors import GraphError
from clew.graph import Graph
from clew.io.apply import graph_from_rows
from clew.io.metis.entries import check_number_of_lines, rows_and_direction
from clew.io.metis.header import Header, looks_like_header, read_header
from clew.io.metis.writer import write
from clew.io.misfits import token_dtype
from clew.io.options import ReadOptions
from clew.io.registry import Format, Match
from clew.io.source import Source
from clew.io.text import Tokens, read_tokens


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
        raise tokens.error_in_line(one_way[0], _asymmetry(*one_way)).advised(
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


FORMAT = Format(
    "metis",
    "METIS graph",
    (".graph", ".mgraph", ".metis"),
    sniff,
    read,
    write,
    keeps_metadata=("vertex_weights", "vertex_sizes"),
)
