"""The header of a METIS file, and its lines taken apart: sizes and weights of vertices, neighbours, weights of edges.

Files count edges differently: the reading of the lines that agrees with the header's number of edges is taken.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from clew.checks import counted
from clew.dtypes import Array, OffsetArray
from clew.errors import FormatError
from clew.io.source import Source
from clew.io.text import Line, Word, as_count, error_about, leading_lines, words
from clew.io.text.tokens import Tokens, first_misfit, shown_number

NAMES = ("number of vertices", "number of edges", "format", "number of weights per vertex")
_FMT = re.compile(rb"[01]{1,3}")
_INT64 = np.iinfo(np.int64)
_EXACT = 1 << 53  # a double beyond it may be another integer than the one in the file


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
    line
        The line it stands on.
    """

    num_vertices: int
    num_edges: int
    sizes: bool
    num_vertex_weights: int
    edge_weights: bool
    words: Sequence[Word]
    line: Line


def read_header(source: Source) -> Header:
    """Read the first line that is neither blank nor a comment."""
    for line in leading_lines(source):
        found = words(line)
        if found and not found[0].text.startswith(b"%"):
            return _parsed(source, line, found)
    raise source.error("the file has no header; expected the numbers of vertices and edges, such as '7 11'.")


def looks_like_header(line: bytes) -> bool:
    """Whether a line could be a header."""
    found = line.split()
    return 2 <= len(found) <= len(NAMES) and all(map(bytes.isdigit, found)) and all(map(_FMT.fullmatch, found[2:3]))


def _parsed(source: Source, line: Line, found: Sequence[Word]) -> Header:
    if not 2 <= len(found) <= len(NAMES):
        odd = found[-1] if len(found) < 2 else found[len(NAMES)]
        raise error_about(source, odd, f"the header has {len(found)} words; expected 2 to 4: {', '.join(NAMES)}.")
    num_vertices, num_edges = (as_count(source, found[i], NAMES[i]) for i in range(2))
    digits = b"000"
    if len(found) > 2:
        if not _FMT.fullmatch(found[2].text):
            raise error_about(
                source, found[2], f"the format is {found[2]}; expected up to three digits 0 or 1, such as '011'."
            )
        digits = found[2].text.zfill(3)
    sizes, weighted_vertices, edge_weights = (digit == ord("1") for digit in digits)
    num_weights = as_count(source, found[3], NAMES[3]) if len(found) > 3 else 1
    if num_weights > 1 and not weighted_vertices:
        raise error_about(
            source,
            found[3],
            f"there are {num_weights} weights per vertex, but the format, {found[2]}, says there are none; expected "
            "a format whose second digit from the right is 1.",
        )
    num_vertex_weights = max(1, num_weights) if weighted_vertices else 0
    return Header(num_vertices, num_edges, sizes, num_vertex_weights, edge_weights, found, line)


def check_number_of_lines(tokens: Tokens, header: Header) -> None:
    """Refuse a file that has not exactly one line for each vertex; blank lines at the end do not count."""
    assert tokens.line_starts is not None
    promised, found = header.num_vertices, tokens.line_starts.size - 1
    if found < promised:
        raise error_about(
            tokens.source,
            header.words[0],
            f"the header promises {counted(promised, 'vertex')}, a line each, but there are {found:,}; is the "
            "file cut short?",
        )
    if tokens.line_starts[promised] < tokens.values.size:
        raise tokens.error_at(
            int(tokens.line_starts[promised]),
            f"the header promises {counted(promised, 'vertex')}, a line each; this line is one too many.",
        )


def rows_and_direction(tokens: Tokens, header: Header) -> tuple[Rows, bool]:
    """The lines, read the way that gives the right number of entries, and whether the graph is directed.

    The ways are tried from the plainest to the oddest: every edge twice; every edge twice, but self-loops once; every
    edge once. For each, a file that may have sizes is read with them first.
    """
    readings = [take_apart(tokens, header, sized=sized) for sized in ((True, False) if header.sizes else (False,))]
    fitting = [reading for reading in readings if isinstance(reading, Rows)]
    if not fitting:
        assert isinstance(readings[0], int)
        raise _line_error(tokens, header, readings[0])
    loops = [reading.loops() for reading in fitting]
    for rows, found in zip(fitting, loops, strict=True):
        if rows.num_entries == 2 * header.num_edges:
            return _with_loops_once(rows, found), False
    for rows, found in zip(fitting, loops, strict=True):
        if rows.num_entries + found.size == 2 * header.num_edges:
            return rows, False
    for rows in fitting:
        if rows.num_entries == header.num_edges:
            return rows, True
    raise error_about(
        tokens.source,
        header.words[1],
        f"the header promises {header.num_edges:,} edges, that is {2 * header.num_edges:,} entries (each edge on the "
        f"lines of both its ends), but there are {fitting[0].num_entries:,}; is it cut short, or the header wrong?",
    )


def _with_loops_once(rows: Rows, loops: OffsetArray) -> Rows:
    """Leave out the second of the two entries that a self-loop has where every edge has two."""
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
    indptr = rows.indptr - np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(counts // 2)])
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


@dataclass(frozen=True, slots=True)
class Rows:
    """One way of reading the lines; whether the numbers make sense that way is not known yet.

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

    @property
    def num_entries(self) -> int:
        """The number of entries of all lines."""
        return int(self.entries.size)

    def loops(self) -> OffsetArray:
        """Which entries name the vertex whose line they stand on."""
        dtype = np.int32 if self.entries.dtype == np.int32 else np.int64
        owners = np.repeat(np.arange(1, self.num_vertices + 1, dtype=dtype), np.diff(self.indptr))
        return np.flatnonzero(self.entries == owners)

    def neighbours(self) -> Array:
        """The entries as vertex ids, counted from 0."""
        wrong = first_misfit(self.entries, 1, self.num_vertices)
        if wrong is not None:
            found = shown_number(self.entries[wrong])
            raise self.error_at(wrong, f"the neighbour is {found}; expected an integer from 1 to {self.num_vertices}.")
        ids = self.entries if self.entries.dtype.kind == "i" else self.entries.astype(np.int64)
        ids -= 1
        return ids

    def vertex_data(self) -> dict[str, Array]:
        """The sizes and weights of the vertices, under the names they have in a graph's metadata."""
        found = {}
        heads = [self._integers(place) for place in range(len(self.heads))]
        if self.sized and heads:
            found["vertex_sizes"] = heads.pop(0)
        if heads:
            found["vertex_weights"] = heads[0] if len(heads) == 1 else np.stack(heads, axis=1)
        return found

    def error_at(self, entry: int, sentence: str) -> FormatError:
        """An error about one entry, with its line and column."""
        line = int(np.searchsorted(self.indptr, entry, side="right"))
        step = 1 if self.weights is None else 2
        return self.tokens.error_at(step * entry + line * len(self.heads), sentence)

    def _integers(self, place: int) -> Array:
        values = self.heads[place]
        low, high = (-_EXACT, _EXACT) if values.dtype.kind == "f" else (_INT64.min, _INT64.max)
        wrong = first_misfit(values, low, high)
        if wrong is not None:
            assert self.tokens.line_starts is not None
            what = "size" if self.sized and place == 0 else "weight"
            raise self.tokens.error_at(
                int(self.tokens.line_starts[wrong]) + place,
                f"the {what} of the vertex is {shown_number(values[wrong])}; expected an integer from {low} to {high}.",
            )
        return values.astype(np.int64, copy=False)


def take_apart(tokens: Tokens, header: Header, *, sized: bool) -> Rows | int:
    """The first n lines, read with or without sizes; or the number of the first one that cannot be read that way."""
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
        heads = [tokens.values[place] for place in places]
        is_entry = np.ones(entries.size, dtype=np.bool_)
        for place in places:
            is_entry[place] = False
        entries = entries[is_entry]
    weights = entries[1::2].copy() if header.edge_weights else None
    if header.edge_weights:
        entries = entries[::2].copy()
    indptr = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths // step)])
    return Rows(tokens, indptr, entries, weights, heads, sized)
