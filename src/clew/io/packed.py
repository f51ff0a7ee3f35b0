"""Packed graphs of files whose plain edges may not fit in memory: pieces of a file are read again for every range.

Parquet files and edge lists can be read so, if they are local and not compressed, and if integers are ids. All other
files are read as usual, and packed then.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from clew import threads
from clew.build.rows import Policies, extent
from clew.dtypes import Array
from clew.graph import Graph
from clew.io import registry
from clew.io.agreement import check_columns, decisions_of, facts_of, weights_dtype
from clew.io.options import ReadOptions, converted
from clew.io.parts import Part, Piece, read_part, rows_stored
from clew.io.ranges import UrlSource
from clew.io.source import Source
from clew.packed.build import EdgeSource, build_packed

SMALLEST, LARGEST = 1 << 20, 1 << 25  # bytes of a piece: fewer are read at once, and more take much memory


class _Unsuited(Exception):  # noqa: N818 -- it ends an attempt, and is no error
    """The file must be read as a whole: its vertices have names."""


class _Learned(Exception):  # noqa: N818
    """A piece says how to read the others."""


def read_packed(source: Source, one: registry.Format, options: ReadOptions, room: int | None = None) -> Graph | None:
    """The packed graph of a file that is read several times; None if the file must be read as a whole."""
    if source.path is None or isinstance(source, UrlSource) or source.compressed or not source.size:
        return None
    if one.name not in ("parquet", registry.EDGE_LIST) or options.ids in ("map", "text") or options.columns:
        return None
    if one.name == "parquet" and options.columns is None and _has_columns(source):
        return None
    reading = _Reading(source, one, replace(options, progress=None))
    while True:
        try:
            return reading.graph(room)
        except _Unsuited:
            return None
        except _Learned:
            continue


def _has_columns(source: Source) -> bool:
    """Whether clew wrote columns of edges into a Parquet file."""
    import pyarrow.parquet as pq

    from clew.io import tables

    with tables.arrow_errors(source, "Parquet"):
        return bool(tables.read_note(pq.ParquetFile(str(source.path)).metadata.metadata, source).columns)


class _Reading:
    """The pieces of a file, what they say, and which integers occur in them."""

    def __init__(self, source: Source, one: registry.Format, options: ReadOptions) -> None:
        self._format, self._options, self._source = one.name, options, source
        size, path = source.size or 0, source.name
        count = max(1, min(size // SMALLEST, max(threads.count(), size // LARGEST)))
        self._cuts = [size * piece // count for piece in range(count + 1)]
        self._pieces = [Piece(path, 0, *cut, size) for cut in zip(self._cuts[:-1], self._cuts[1:], strict=True)]
        self._comma, self._header, self._facts = False, None, list[Any]()
        # Ids that are exactly 0…n-1 have no more than two for every edge, and an edge of a text takes four bytes.
        self._most = 2 * (rows_stored(path, self._format) or size // 4 + 1)

    def graph(self, room: int | None) -> Graph:
        """The graph, read with what is known so far."""
        before, self._facts = self._facts, [None] * len(self._pieces)
        self._seen: Array = np.zeros(-(-self._most // 64), np.uint64)
        self._dtype: Any = None
        end = self._pieces[-1].stop
        about = read_part(
            Piece(self._source.name, 0, end, end, end), self._format, replace(self._options, directed=None)
        )
        if about is None or (self._options.directed and not about.directed):
            raise _Unsuited  # edges that the file calls undirected become two
        directed = about.directed if self._options.directed is None else self._options.directed
        policies = Policies(directed, self._options.duplicates, self._options.loops, mirror=not directed)
        built = build_packed(EdgeSource(len(self._pieces), self._batches, self._agreed), policies, room)
        report = built.report.about(self._facts[0]["columns"], decisions_of([*self._facts, *before]))
        return Graph(built.adjacency, directed=directed, report=report)

    def _batches(self, share: int) -> Iterator[tuple[Array, Array, Array | None]]:
        part = read_part(
            self._pieces[share], self._format, self._options, decimal_comma=self._comma, header=self._header
        )
        if part is None:
            raise _Unsuited
        weights = None if self._dtype is None or part.weights is None else converted(part.weights, self._dtype)
        if self._facts[share] is None:
            self._look_at(part)
            self._facts[share] = facts_of(0, part) | {"comma": part.decimal_comma, "header": part.header}
            weights = None
        yield part.source, part.target, weights

    def _look_at(self, part: Part) -> None:
        """Refuse names, and mark the integers that occur unless all are ids in any case."""
        from clew.io.edge_list import kernels

        low, high = extent(part.source, part.target)
        if part.names is not None or part.more_names is not None or part.named or part.rows is not None:
            raise _Unsuited
        if not part.keep:
            if low < 0 or high >= self._most:
                raise _Unsuited
            for end in (part.source, part.target):
                kernels.mark(0, 1, end, 0, self._seen)

    def _agreed(self) -> tuple[int | None, Any]:
        """The number of vertices, if the file says it, and the dtype of weights."""
        comma = any(fact["comma"] for fact in self._facts)
        header = next((fact["header"] for fact in self._facts if fact["header"]), None)
        if (comma, header) != (self._comma, self._header):
            self._comma, self._header = comma, header
            raise _Learned
        check_columns(self._facts)
        if not all(fact["keep"] for fact in self._facts):
            count = 1 + max((fact["high"] for fact in self._facts if fact["high"] is not None), default=-1)
            words = self._seen[: count >> 6]
            last = int(self._seen[count >> 6]) if count & 63 else 0
            if not (words == np.uint64(2**64 - 1)).all() or last != (1 << (count & 63)) - 1:
                raise _Unsuited  # integers are names where some of 0…n-1 do not occur
        self._dtype = weights_dtype(self._facts)
        return max(fact["count"] for fact in self._facts) or None, self._dtype
