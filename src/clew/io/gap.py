"""``.sg`` and ``.wsg``: graphs serialized by the GAP benchmark suite.

All little-endian and without any padding: one byte that says whether the graph is directed, the int64 number of
stored entries, the int64 number of vertices, then the rows: n+1 int64 offsets and the int32 neighbours, in ``.wsg``
each followed by its int32 weight. A directed graph has a second set of rows, the incoming edges. An undirected one
stores every edge in both rows, and the number of entries counts both.

There is no magic number, so the size of the file has to be exactly what its first 17 bytes say; that also tells
weighted from unweighted. Names of vertices and metadata are not written.
"""

from __future__ import annotations

import struct

import numpy as np

from clew.adjacency import Adjacency
from clew.checks import counted
from clew.dtypes import MAX_INT32_VERTICES, Array
from clew.errors import FormatError, GraphError
from clew.graph import Graph
from clew.io.binary import little_endian, typed
from clew.io.options import ReadOptions, WriteOptions, converted, graph_from_rows
from clew.io.registry import Match
from clew.io.sink import Sink
from clew.io.source import HEAD_BYTES, Source

_HEADER = struct.Struct("<?qq")
_ID = np.dtype(np.int32)


def sniff(head: bytes) -> Match:
    """Maybe, where the sizes are thinkable and the first rows start in ascending order."""
    if len(head) < _HEADER.size + 8 or head[0] > 1:
        return Match.NO
    directed, num_entries, num_vertices = _HEADER.unpack_from(head)
    if not 0 <= num_vertices <= MAX_INT32_VERTICES or not 0 <= num_entries < 1 << 48:
        return Match.NO
    if len(head) < HEAD_BYTES and len(head) not in _sizes(directed, num_entries, num_vertices):
        return Match.NO
    seen = min(num_vertices + 1, (len(head) - _HEADER.size) // 8)
    offsets = np.frombuffer(head, dtype="<i8", count=seen, offset=_HEADER.size)
    ascending = offsets[0] == 0 and bool((offsets[1:] >= offsets[:-1]).all()) and int(offsets[-1]) <= num_entries
    return Match.MAYBE if ascending else Match.NO


def read(source: Source, options: ReadOptions) -> Graph:
    """Read a graph; of the incoming edges of a directed one, only their numbers are compared."""
    data = source.whole()
    if data.size < _HEADER.size or data[0] > 1:
        raise source.error(
            f"the file has {data.size:,} bytes and starts with {data[:1].tobytes()!r}; expected a GAP graph, which "
            f"starts with a byte 0 or 1 and two sizes, {_HEADER.size} bytes together."
        )
    directed, num_entries, num_vertices = _HEADER.unpack(data[: _HEADER.size].tobytes())
    sizes = _sizes(directed, num_entries, num_vertices)
    if num_entries < 0 or not 0 <= num_vertices <= MAX_INT32_VERTICES or data.size not in sizes:
        raise source.error(
            f"the file has {data.size:,} bytes, but {counted(num_vertices, 'vertex')} and "
            f"{counted(num_entries, 'stored entry', 'stored entries')} take "
            f"{sizes[0]:,} bytes, or {sizes[1]:,} with weights: it is cut short, or not a GAP graph."
        )
    weighted = data.size == sizes[1] and (num_entries > 0 or source.suffix == ".wsg")
    indptr = typed(data, _HEADER.size, num_vertices + 1, np.int64)
    entries = typed(data, _HEADER.size + 8 * (num_vertices + 1), num_entries * (1 + weighted), _ID)
    weights = entries[1::2].copy() if weighted else None
    indices = entries[::2].copy() if weighted else entries
    graph = graph_from_rows(indptr, indices, weights, options, directed=directed)
    if directed:
        second = _HEADER.size + (data.size - _HEADER.size) // 2
        into = np.bincount(indices, minlength=num_vertices)
        if not np.array_equal(np.diff(typed(data, second, num_vertices + 1, np.int64)), into):
            raise source.error("the outgoing and the incoming edges contradict each other; the file is damaged.")
    return graph


def write(graph: Graph, sink: Sink, options: WriteOptions) -> None:
    """Write ``.sg``, or ``.wsg`` where the graph has weights; those have to fit int32, as in GAP."""
    if graph.num_vertices > MAX_INT32_VERTICES:
        raise FormatError(
            f"a GAP graph has at most {MAX_INT32_VERTICES:,} vertices, not {graph.num_vertices:,}.", path=sink.name
        )
    if graph.weighted and sink.suffix == ".sg":
        raise FormatError(
            "a .sg file holds no weights, but the graph has some.",
            remedy="Name it .wsg, or drop them with graph.with_weights(None).",
            option="Name it .wsg, or drop them with --weights none.",
            path=sink.name,
        )
    weighted = graph.weighted or sink.suffix == ".wsg"
    sides = [graph.outgoing, graph.incoming] if graph.directed else [graph.outgoing]
    sink.write(_HEADER.pack(graph.directed, graph.num_arcs, graph.num_vertices))
    for side in sides:
        sink.write(little_endian(side.indptr))
        sink.write(little_endian(_entries(side, weighted, sink)))
    if options.progress:
        total = _sizes(graph.directed, graph.num_arcs, graph.num_vertices)[weighted]
        options.progress(total, total)


def _entries(rows: Adjacency, weighted: bool, sink: Sink) -> Array:
    """The neighbours, each followed by its weight where there are weights; an unweighted edge weighs 1."""
    if not weighted:
        return rows.indices.astype(_ID, copy=False)
    pairs = np.empty((rows.num_arcs, 2), dtype=_ID)
    pairs[:, 0] = rows.indices
    try:
        pairs[:, 1] = 1 if rows.weights is None else converted(rows.weights, _ID)
    except GraphError as error:
        raise FormatError(
            f"a GAP graph has weights of int32, but {error}",
            remedy="Round or scale them first, with graph.with_weights(…).",
            option="Drop them with --weights none, or take others, such as --weights random:1:255.",
            path=sink.name,
        ) from None
    return pairs


def _sizes(directed: bool, num_entries: int, num_vertices: int) -> tuple[int, int]:
    """The size of the file without and with weights."""
    sides = 2 if directed else 1
    offsets = 8 * (num_vertices + 1)
    return tuple(_HEADER.size + sides * (offsets + num_entries * each) for each in (4, 8))  # type: ignore[return-value]
