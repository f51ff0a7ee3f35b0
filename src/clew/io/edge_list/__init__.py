"""Edge lists: a line for every edge, as SNAP, KONECT, GAP and every program that writes CSV have them.

Columns are separated by blanks, commas, semicolons, tabs or bars, lines that start with ``#`` or ``%`` are comments,
and a first line may name the columns. Without names, the first two columns are source and target, a third one is the
weight, and any further ones (timestamps) are left out. All lines have the same number of columns. Vertices are integers
or, where any of them is something else, strings; text in double quotes is always a string.

* Integers that are exactly 0…n-1, each of them used, are vertex ids. Others are names: vertices are numbered in their
  ascending order. In ``.el`` and ``.wel`` files, as GAP has them, integers are always ids. ``ids=`` decides otherwise.
* Edges are directed unless the first comment says ``sym`` or ``bip``, as KONECT's do, or ``directed=False`` is passed.
* The integers of a ``bip`` file count different vertices in each column: those of the first column come first, and
  ``metadata["bipartite"]`` tells how many there are of each. Where they are not 1…n, ``metadata`` keeps them as
  ``left_ids`` and ``right_ids``.
* A first line that is a single number is skipped: a count of vertices that the edges know better, as they know better
  than comments like ``# Nodes: 5 Edges: 7``.

An undirected graph is written with every edge once, and with ``# sym`` as its first line where the file has comments.
Vertices without edges are not in an edge list, and the widths of weights are not either.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from clew.dtypes import MAX_INT32_VERTICES, Array
from clew.errors import GraphError
from clew.graph import Graph
from clew.io.apply import wanted_weights
from clew.io.edge_list.dialect import Dialect, can_be_edges, detect
from clew.io.edge_list.writer import write
from clew.io.numbering import numbered
from clew.io.options import ReadOptions
from clew.io.registry import Format, Match
from clew.io.source import HEAD_BYTES, Source
from clew.io.text import NotAnInteger, Table, read_table

KEPT_SUFFIXES = (".el", ".wel")
VERTEX_IDS = (0, (1 << 63) - 1)


def read(source: Source, options: ReadOptions) -> Graph:
    """Read an edge list of any dialect."""
    if options.ids not in ("auto", "keep", "map"):
        raise GraphError(f"ids is {options.ids!r}; expected 'auto', 'keep' or 'map'.")
    dialect = detect(source, options)
    keep = options.ids == "keep" or (options.ids == "auto" and source.suffix in KEPT_SUFFIXES and not dialect.named)
    table = _table(source, dialect, options, keep=keep)
    weights = wanted_weights(table.numbers, options)
    columns: tuple[Array, ...] = table.ids[::-1] if dialect.swapped else table.ids
    metadata: dict[str, Any] = {}
    names: Any = table.names
    count = None if names is None else len(names)
    del table  # the columns alone are needed from here on, and may be replaced by narrower ones
    if names is None and dialect.bipartite:
        columns, count, metadata = _two_sides(*columns)
    elif names is None and not keep:
        columns, count, names = numbered(*columns, always=options.ids == "map")
    first, second = columns
    return Graph.from_edges(
        first,
        second,
        weights,
        count,
        options.directed if options.directed is not None else dialect.directed,
        options.duplicates,
        options.loops,
        names=names,
        consume=True,
        metadata=metadata,
    )


def _table(source: Source, dialect: Dialect, options: ReadOptions, *, keep: bool) -> Table:
    """All rows; with names instead of integers where any of the ids is something else."""
    if not dialect.named or keep:
        layout = replace(dialect.layout, ranges=(VERTEX_IDS, VERTEX_IDS)) if keep else dialect.layout
        try:
            return read_table(source, layout, after=dialect.after, progress=options.progress)
        except NotAnInteger:
            if options.ids == "keep":
                raise
    return read_table(source, dialect.layout, after=dialect.after, named=True, progress=options.progress)


def _two_sides(left: Array, right: Array) -> tuple[tuple[Array, ...], int, dict[str, Any]]:
    """The vertices of the first column, then those of the second, though both count from 1."""
    (left,), lefts, left_ids = numbered(left, always=True)
    (right,), rights, right_ids = numbered(right, always=True)
    if lefts + rights > MAX_INT32_VERTICES:
        right = right.astype(np.int64, copy=False)
    right += right.dtype.type(lefts)
    sides = (("left_ids", left_ids), ("right_ids", right_ids))
    kept = {side: np.asarray(ids) for side, ids in sides if not _counts_from_1(ids)}
    return (left, right), lefts + rights, {"bipartite": [lefts, rights], **kept}


def _counts_from_1(ids: Any) -> bool:
    return ids is None or np.array_equal(ids, np.arange(1, len(ids) + 1))


def sniff(head: bytes) -> Match:
    """MAYBE for lines of two columns or more that can be edges."""
    if len(head) >= HEAD_BYTES:
        head = head[: max(head.rfind(b"\n"), head.rfind(b"\r")) + 1]
    if b"\0" in head or head.lstrip()[:1] in (b"{", b"[", b"<", b""):
        return Match.NO
    return Match.MAYBE if can_be_edges(Source(head)) else Match.NO


FORMAT = Format(
    "edge-list",
    "Edge list",
    (".txt", ".csv", ".tsv", ".el", ".wel", ".edges", ".edgelist", ".snap", ".konect", ".ncol", ".dat"),
    sniff,
    read,
    write,
    keeps_names=True,
)
