"""Ligra: ``AdjacencyGraph`` or ``WeightedAdjacencyGraph``, then numbers, with blanks or line ends between them.

The numbers are n and m, the n offsets of the rows, and the m neighbours, counted from 0. Weighted graphs have m weights
after them. Edges are directed. An undirected graph has each edge in both rows, but the file does not say so: read it
with ``directed=False``, which checks it. Names of vertices are not written.

A variant for graphs placed in two memories has one more number D before n. The first D vertices belong in slow memory,
the others in fast memory. D becomes ``metadata["placement_boundary"]``. The count of numbers, and that the first row
starts at 0, distinguish the variants. There is one exception: D = 1 without edges looks like one vertex with
self-loops. It is read as such, and never written.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from clew.adjacency import BOUNDARY
from clew.checks import counted
from clew.dtypes import Array
from clew.graph import Graph
from clew.io.foreign import IF_EDGES
from clew.io.options import ReadOptions, WriteOptions, graph_from_rows
from clew.io.sink import Sink
from clew.io.source import Match, Source
from clew.io.text import Kind, Layout, Line, leading_lines, shown
from clew.io.text.tokens import Tokens, first_misfit, read_tokens, shown_number, token_dtype
from clew.io.text.writer import write_table

PLAIN, WEIGHTED = b"AdjacencyGraph", b"WeightedAdjacencyGraph"


class _Parts(NamedTuple):
    """The positions of the parts in the stream of numbers."""

    num_vertices: int
    num_edges: int
    offsets: int
    edges: int
    weights: int


def sniff(head: bytes) -> Match:
    """Sure, if the first word is one of the two."""
    return Match.SURE if head.split(maxsplit=1)[:1] in ([PLAIN], [WEIGHTED]) else Match.NO


def read(source: Source, options: ReadOptions) -> Graph:
    """Read a graph, directed unless the caller says otherwise."""
    word, line = _first_word(source)
    weighted = word == WEIGHTED
    alone = line.text.strip() == word
    if not alone:
        source = _blanked(source, line, word)
    kind: Kind = "number" if weighted else "id"
    layout = Layout((kind,), ("number",), number_dtype=token_dtype(options), comments=b"")
    after = line if alone else None
    tokens = read_tokens(source, layout, lines=False, after=after, progress=options.progress)
    boundary, parts = _parts(tokens, weighted)
    offsets = _integers(tokens, parts.offsets, parts.edges, "offset of a row", 0, parts.num_edges)
    descents = np.flatnonzero(offsets[1:] < offsets[:-1])
    if descents.size:
        second = int(descents[0]) + 1
        raise tokens.error_at(
            parts.offsets + second,
            f"the offset of row {second} is {offsets[second]}, which is less than {offsets[second - 1]}, that of the "
            "row before; expected offsets that ascend.",
        )
    last = parts.num_vertices - 1
    indices = _integers(tokens, parts.edges, parts.weights, "neighbour", 0, last)
    indptr = np.append(offsets, parts.num_edges).astype(np.int64, copy=False)
    weights = tokens.values[parts.weights :].copy() if weighted else None
    metadata = None if boundary is None else {BOUNDARY: boundary}
    return graph_from_rows(indptr, indices, weights, options, directed=True, metadata=metadata)


def _first_word(source: Source) -> tuple[bytes, Line]:
    expected = f"expected '{PLAIN.decode()}' or '{WEIGHTED.decode()}'"
    line = next(leading_lines(source, b""), None)
    if line is None:
        raise source.error(f"the file is empty; {expected} and numbers.")
    word = line.text.split(maxsplit=1)[0]
    if word in (PLAIN, WEIGHTED):
        return word, line
    problem = f"the file starts with {shown(word)}; {expected}."
    raise source.error(problem, line=line.number, column=line.column(word)).advised(IF_EDGES)


def _blanked(source: Source, line: Line, word: bytes) -> Source:
    """The file with its first word blanked out, for files with numbers on the same line."""
    text = source.whole().copy()
    start = line.offset + line.column(word) - 1
    text[start : start + len(word)] = ord(" ")
    blanked = Source(text.data)
    blanked.name = source.name
    return blanked


def _parts(tokens: Tokens, weighted: bool) -> tuple[int | None, _Parts]:
    """The boundary D, if there is one, and the parts of the stream, checked against the count of numbers."""
    values = tokens.values
    if _fits(values, 0, weighted):
        return None, _parts_from(values, 0)
    if _fits(values, 1, weighted):
        boundary = _integers(tokens, 0, 1, "placement boundary", 0, int(values[1]))
        return int(boundary[0]), _parts_from(values, 1)
    if values.size < 2:
        raise tokens.source.error(
            f"the file ends after {values.size} numbers; expected the numbers of vertices and edges. Is it cut short?"
        )
    wrong = first_misfit(values[:2], 0, np.iinfo(np.int64).max)
    if wrong is not None:
        what = ("vertices", "edges")[wrong]
        raise tokens.error_at(
            wrong, f"the number of {what} is {shown_number(values[wrong])}; expected an integer of 0 or more."
        )
    parts = _parts_from(values, 0)
    expected = parts.weights + weighted * parts.num_edges
    if values.size != expected:
        problem = (
            f"{counted(parts.num_vertices, 'vertex')} and {counted(parts.num_edges, 'edge')} make "
            f"{counted(expected, 'number')}{' with the weights' if weighted else ''}, but there are {values.size:,}"
        )
        if values.size > expected:
            raise tokens.error_at(expected, f"{problem}; this is the first one too many.")
        raise tokens.error_at(1, f"{problem}; is the file cut short?")
    if not parts.num_vertices:
        raise tokens.error_at(
            1, f"the header has {counted(parts.num_edges, 'edge')} but no vertices; expected no edges."
        )
    raise tokens.error_at(2, f"the first row starts at offset {shown_number(values[2])}; expected 0.")


def _fits(values: Array, first: int, weighted: bool) -> bool:
    """Whether n is at ``first`` and the parts after it have the right lengths."""
    sizes = values[first : first + 2]
    if sizes.size < 2 or first_misfit(sizes, 0, values.size) is not None:
        return False
    parts = _parts_from(values, first)
    if values.size != parts.weights + weighted * parts.num_edges:
        return False
    return bool(values[parts.offsets] == 0) if parts.num_vertices else parts.num_edges == 0


def _parts_from(values: Array, first: int) -> _Parts:
    n, m = int(values[first]), int(values[first + 1])
    return _Parts(n, m, first + 2, first + 2 + n, first + 2 + n + m)


def _integers(tokens: Tokens, start: int, stop: int, what: str, low: int, high: int) -> Array:
    return tokens.integers(tokens.values[start:stop], what, low, high, lambda index: start + index)


def write(graph: Graph, sink: Sink, options: WriteOptions) -> None:
    """Write a graph, an undirected one with both directions; ``placement_boundary`` of its metadata as D."""
    header = [graph.num_vertices, graph.num_arcs]
    boundary = graph.metadata.get(BOUNDARY)
    if boundary is not None:
        header.insert(0, _checked_boundary(boundary, graph, sink))
    sink.write(WEIGHTED if graph.weighted else PLAIN)
    sink.write("".join(f"\n{number}" for number in header).encode() + b"\n")
    for column in (graph.indptr[:-1], graph.indices, graph.weights):
        if column is not None:
            write_table(sink, [column], progress=options.progress)


def _checked_boundary(boundary: object, graph: Graph, sink: Sink) -> int:
    if not isinstance(boundary, (int, np.integer)) or not 0 <= boundary <= graph.num_vertices:
        raise sink.error(
            f"metadata[{BOUNDARY!r}] is {boundary!r}; expected an integer from 0 to {graph.num_vertices}, the number "
            "of vertices."
        )
    if boundary == 1 and not graph.num_arcs and not graph.weighted:
        raise sink.error(
            f"metadata[{BOUNDARY!r}] is 1 and there are no edges: the file would read like a graph of one vertex with "
            "self-loops. Leave the boundary out of the metadata."
        )
    return int(boundary)
