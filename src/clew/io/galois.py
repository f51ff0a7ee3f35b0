"""Galois binary ``.gr``, versions 1 and 2, memory-mapped.

All little-endian: four uint64 (version, bytes of data per edge, vertices, edges), then for every vertex the uint64
where its edges end, the targets (uint32 in version 1, with four zero bytes after an odd number of them; uint64 and
never padded in version 2), and the data of the edges.

The file says how many bytes of data an edge has but not what they mean. Galois' own programs read them as unsigned
integers, and so does clew: uint32 or uint64. ``weight_dtype="float32"`` (or any dtype of the same size) says
otherwise; the bits are then taken as that. Since nothing in the file would say so, floats and negative weights are not
written: ``graph.with_weights(graph.weights.view("uint64"))`` writes the bits of 64-bit floats, for readers who know.
Direction is not stored either: a graph is directed unless ``directed=False`` is passed, and then its rows must hold
both directions. Names of vertices and metadata are not written.
"""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

from clew.checks import counted
from clew.dtypes import MAX_INT32_VERTICES, OFFSET, Array
from clew.errors import FormatError, GraphError
from clew.graph import Graph
from clew.io.binary import little_endian, typed
from clew.io.options import ReadOptions, WriteOptions, graph_from_rows, weight_dtype
from clew.io.registry import Match
from clew.io.sink import Sink
from clew.io.source import HEAD_BYTES, Source

_HEADER = struct.Struct("<4Q")
_UNSIGNED: dict[int, np.dtype[Any]] = {4: np.dtype(np.uint32), 8: np.dtype(np.uint64)}
_TARGETS = {1: _UNSIGNED[4], 2: _UNSIGNED[8]}
_KINDS = ("uint", "int", "float")
MAX_VERSION_1_VERTICES = 2**32 - 1


def sniff(head: bytes) -> Match:
    """Sure where the version is known, sizes fit and the first rows end in ascending order."""
    if len(head) < _HEADER.size:
        return Match.NO
    version, edge_bytes, num_vertices, num_edges = _HEADER.unpack_from(head)
    if version not in _TARGETS or edge_bytes > 1 << 10 or max(num_vertices, num_edges) >> 48:
        return Match.NO
    seen = min(num_vertices, len(head) // 8 - 4)
    ends = np.frombuffer(head, dtype="<u8", count=seen, offset=_HEADER.size)
    if (ends[1:] < ends[:-1]).any() or (seen and int(ends[-1]) > num_edges):
        return Match.NO
    sizes = [_end(version, num_vertices, num_edges, edge_bytes, padded=padded) for padded in (True, False)]
    return Match.SURE if len(head) == HEAD_BYTES or len(head) in sizes else Match.MAYBE


def read(source: Source, options: ReadOptions) -> Graph:
    """Read a graph; targets and weights stay in the mapped file where their width is clew's and rows are sorted."""
    data = source.whole()
    if data.size < _HEADER.size:
        raise source.error(f"the file has {data.size} bytes; expected a Galois graph, whose header has {_HEADER.size}.")
    version, edge_bytes, num_vertices, num_edges = _HEADER.unpack(data[: _HEADER.size].tobytes())
    if version not in _TARGETS:
        raise source.error(f"the file says it has version {version} of the Galois format; clew reads versions 1 and 2.")
    whole = _end(version, num_vertices, num_edges, edge_bytes, padded=True)
    bare = _end(version, num_vertices, num_edges, edge_bytes, padded=False)
    if data.size not in (whole, bare):
        raise source.error(
            f"the file has {data.size:,} bytes, but {counted(num_vertices, 'vertex')} and "
            f"{counted(num_edges, 'edge')} with "
            f"{edge_bytes} bytes of data each take {whole:,}: it is cut short, or not a Galois graph of that version."
        )
    indptr = np.zeros(num_vertices + 1, dtype=OFFSET)
    indptr[1:] = typed(data, _HEADER.size, num_vertices, np.int64)
    targets = typed(data, _HEADER.size + 8 * num_vertices, num_edges, _TARGETS[version])
    weights = None
    if edge_bytes and options.weights is not False:
        dtype = _weights_dtype(edge_bytes, options)
        weights = typed(data, whole - num_edges * edge_bytes, num_edges, dtype)
    narrow = num_vertices <= MAX_INT32_VERTICES
    if num_edges and int(targets.max()) >= num_vertices:
        raise source.error(f"an edge leads to vertex {targets.max()}; expected ids below {num_vertices:,}.")
    indices = targets.view(f"i{targets.itemsize}").astype(np.int32 if narrow else np.int64, copy=False)
    return graph_from_rows(indptr, indices, weights, options, directed=True)


def write(graph: Graph, sink: Sink, options: WriteOptions) -> None:
    """Write version 1, or version 2 where there are too many vertices for it; weights of less than 32 bits get 32."""
    version = 1 if graph.num_vertices <= MAX_VERSION_1_VERTICES else 2
    weights = None if graph.weights is None else _unsigned(graph.weights, sink)
    edge_bytes = 0 if weights is None else weights.itemsize
    sink.write(_HEADER.pack(version, edge_bytes, graph.num_vertices, graph.num_arcs))
    sink.write(little_endian(graph.indptr[1:]))
    sink.write(little_endian(graph.indices.astype(_TARGETS[version], copy=False)))
    sink.write(bytes(_padding(version, graph.num_arcs)))
    if weights is not None:
        sink.write(little_endian(weights))
    if options.progress:
        total = _end(version, graph.num_vertices, graph.num_arcs, edge_bytes, padded=True)
        options.progress(total, total)


def _unsigned(weights: Array, sink: Sink) -> Array:
    """The weights as readers of the file take them; refuses those that would come back as other numbers."""
    bits = 8 * max(4, weights.itemsize)
    if weights.dtype.kind == "f" and weights.size:
        raise FormatError(
            f"the weights are {weights.dtype}, but a Galois file does not say so: they would be read as unsigned "
            "integers, which are other numbers.",
            remedy="Scale and round them with graph.with_weights(…), or write their bits with "
            f"graph.with_weights(graph.weights.view('uint{bits}')) and read them with weight_dtype='{weights.dtype}'.",
            option="Drop them with --weights none, or take others, such as --weights random:1:255.",
            path=sink.name,
        )
    if weights.dtype.kind == "i" and weights.size and weights.min() < 0:
        raise FormatError(
            f"the smallest weight is {weights.min()}, but weights in a Galois file are unsigned: it would be read as "
            "another number.",
            remedy="Shift or drop them with graph.with_weights(…), or write their bits with "
            f"graph.with_weights(graph.weights.astype('int{bits}').view('uint{bits}')) and read them with "
            f"weight_dtype='int{bits}'.",
            option="Drop them with --weights none, or take others, such as --weights random:1:255.",
            path=sink.name,
        )
    return weights.astype(f"u{bits // 8}", copy=False)


def _padding(version: int, num_edges: int) -> int:
    return 4 * (num_edges % 2) if version == 1 else 0


def _end(version: int, num_vertices: int, num_edges: int, edge_bytes: int, *, padded: bool) -> int:
    """The size of a file; some writers leave out the padding where no data of edges follow it."""
    padding = _padding(version, num_edges) if padded or edge_bytes else 0
    each = _TARGETS[version].itemsize + edge_bytes
    return _HEADER.size + 8 * num_vertices + num_edges * each + padding


def _weights_dtype(edge_bytes: int, options: ReadOptions) -> np.dtype[Any]:
    """What the data of the edges are taken for: their size has to fit."""
    if edge_bytes not in _UNSIGNED:
        raise GraphError(
            f"edges have {edge_bytes} bytes of data each; expected 4 or 8, a number.",
            remedy="Pass weights=False to read the edges without it.",
            option="Read the edges without it, with --weights none.",
        )
    if options.weight_dtype is None:
        return _UNSIGNED[edge_bytes]
    dtype = weight_dtype(options.weight_dtype)
    if dtype.itemsize != edge_bytes:
        raise GraphError(
            f"edges have {edge_bytes} bytes of data each, but weight_dtype is {dtype}. A Galois file does not say what "
            f"they are, so weight_dtype does; expected {', '.join(f'{kind}{8 * edge_bytes}' for kind in _KINDS)}."
        )
    return dtype
