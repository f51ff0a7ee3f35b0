"""METIS: a header ``n m [fmt [ncon]]``, then a line for each vertex with its neighbours, counted from 1.

``fmt`` has up to three digits. The hundreds digit adds a size to every vertex, the tens digit ``ncon`` weights, and the
units digit a weight after every neighbour. Lines that start with ``%`` are comments. An empty line is a vertex without
neighbours, so there are exactly n lines, apart from blank ones at the end. Vertex weights and sizes become the metadata
``vertex_weights`` (n, or n×ncon) and ``vertex_sizes``.

Every edge is on the lines of both ends, so m edges have 2m entries. The number of entries reveals other conventions:

- METIS itself has no self-loops. With 2m entries in all, a self-loop has two entries on its line; otherwise it has one.
- With m entries, every edge is listed once, on the line of its source, as in GAP's benchmark suite. The graph is
  directed.

The hundreds digit means vertex sizes in METIS, and "may have self-loops and parallel edges" in the DIMACS-10 challenge.
clew uses the reading that gives the right number of entries, and tries that of METIS first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from clew.adjacency import Adjacency
from clew.build.rows import first_asymmetry
from clew.checks import counted
from clew.dtypes import Array, OffsetArray
from clew.errors import FormatError, GraphError
from clew.graph import Graph
from clew.io.options import OTHER_WEIGHTS, ReadOptions, WriteOptions, graph_from_rows
from clew.io.sink import Sink
from clew.io.source import Match, Source
from clew.io.text import Layout, Line, Word, first_rows, leading_lines
from clew.io.text.tables import offsets
from clew.io.text.tokens import Tokens, read_tokens, shown_number, token_dtype
from clew.io.text.writer import write_lines

NAMES = ("number of vertices", "number of edges", "format", "number of weights per vertex")
_FMT = re.compile(rb"[01]{1,3}")
_INT64 = np.iinfo(np.int64)
_EXACT = 1 << 53  # a double beyond it may be another integer than the one in the file


def sniff(head: bytes) -> Match:
    """Maybe, if the first line after comments could be a header; edge lists may start like one."""
    words = next(first_rows(head, b"%"), b"").split()
    could = 2 <= len(words) <= len(NAMES) and all(map(bytes.isdigit, words)) and all(map(_FMT.fullmatch, words[2:3]))
    return Match.MAYBE if could else Match.NO


def read(source: Source, options: ReadOptions) -> Graph:
    """Read a graph: undirected, unless every edge is listed only once."""
    header = read_header(source)
    plain = not (header.sizes or header.num_vertex_weights or header.edge_weights)
    layout = Layout(
        ("number" if header.edge_weights else "id",),
        ("neighbour" if plain else "number",),
        ((1, header.num_vertices) if plain else None,),
        number_dtype=token_dtype(options),
        comments=b"%",
    )
    tokens = read_tokens(source, layout, after=header.line, progress=options.progress)
    _check_number_of_lines(tokens, header)
    rows, directed = _rows_and_direction(tokens, header)
    stored = (rows.indptr, rows.neighbours(), rows.weights)
    try:
        return graph_from_rows(*stored, options, directed=directed, metadata=rows.vertex_data())
    except GraphError:
        if directed if options.directed is None else options.directed:
            raise
        graph = graph_from_rows(*stored, replace(options, directed=True), directed=True)
        if (arc := first_asymmetry(graph.outgoing)) is None:
            raise
        raise tokens.error_at(
            arc[0],
            f"vertex {arc[0] + 1} and its neighbour {arc[1] + 1} do not agree about the edge between them. It stands "
            "on one of their lines only, or with another weight or number of copies on the other. Expected "
            "every edge on the lines of both its ends.",
            by_line=True,
        ).advised("Pass directed=True to read each entry as an edge of its own.") from None


@dataclass(frozen=True, slots=True)
class Header:
    """What a header says.

    Parameters
    ----------
    num_vertices, num_edges
        What it promises.
    sizes
        Whether the hundreds digit of the format is set: each line starts with the vertex's size, if METIS is meant.
    num_vertex_weights
        How many weights each vertex has.
    edge_weights
        Whether a weight follows each neighbour.
    words
        The words it consists of, for errors about it.
    """

    num_vertices: int
    num_edges: int
    sizes: bool
    num_vertex_weights: int
    edge_weights: bool
    words: list[Word]

    @property
    def line(self) -> Line:
        """The line it is on."""
        return self.words[0].line


def read_header(source: Source) -> Header:
    """Read the first line that is neither blank nor a comment."""
    line = next(leading_lines(source, b"%"), None)
    if line is None:
        raise source.error("the file has no header; expected the numbers of vertices and edges, such as '7 11'.")
    words = line.words()
    if not 2 <= len(words) <= len(NAMES):
        odd = words[-1] if len(words) < 2 else words[len(NAMES)]
        raise odd.error(f"the header has {len(words)} words; expected 2 to 4: {', '.join(NAMES)}.")
    num_vertices, num_edges = (words[i].as_count(NAMES[i]) for i in range(2))
    digits = words[2].text if len(words) > 2 else b"0"
    if not _FMT.fullmatch(digits):
        raise words[2].error(f"the format is {words[2]}; expected up to three digits 0 or 1, such as '011'.")
    sizes, weighted_vertices, edge_weights = (digit == ord("1") for digit in digits.zfill(3))
    num_weights = words[3].as_count(NAMES[3]) if len(words) > 3 else 1
    if num_weights > 1 and not weighted_vertices:
        raise words[3].error(
            f"there are {num_weights} weights per vertex, but the format, {words[2]}, says there are none; expected "
            "a format whose second digit from the right is 1."
        )
    num_vertex_weights = max(1, num_weights) if weighted_vertices else 0
    return Header(num_vertices, num_edges, sizes, num_vertex_weights, edge_weights, words)


def _check_number_of_lines(tokens: Tokens, header: Header) -> None:
    """Reject a file without exactly one line per vertex, apart from blank lines at the end."""
    assert tokens.line_starts is not None
    promised, lines = header.num_vertices, tokens.line_starts.size - 1
    problem = f"the header promises {counted(promised, 'vertex')}, a line each"
    if lines < promised:
        raise header.words[0].error(f"{problem}, but there are {lines:,}; is the file cut short?")
    if (first := int(tokens.line_starts[promised])) < tokens.values.size:
        raise tokens.error_at(first, f"{problem}; this line is one too many.")


def _rows_and_direction(tokens: Tokens, header: Header) -> tuple[Rows, bool]:
    """The rows, by the convention that gives the right number of entries, and whether the graph is directed.

    Conventions are tried in this order: every edge twice; every edge twice but self-loops once; every edge once. For
    each, a file that may have sizes is read with them first.
    """
    readings = [_parsed(tokens, header, sized=sized) for sized in ((True, False) if header.sizes else (False,))]
    fitting = [(rows, rows.loops()) for rows in readings if isinstance(rows, Rows)]
    if not fitting:
        assert isinstance(readings[0], int)
        raise _line_error(tokens, header, readings[0])
    for rows, loops in fitting:
        if rows.entries.size == 2 * header.num_edges:
            return _with_loops_once(rows, loops), False
    for rows, loops in fitting:
        if rows.entries.size + loops.size == 2 * header.num_edges:
            return rows, False
    for rows, _ in fitting:
        if rows.entries.size == header.num_edges:
            return rows, True
    raise header.words[1].error(
        f"the header promises {header.num_edges:,} edges, that is {2 * header.num_edges:,} entries (each edge on the "
        f"lines of both its ends), but there are {fitting[0][0].entries.size:,}; is it cut short, or the header wrong?"
    )


@dataclass(frozen=True, slots=True)
class Rows:
    """One interpretation of the lines, not validated yet.

    Parameters
    ----------
    tokens
        The numbers of the file.
    indptr
        Where the entries of each line start among all entries.
    entries
        The neighbours as they stand in the file, counted from 1.
    weights
        Their weights, or None.
    heads
        What stands before the entries: for each, an array with a value per line.
    sized
        Whether the first of the heads is the vertex's size.
    """

    tokens: Tokens
    indptr: OffsetArray
    entries: Array
    weights: Array | None
    heads: list[Array]
    sized: bool

    @property
    def num_vertices(self) -> int:
        """The number of lines."""
        return self.indptr.size - 1

    def loops(self) -> OffsetArray:
        """The entries that are self-loops."""
        dtype = np.int32 if self.entries.dtype == np.int32 else np.int64
        owners = np.repeat(np.arange(1, self.num_vertices + 1, dtype=dtype), np.diff(self.indptr))
        return np.flatnonzero(self.entries == owners)

    def neighbours(self) -> Array:
        """The entries as vertex ids, counted from 0."""
        ids = self.tokens.integers(self.entries, "neighbour", 1, self.num_vertices, self._token)
        ids -= 1
        return ids

    def vertex_data(self) -> dict[str, Array]:
        """The sizes and weights of the vertices, under the names they have in a graph's metadata."""
        data = {}
        heads = [self._integers(place) for place in range(len(self.heads))]
        if self.sized and heads:
            data["vertex_sizes"] = heads.pop(0)
        if heads:
            data["vertex_weights"] = heads[0] if len(heads) == 1 else np.stack(heads, axis=1)
        return data

    def error_at(self, entry: int, sentence: str) -> FormatError:
        """An error about one entry, with its line and column."""
        return self.tokens.error_at(self._token(entry), sentence)

    def _token(self, entry: int) -> int:
        """Which token an entry is."""
        line = int(np.searchsorted(self.indptr, entry, side="right"))
        return (1 if self.weights is None else 2) * entry + line * len(self.heads)

    def _integers(self, place: int) -> Array:
        starts, values = self.tokens.line_starts, self.heads[place]
        assert starts is not None
        low, high = (-_EXACT, _EXACT) if values.dtype.kind == "f" else (_INT64.min, _INT64.max)
        name = f"{'size' if self.sized and place == 0 else 'weight'} of the vertex"
        integers = self.tokens.integers(values, name, low, high, lambda line: int(starts[line]) + place)
        return integers.astype(np.int64, copy=False)


def _parsed(tokens: Tokens, header: Header, *, sized: bool) -> Rows | int:
    """The first n lines, read with or without sizes; or the number of the first line that does not fit."""
    assert tokens.line_starts is not None
    starts = tokens.line_starts[: header.num_vertices + 1]
    num_heads = sized + header.num_vertex_weights
    step = 1 + header.edge_weights
    lengths = np.diff(starts) - num_heads
    misfits = (lengths < 0) | (lengths % step != 0)
    if misfits.any():
        return int(misfits.argmax())
    entries = tokens.values
    heads: list[Array] = []
    if num_heads and header.num_vertices:  # every line has its heads, so there are no more of them than the file holds
        places = [starts[:-1] + place for place in range(num_heads)]
        heads = [entries[place] for place in places]
        entries = np.delete(entries, np.concatenate(places))
    weights = None
    if header.edge_weights:
        entries, weights = entries[::2].copy(), entries[1::2].copy()
    return Rows(tokens, offsets(lengths // step), entries, weights, heads, sized)


def _with_loops_once(rows: Rows, loops: OffsetArray) -> Rows:
    """Drop the second of two entries of every self-loop."""
    if not loops.size:
        return rows
    owners = np.searchsorted(rows.indptr, loops, side="right") - 1
    counts = np.bincount(owners, minlength=rows.num_vertices)
    odd = np.flatnonzero(counts[owners] % 2)
    if odd.size:
        first = int(odd[0])
        raise rows.error_at(
            int(loops[first]),
            f"the vertex is {counts[owners[first]]} times its own neighbour; expected an even number of times, since "
            "the header counts two entries for each edge.",
        )
    kept, second = loops[::2], loops[1::2]
    weights = rows.weights
    if weights is not None:
        unequal = np.flatnonzero(weights[kept] != weights[second])
        if unequal.size:
            here, there = int(second[unequal[0]]), int(kept[unequal[0]])
            raise rows.error_at(
                here,
                f"the self-loop weighs {shown_number(weights[here])} here and {shown_number(weights[there])} in the "
                "entry before; expected two entries with the same weight, since the header counts two for each edge.",
            )
        weights = np.delete(weights, second)
    indptr = rows.indptr - offsets(counts // 2)
    return replace(rows, indptr=indptr, entries=np.delete(rows.entries, second), weights=weights)


def _line_error(tokens: Tokens, header: Header, vertex: int) -> FormatError:
    assert tokens.line_starts is not None
    found = int(tokens.line_starts[vertex + 1] - tokens.line_starts[vertex])
    parts = ["the vertex's size"] if header.sizes else []
    if header.num_vertex_weights:
        parts.append(f"its weights ({header.num_vertex_weights})")
    parts.append("pairs of a neighbour and a weight" if header.edge_weights else "neighbours")
    sentence = f"the line of vertex {vertex + 1} holds {found:,} numbers; expected {', '.join(parts)}."
    return tokens.error_at(vertex, sentence, by_line=True)


def write(graph: Graph, sink: Sink, options: WriteOptions) -> None:
    """Write an undirected graph, with ``vertex_weights`` and ``vertex_sizes`` of its metadata where they are there.

    Every edge is written on the lines of both ends, a self-loop twice on its own. METIS has neither self-loops nor
    parallel edges, but other programs read them, so clew writes them. Names are not written: vertices are 1…n in their
    order.
    """
    _refuse_what_does_not_fit(graph, sink)
    sizes = _vertex_columns(graph, "vertex_sizes", sink)
    if len(sizes) > 1:
        raise sink.error(f"there are {len(sizes)} sizes per vertex; METIS has one.")
    vertex_weights = _vertex_columns(graph, "vertex_weights", sink)
    digits = f"{len(sizes)}{int(bool(vertex_weights))}{int(graph.weighted)}"
    header: Iterable[object] = (graph.num_vertices, graph.num_edges)
    if digits != "000":
        header = (*header, digits, *([len(vertex_weights)] if len(vertex_weights) > 1 else []))
    sink.write(" ".join(map(str, header)).encode() + b"\n")
    rows = graph.outgoing if not graph.num_loops else _with_loops_twice(graph.outgoing)
    columns = [rows.indices] if rows.weights is None else [rows.indices, rows.weights]
    leads, bases = [*sizes, *vertex_weights], [1, 0][: len(columns)]
    write_lines(sink, rows.indptr, columns, leads=leads, bases=bases, progress=options.progress)


def _refuse_what_does_not_fit(graph: Graph, sink: Sink) -> None:
    if graph.directed:
        raise sink.error(
            "a METIS file holds an undirected graph, and this one is directed.",
            remedy="Write graph.symmetrized().",
            option="Make it undirected with --symmetrize.",
        )
    if graph.weights is None:
        return
    if graph.weights.dtype.kind == "f":
        raise sink.error(
            f"METIS has integers for weights, not {graph.weights.dtype}.",
            remedy="Scale and round them first, for example with graph.with_weights((1000 * graph.weights).round()"
            ".astype('int64')), or drop them with graph.with_weights(None).",
            option=OTHER_WEIGHTS,
        )
    if graph.weights.size and graph.weights.min() < 1:
        raise sink.error(
            f"the smallest edge weight is {graph.weights.min()}; METIS has weights of 1 and more.",
            remedy="Shift or drop them first, with graph.with_weights(…).",
            option=OTHER_WEIGHTS,
        )


def _vertex_columns(graph: Graph, name: str, sink: Sink) -> list[Array]:
    """Sizes or weights of vertices from the metadata: an array each."""
    given: Any = graph.metadata.get(name)
    if given is None:
        return []
    values = np.asarray(given)
    if values.dtype.kind not in "iu" or values.ndim not in (1, 2) or values.shape[0] != graph.num_vertices:
        raise sink.error(
            f"metadata[{name!r}] has shape {values.shape} and dtype {values.dtype}; expected integers, one or a row of "
            f"them for each of the {graph.num_vertices:,} vertices."
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
