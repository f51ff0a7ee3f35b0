"""How a METIS file counts: which reading of its lines agrees with the number of edges that its header promises."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from clew.counts import counted
from clew.dtypes import OffsetArray
from clew.errors import FormatError
from clew.io.header import error_about
from clew.io.metis.header import Header
from clew.io.metis.rows import Rows, take_apart
from clew.io.misfits import shown_number
from clew.io.text import Tokens


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
    return tokens.error_in_line(
        vertex, f"the line of vertex {vertex + 1} holds {found:,} numbers; expected {', '.join(parts)}."
    )
