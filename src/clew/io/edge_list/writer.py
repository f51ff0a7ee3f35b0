"""Writing edge lists: every edge as a line, names in quotes where they would not be read back unchanged."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from clew.dtypes import Array
from clew.graph import Graph
from clew.io import foreign
from clew.io.attributes import write_text
from clew.io.columns import is_known, known_ends
from clew.io.edge_list.sample import checked_delimiter
from clew.io.options import WriteOptions
from clew.io.registry import GAP_SUFFIXES, NO_HEADER, TABLE_SUFFIXES
from clew.io.sink import Sink
from clew.io.text.writer import Labels, write_table
from clew.names import VertexNames

BLOCK_EDGES = 1 << 21
DELIMITERS = {".csv": b",", ".tsv": b"\t"}
STARTS = ("graph", "digraph", "strict", "*")  # of GML, DOT and Pajek
# Names that would not be read back unchanged: numbers, comments, and names with blanks, quotes, control characters or
# delimiters.
_IN_NEED_OF_QUOTES = (
    r"^$|^[#%\x{feff}]|[\x00-\x20\",;|\x7f]"
    r"|^[+-]?([0-9]+\.?[0-9]*(e[+-]?[0-9]+)?|\.[0-9]+(e[+-]?[0-9]+)?|nan|inf|infinity)$"
)


def write(graph: Graph, sink: Sink, options: WriteOptions) -> None:
    """Write every edge as a line."""
    delimiter = DELIMITERS.get(sink.suffix, b" ")
    if options.delimiter is not None:
        delimiter = checked_delimiter(options.delimiter) or b" "
    header = sink.suffix in TABLE_SUFFIXES if options.header is None else options.header
    if graph.attributes.edges is not None and sink.suffix in TABLE_SUFFIXES:
        write_text(graph, sink, delimiter, header)
        return
    labels = None if graph.names is None else _labels(graph.names, delimiter, sink)
    if header:
        names = [b"source", b"target", *([b"weight"] if graph.weighted else [])]
        sink.write(delimiter.join(names) + b"\n")
    elif not graph.directed and sink.suffix not in GAP_SUFFIXES:
        sink.write(b"# sym weighted\n" if graph.weighted else b"# sym unweighted\n")
    if not header and graph.names is not None and _looks_like_no_edge(graph, graph.names):
        sink.write(NO_HEADER + b"\n")
    if not graph.num_arcs and not header:  # an empty file would not be read back
        sink.write(f"# {graph.num_vertices} vert{'ex' if graph.num_vertices == 1 else 'ices'}, no edges\n".encode())
    for source, target, weights in _edges(graph):
        ends = (source, target) if labels is None else (Labels(source, labels), Labels(target, labels))
        write_table(sink, ends if weights is None else (*ends, weights), delimiter=delimiter)
        if options.progress is not None:
            options.progress(sink.written, None)


def _looks_like_no_edge(graph: Graph, names: VertexNames) -> bool:
    """Whether the first line would be read as column names, or as the start of another format."""
    if not graph.num_arcs or names.are_integers:
        return False
    source = int(np.searchsorted(graph.indptr, 0, "right")) - 1  # the first row that is not empty
    first = [str(names[vertex]) for vertex in (source, graph.indices[0])]
    if known_ends(first) is not None or all(map(is_known, first)):
        return True
    line = " ".join(first)
    return line.lower().startswith(STARTS) or foreign.by_content(line.encode()) is not None


def _edges(graph: Graph) -> Iterator[tuple[Array, Array, Array | None]]:
    """The edges of a few rows at a time; an undirected one once."""
    indptr = graph.indptr
    cuts = np.arange(0, graph.num_arcs + BLOCK_EDGES, BLOCK_EDGES)
    rows = np.unique(np.append(np.searchsorted(indptr, cuts, "right") - 1, graph.num_vertices))
    rows = np.clip(rows, 0, graph.num_vertices)
    for first, last in pairwise(rows.tolist()):
        edges = edges_of_rows(graph, first, last)
        if edges[0].size:
            yield edges


def edges_of_rows(graph: Graph, first: int, last: int) -> tuple[Array, Array, Array | None]:
    """The edges of rows first…last-1; an undirected one once."""
    part = slice(int(graph.indptr[first]), int(graph.indptr[last]))
    target: Array = graph.indices[part]
    source: Array = np.repeat(np.arange(first, last, dtype=target.dtype), np.diff(graph.indptr[first : last + 1]))
    weights = None if graph.weights is None else graph.weights[part]
    if graph.directed:
        return source, target, weights
    once = source <= target
    return source[once], target[once], None if weights is None else weights[once]


def _labels(names: VertexNames, delimiter: bytes, sink: Sink) -> pa.Array[Any]:
    """The names as they are written: integers as they are, strings in quotes where they need them."""
    values = names.array
    if names.are_integers:
        return values
    broken = pc.match_substring_regex(values, "[\r\n]")
    if pc.any(broken).as_py():
        name = values.filter(broken)[0].as_py()
        raise sink.error(
            f"the vertex name {name!r} has a line end in it, which an edge list cannot hold; "
            "rename the vertex, or write a .clew file."
        )
    needy = pc.or_(
        pc.match_substring_regex(values, _IN_NEED_OF_QUOTES, ignore_case=True),
        pc.match_substring(values, delimiter.decode()),
    )
    if not pc.any(needy).as_py():
        return values
    quote, nothing = (pa.scalar(text, pa.large_string()) for text in ('"', ""))
    doubled = pc.replace_substring(values, '"', '""')
    quoted = pc.binary_join_element_wise(quote, doubled, quote, nothing)  # type: ignore[call-overload]
    written: pa.Array[Any] = pc.if_else(needy, quoted, values)
    return written
