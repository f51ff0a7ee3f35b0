"""TNTP: road networks of the Transportation Networks repository, a link per line.

Metadata such as ``<NUMBER OF NODES> 24`` come first, then a line of column names after ``~``, then the links: two nodes
and numbers, ended by ``;``. The numbers become edge columns, such as ``capacity``, ``length`` and ``free_flow_time``;
``weight="length"`` makes one the weight. Nodes count from 1 in the file and from 0 in the graph.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from clew.dtypes import Array
from clew.errors import FormatError
from clew.graph import Graph
from clew.io.attributed import weight_among
from clew.io.binary import whole_numbers
from clew.io.lexer import decoded
from clew.io.options import ReadOptions, graph_from_edges, noted
from clew.io.source import Match, Source

USUAL = ("capacity", "length", "free_flow_time", "b", "power", "speed", "toll", "link_type")
NODES, LINKS = "NUMBER OF NODES", "NUMBER OF LINKS"
_ENTRY = re.compile(r"\s*<([^>]*)>\s*(.*?)\s*$")


def sniff(head: bytes) -> Match:
    """The number of links among the metadata."""
    return Match.SURE if head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<") and LINKS.encode() in head else Match.NO


def read(source: Source, options: ReadOptions) -> Graph:
    """Read the links with their columns."""
    entries: dict[str, str] = {}
    names: list[str] = []
    rows: list[list[float]] = []
    for number, line in enumerate(decoded(source).splitlines(), 1):
        if entry := _ENTRY.match(line):
            entries[entry[1].strip().upper()] = entry[2]
        elif line.lstrip().startswith("~"):
            names = names or _names(line)
        elif words := line.partition(";")[0].split():
            rows.append(_row(source, words, number, len(rows[0]) if rows else None))
    counts = [entries.get(name, "").split("\t")[0].strip() for name in (NODES, LINKS)]
    if not all(count.isdecimal() and len(count) < 12 for count in counts):
        raise source.error(f"the metadata have {counts[0]!r} nodes and {counts[1]!r} links; expected two numbers.")
    n, m = map(int, counts)
    if m != len(rows) or n > max(1 << 20, 2 * m):
        raise source.error(f"the metadata speak of {n:,} nodes and {m:,} links; the file has {len(rows):,} links.")
    table = np.array(rows, dtype=np.float64).reshape(m, -1 if rows else 2)
    ends, wrong = whole_numbers(table[:, :2])
    if (wrong | (ends < 1) | (ends > n)).any():
        raise source.error(f"a link has an end that is no node from 1 to {n:,}.")
    width = table.shape[1] - 2
    names = names if len(names) == width and len(set(names)) == width else [*USUAL, *map(str, range(width))][:width]
    columns = {name: _narrow(table[:, 2 + place]) for place, name in enumerate(names)}
    weights, kept, said = weight_among(pa.table(columns), options)
    known: dict[str, Any] = {"directed": True, "num_vertices": n, "edge_columns": kept}
    graph = graph_from_edges(ends[:, 0] - 1, ends[:, 1] - 1, weights, replace(options, ids="keep"), **known)
    return noted(graph, *said)


def _names(line: str) -> list[str]:
    """The names of the columns after the two nodes."""
    text = line.replace("~", "").replace(";", "").strip()
    words = text.split("\t") if "\t" in text else text.split()
    return ["_".join(word.lower().split()) for word in words if word.strip()][2:]


def _row(source: Source, words: list[str], number: int, expected: int | None) -> list[float]:
    def wrong(problem: str) -> FormatError:
        return source.error(problem, line=number)

    if len(words) < 2 or expected not in (None, len(words)):
        raise wrong(f"the link has {len(words)} columns; expected {expected or 'at least two'}.")
    try:
        return [float(word) for word in words]
    except ValueError:
        raise wrong(f"the link is {' '.join(words)[:60]!r}; expected numbers.") from None


def _narrow(values: Array) -> Array:
    """Integers where all values are."""
    whole, wrong = whole_numbers(values)
    return values.copy() if wrong.any() else whole
