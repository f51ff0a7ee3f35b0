"""GAP's and Galois' binary graphs, and what all binary formats share.

**GAP** ``.sg`` and ``.wsg`` are little-endian and without padding. The first byte says whether the graph is directed.
Two int64 follow, the number of stored entries and of vertices, and then the rows. Rows are n+1 int64 offsets and the
int32 neighbours, in ``.wsg`` each followed by its int32 weight. A directed graph has a second set of rows, the incoming
edges. An undirected one stores every edge in both rows, and the number of entries counts both. There is no magic
number, so the size of the file must match its first 17 bytes. The size also shows whether there are weights.

**Galois** ``.gr``, versions 1 and 2, is little-endian. It starts with four uint64: version, bytes of data per edge,
vertices, edges. Then comes the uint64 offset at which the edges of each vertex end. Targets follow: uint32 in version
1, with four zero bytes after an odd number of them; uint64 without padding in version 2. The data of the edges is last.
The file says how many bytes of data an edge has but not their type. Galois' own programs read them as unsigned
integers, and so does clew: uint32 or uint64. ``weight_dtype="float32"`` (or any dtype of the same size) reinterprets
the bits. The file cannot say that weights are floats or negative, so clew does not write such weights.
``graph.with_weights(graph.weights.view("uint64"))`` writes the bits of 64-bit floats. Direction is not stored: a graph
is directed unless ``directed=False`` is passed, and then its rows must hold both directions.

Neither format stores vertex names or metadata.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from clew.adjacency import Adjacency
from clew.checks import counted
from clew.dtypes import MAX_INT32_VERTICES, OFFSET, Array
from clew.errors import GraphError
from clew.graph import Graph
from clew.io.options import OTHER_WEIGHTS, ReadOptions, WriteOptions, converted, graph_from_rows
from clew.io.sink import Sink
from clew.io.source import HEAD_BYTES, Bytes, Match, Source
from clew.names import VertexNames

NAME_ARRAYS = INTEGERS, OFFSETS, BYTES = "names", "name_offsets", "name_bytes"
_GAP = struct.Struct("<?qq")
_GALOIS = struct.Struct("<4Q")
_ID = np.dtype(np.int32)
_UNSIGNED: dict[int, np.dtype[Any]] = {4: np.dtype(np.uint32), 8: np.dtype(np.uint64)}
_TARGETS = {1: _UNSIGNED[4], 2: _UNSIGNED[8]}
LARGEST = 2**53
MAX_VERSION_1_VERTICES = 2**32 - 1


def typed(data: Bytes, offset: int, count: int, dtype: npt.DTypeLike) -> Array:
    """``count`` little-endian values at ``offset``: a view, or a copy where the view would be misaligned or foreign.

    The caller has checked that the bytes are there.
    """
    little = np.dtype(dtype).newbyteorder("<")
    view = data[offset : offset + count * little.itemsize].view(little)
    native = view.astype(little.newbyteorder("="), copy=False)
    return native if native.flags.aligned else native.copy()


def little_endian(array: Array) -> Array:
    """The array as it is written: contiguous, least significant byte first."""
    return np.asarray(array, dtype=array.dtype.newbyteorder("<"), order="C")


def whole_numbers(values: Array) -> tuple[Array, Array]:
    """Floats as integers, and which of them are none, or above 2^53, where floats skip integers."""
    with np.errstate(invalid="ignore"):
        whole = values.astype(np.int64)
    return whole, (whole != values) | (np.abs(values) > LARGEST)


def refuse_expansion(source: Source, nbytes: int) -> None:
    """Refuse content that would take far more memory than the file takes on disk, before the memory is taken."""
    limit = source.expansion_limit
    if nbytes > limit:
        raise source.error(
            f"the file unpacks to {nbytes:,} bytes or more, from {source.stored_bytes:,} on disk; "
            f"clew stops at {limit:,}. If that is right, raise the cap with max_expanded_bytes=…"
        )


def refuse_rows(source: Source, num_vertices: int) -> None:
    """The same for a number of vertices that only a few bytes of the file claim."""
    if 8 * (num_vertices + 1) > source.expansion_limit:
        raise source.error(
            f"the file says it has {counted(num_vertices, 'vertex')}, but has only "
            f"{counted(source.stored_bytes, 'byte')}; "
            "if that is right, raise the cap with max_expanded_bytes=…"
        )


def names_to_arrays(names: VertexNames | None) -> dict[str, Array]:
    """One array of integers; or n+1 offsets and the UTF-8 bytes of all names; or nothing. Shares the names' memory."""
    if names is None:
        return {}
    values = names.array
    if names.are_integers:
        return {INTEGERS: values.to_numpy(zero_copy_only=False)}
    if not len(values):  # Arrow may omit the buffers
        return {OFFSETS: np.zeros(1, dtype=np.int64), BYTES: np.empty(0, dtype=np.uint8)}
    _, places, data = values.buffers()
    offsets = _values(places, np.int64)[values.offset : values.offset + len(values) + 1]
    text = _values(data, np.uint8)
    # A slice of a longer array starts somewhere in the middle of its bytes.
    return {OFFSETS: offsets - offsets[0] if offsets[0] else offsets, BYTES: text[offsets[0] : offsets[-1]]}


def names_from_arrays(arrays: Mapping[str, Array], *, check: bool = True) -> pa.Array[Any] | None:
    """The names in an Arrow array that shares the arrays' memory, or None where there are none.

    With ``check`` every offset and every byte is checked, otherwise only the first and the last offset.
    """
    if not any(name in arrays for name in NAME_ARRAYS):
        return None

    if INTEGERS in arrays:
        values = arrays[INTEGERS]
        if values.ndim != 1 or values.dtype.kind not in "iu":
            raise GraphError(f"{INTEGERS} have {values.ndim} dimensions and dtype {values.dtype}; expected integers.")
        return pa.array(values)
    if OFFSETS not in arrays or BYTES not in arrays:
        raise GraphError(f"there is only one of {OFFSETS} and {BYTES}; expected both or none.")
    offsets, text = arrays[OFFSETS], arrays[BYTES]
    if offsets.ndim != 1 or offsets.dtype != np.int64 or text.ndim != 1 or text.dtype != np.uint8:
        raise GraphError(
            f"{OFFSETS} have dtype {offsets.dtype} and {BYTES} {text.dtype}; expected int64 and uint8 in one dimension."
        )
    if not offsets.size or offsets[0] != 0 or offsets[-1] != text.size:
        raise GraphError(f"{OFFSETS} do not run from 0 to {text.size:,}, the number of {BYTES}.")
    buffers = [None, pa.py_buffer(offsets.data), pa.py_buffer(text.data)]
    strings = pa.Array.from_buffers(pa.large_string(), offsets.size - 1, buffers)
    try:
        strings.validate(full=check)
    except pa.ArrowInvalid as error:
        raise GraphError(f"the vertex names are damaged: {error}.") from None
    return strings


def _values(buffer: Any, dtype: npt.DTypeLike) -> Array:
    return np.empty(0, dtype) if buffer is None else np.frombuffer(buffer, dtype=dtype)


def sniff_gap(head: bytes) -> Match:
    """Maybe, if the sizes are plausible and the first offsets ascend."""
    if len(head) < _GAP.size + 8 or head[0] > 1:
        return Match.NO
    directed, num_entries, num_vertices = _GAP.unpack_from(head)
    if not 0 <= num_vertices <= MAX_INT32_VERTICES or not 0 <= num_entries < 1 << 48:
        return Match.NO
    if len(head) < HEAD_BYTES and len(head) not in _gap_sizes(directed, num_entries, num_vertices):
        return Match.NO
    seen = min(num_vertices + 1, (len(head) - _GAP.size) // 8)
    offsets = np.frombuffer(head, dtype="<i8", count=seen, offset=_GAP.size)
    ascending = offsets[0] == 0 and bool((offsets[1:] >= offsets[:-1]).all()) and int(offsets[-1]) <= num_entries
    return Match.MAYBE if ascending else Match.NO


def read_gap(source: Source, options: ReadOptions) -> Graph:
    """Read a graph; of the incoming edges of a directed one, only their numbers are compared."""
    data = source.whole()
    if data.size < _GAP.size or data[0] > 1:
        raise source.error(
            f"the file has {data.size:,} bytes and starts with {data[:1].tobytes()!r}; expected a GAP graph, which "
            f"starts with a byte 0 or 1 and two sizes, {_GAP.size} bytes together."
        )
    directed, num_entries, num_vertices = _GAP.unpack(data[: _GAP.size].tobytes())
    sizes = _gap_sizes(directed, num_entries, num_vertices)
    if num_entries < 0 or not 0 <= num_vertices <= MAX_INT32_VERTICES or data.size not in sizes:
        raise source.error(
            f"the file has {data.size:,} bytes, but {counted(num_vertices, 'vertex')} and "
            f"{counted(num_entries, 'stored entry', 'stored entries')} take "
            f"{sizes[0]:,} bytes, or {sizes[1]:,} with weights: it is cut short, or not a GAP graph."
        )
    weighted = data.size == sizes[1] and (num_entries > 0 or source.suffix == ".wsg")
    indptr = typed(data, _GAP.size, num_vertices + 1, np.int64)
    entries = typed(data, _GAP.size + 8 * (num_vertices + 1), num_entries * (1 + weighted), _ID)
    weights = entries[1::2].copy() if weighted else None
    indices = entries[::2].copy() if weighted else entries
    graph = graph_from_rows(indptr, indices, weights, options, directed=directed)
    if directed:
        second = _GAP.size + (data.size - _GAP.size) // 2
        into = np.bincount(indices, minlength=num_vertices)
        if not np.array_equal(np.diff(typed(data, second, num_vertices + 1, np.int64)), into):
            raise source.error("the outgoing and the incoming edges contradict each other; the file is damaged.")
    return graph


def write_gap(graph: Graph, sink: Sink, options: WriteOptions) -> None:
    """Write ``.sg``, or ``.wsg`` where the graph has weights; those have to fit int32, as in GAP."""
    if graph.num_vertices > MAX_INT32_VERTICES:
        raise sink.error(f"a GAP graph has at most {MAX_INT32_VERTICES:,} vertices, not {graph.num_vertices:,}.")
    if graph.weighted and sink.suffix == ".sg":
        raise sink.error(
            "a .sg file holds no weights, but the graph has some.",
            remedy="Name it .wsg, or drop them with graph.with_weights(None).",
        )
    weighted = graph.weighted or sink.suffix == ".wsg"
    sides = [graph.outgoing, graph.incoming] if graph.directed else [graph.outgoing]
    sink.write(_GAP.pack(graph.directed, graph.num_arcs, graph.num_vertices))
    for side in sides:
        sink.write(little_endian(side.indptr))
        sink.write(little_endian(_gap_entries(side, weighted, sink)))
    if options.progress:
        total = _gap_sizes(graph.directed, graph.num_arcs, graph.num_vertices)[weighted]
        options.progress(total, total)


def _gap_entries(rows: Adjacency, weighted: bool, sink: Sink) -> Array:
    """The neighbours, each followed by its weight where there are weights; an unweighted edge weighs 1."""
    if not weighted:
        return rows.indices.astype(_ID, copy=False)
    pairs = np.empty((rows.num_arcs, 2), dtype=_ID)
    pairs[:, 0] = rows.indices
    try:
        pairs[:, 1] = 1 if rows.weights is None else converted(rows.weights, _ID)
    except GraphError as error:
        raise sink.error(
            f"a GAP graph has weights of int32, but {error}",
            remedy="Round or scale them first, with graph.with_weights(…).",
            option=OTHER_WEIGHTS,
        ) from None
    return pairs


def _gap_sizes(directed: bool, num_entries: int, num_vertices: int) -> tuple[int, int]:
    """The size of the file without and with weights."""
    sides = 2 if directed else 1
    offsets = 8 * (num_vertices + 1)
    return tuple(_GAP.size + sides * (offsets + num_entries * each) for each in (4, 8))  # type: ignore[return-value]


def sniff_galois(head: bytes) -> Match:
    """Sure where the version is known, sizes fit and the first rows end in ascending order."""
    if len(head) < _GALOIS.size:
        return Match.NO
    version, edge_bytes, num_vertices, num_edges = _GALOIS.unpack_from(head)
    if version not in _TARGETS or edge_bytes > 1 << 10 or max(num_vertices, num_edges) >> 48:
        return Match.NO
    seen = min(num_vertices, len(head) // 8 - 4)
    ends = np.frombuffer(head, dtype="<u8", count=seen, offset=_GALOIS.size)
    if (ends[1:] < ends[:-1]).any() or (seen and int(ends[-1]) > num_edges):
        return Match.NO
    sizes = [_galois_size(version, num_vertices, num_edges, edge_bytes, padded=padded) for padded in (True, False)]
    return Match.SURE if len(head) == HEAD_BYTES or len(head) in sizes else Match.MAYBE


def read_galois(source: Source, options: ReadOptions) -> Graph:
    """Read a graph; targets and weights stay in the mapped file where their width is clew's and rows are sorted."""
    data = source.whole()
    if data.size < _GALOIS.size:
        raise source.error(f"the file has {data.size} bytes; expected a Galois graph, whose header has {_GALOIS.size}.")
    version, edge_bytes, num_vertices, num_edges = _GALOIS.unpack(data[: _GALOIS.size].tobytes())
    if version not in _TARGETS:
        raise source.error(f"the file says it has version {version} of the Galois format; clew reads versions 1 and 2.")
    whole = _galois_size(version, num_vertices, num_edges, edge_bytes, padded=True)
    bare = _galois_size(version, num_vertices, num_edges, edge_bytes, padded=False)
    if data.size not in (whole, bare):
        raise source.error(
            f"the file has {data.size:,} bytes, but {counted(num_vertices, 'vertex')} and "
            f"{counted(num_edges, 'edge')} with {edge_bytes} bytes of data each take {whole:,}: "
            "it is cut short, or not a Galois graph of that version."
        )
    indptr = np.zeros(num_vertices + 1, dtype=OFFSET)
    indptr[1:] = typed(data, _GALOIS.size, num_vertices, np.int64)
    targets = typed(data, _GALOIS.size + 8 * num_vertices, num_edges, _TARGETS[version])
    weights = None
    if edge_bytes and options.weights is not False:
        dtype = _weights_dtype(edge_bytes, options)
        weights = typed(data, whole - num_edges * edge_bytes, num_edges, dtype)
    narrow = num_vertices <= MAX_INT32_VERTICES
    if num_edges and int(targets.max()) >= num_vertices:
        raise source.error(f"an edge leads to vertex {targets.max()}; expected ids below {num_vertices:,}.")
    indices = targets.view(f"i{targets.itemsize}").astype(np.int32 if narrow else np.int64, copy=False)
    return graph_from_rows(indptr, indices, weights, options, directed=True)


def write_galois(graph: Graph, sink: Sink, options: WriteOptions) -> None:
    """Write version 1, or version 2 where there are too many vertices for it; weights of less than 32 bits get 32."""
    version = 1 if graph.num_vertices <= MAX_VERSION_1_VERTICES else 2
    weights = None if graph.weights is None else _unsigned(graph.weights, sink)
    edge_bytes = 0 if weights is None else weights.itemsize
    sink.write(_GALOIS.pack(version, edge_bytes, graph.num_vertices, graph.num_arcs))
    sink.write(little_endian(graph.indptr[1:]))
    sink.write(little_endian(graph.indices.astype(_TARGETS[version], copy=False)))
    sink.write(bytes(_padding(version, graph.num_arcs)))
    if weights is not None:
        sink.write(little_endian(weights))
    if options.progress:
        total = _galois_size(version, graph.num_vertices, graph.num_arcs, edge_bytes, padded=True)
        options.progress(total, total)


def _unsigned(weights: Array, sink: Sink) -> Array:
    """The weights as readers of the file take them; refuses those that would come back as other numbers."""
    bits = 8 * max(4, weights.itemsize)
    if weights.dtype.kind == "f" and weights.size:
        raise sink.error(
            f"the weights are {weights.dtype}, but a Galois file does not say so: they would be read as unsigned "
            "integers, which are other numbers.",
            remedy="Scale and round them with graph.with_weights(…), or write their bits with "
            f"graph.with_weights(graph.weights.view('uint{bits}')) and read them with weight_dtype='{weights.dtype}'.",
            option=OTHER_WEIGHTS,
        )
    if weights.dtype.kind == "i" and weights.size and weights.min() < 0:
        raise sink.error(
            f"the smallest weight is {weights.min()}, but weights in a Galois file are unsigned: it would be read as "
            "another number.",
            remedy="Shift or drop them with graph.with_weights(…), or write their bits with "
            f"graph.with_weights(graph.weights.astype('int{bits}').view('uint{bits}')) and read them with "
            f"weight_dtype='int{bits}'.",
            option=OTHER_WEIGHTS,
        )
    return weights.astype(f"u{bits // 8}", copy=False)


def _padding(version: int, num_edges: int) -> int:
    return 4 * (num_edges % 2) if version == 1 else 0


def _galois_size(version: int, num_vertices: int, num_edges: int, edge_bytes: int, *, padded: bool) -> int:
    """The size of a file; some writers omit the padding if no edge data follows it."""
    padding = _padding(version, num_edges) if padded or edge_bytes else 0
    each = _TARGETS[version].itemsize + edge_bytes
    return _GALOIS.size + 8 * num_vertices + num_edges * each + padding


def _weights_dtype(edge_bytes: int, options: ReadOptions) -> np.dtype[Any]:
    """The dtype of the edge data, whose size must match."""
    if edge_bytes not in _UNSIGNED:
        raise GraphError(
            f"edges have {edge_bytes} bytes of data each; expected 4 or 8, a number.",
            remedy="Pass weights=False to read the edges without it.",
        )
    if options.weight_dtype is None:
        return _UNSIGNED[edge_bytes]
    dtype, bits = np.dtype(options.weight_dtype), 8 * edge_bytes
    if dtype.itemsize != edge_bytes:
        raise GraphError(
            f"edges have {edge_bytes} bytes of data each, but weight_dtype is {dtype}. A Galois file does not say what "
            f"they are, so weight_dtype does; expected uint{bits}, int{bits}, float{bits}."
        )
    return dtype
