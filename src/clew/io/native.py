"""``.clew``: a graph's own arrays in one file, mapped into memory instead of read.

Opening one takes milliseconds for any size. Only the header of a large file is read, and the arrays are views of the
file. The sections are

- ``indptr`` (int64), ``indices`` (int32 or int64) and, where edges have weights, ``weights``: the compressed rows,
  sorted, an undirected edge in both directions;
- or, in version 2, packed rows (``clew.io.native_packed``);
- ``names`` (integers), or ``name_offsets`` (int64) and ``name_bytes`` (UTF-8): what the user calls the vertices;
- ``metadata/…``: arrays in the graph's metadata;
- ``vertex_columns`` and ``edge_columns``, where there are any: the bytes of an Arrow IPC file with a row per vertex, or
  per edge in the order of ``Graph.edges()``;

and the header holds ``directed``, ``report`` and ``metadata``.

Checksums detect damage. The checksum of the header is always verified. Those of the arrays are verified up to 64 MiB,
or with ``check=True``. The same holds for the validity of the rows, so read a large file from an untrusted origin with
``check=True`` once. The symmetry of undirected edges takes longer, and is checked up to 4 MiB.

The bytes of a file:

==========  =====  ====================================================================================================
at byte     bytes  what (all integers little-endian)
==========  =====  ====================================================================================================
0           8      magic: ``CLEW``, CR, LF, ^Z, LF; a transfer in text mode damages it, so that it shows at once
8           4      version of the format: 1, or 2 if the rows are packed
12          4      CRC-32 of the header
16          8      length of the header in bytes
24          8      length of the whole file in bytes
32                 the header: JSON in UTF-8
==========  =====  ====================================================================================================

The sections follow the header, in the order in which the header lists them. Each starts at a multiple of 64, with zeros
in between. The header has the name, dtype, shape and offset of each, and the CRC-32 of every 16 MiB. Offsets count from
the start of the first section. Nothing follows the last section.
"""

from __future__ import annotations

import hashlib
import json
import math
import struct
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from clew import threads
from clew.adjacency import COUNTS, Adjacency, BuildReport
from clew.dtypes import ID_DTYPES, MAX_INT32_VERTICES, WEIGHT_DTYPES, Array
from clew.errors import GraphError
from clew.graph import Graph
from clew.io.attributes import SECTIONS, from_arrays, to_arrays
from clew.io.binary import NAME_ARRAYS, little_endian, names_from_arrays, names_to_arrays, typed
from clew.io.metadata import metadata_from_json, metadata_to_json
from clew.io.native_packed import from_sections, to_sections
from clew.io.options import Progress, ReadOptions, WriteOptions, graph_from_rows, requested_weights
from clew.io.ranges import between
from clew.io.sink import Sink
from clew.io.source import Bytes, Match, Source
from clew.names import VertexNames
from clew.packed import PackedAdjacency

SMALL = 1 << 26  # bytes that are checked in well under a tenth of a second,
SMALLER = 1 << 22  # the same if the symmetry of edges is checked too
MAGIC = b"CLEW\r\n\x1a\n"
PLAIN, PACKED = 1, 2  # versions
VERSION = PACKED
ALIGNMENT = 64
BLOCK = 1 << 24
BATCH = 32  # blocks between two calls of ``progress``

_PREAMBLE = struct.Struct("<8sIIQQ")
_DTYPES = {dtype.newbyteorder("<").str: dtype for dtype in WEIGHT_DTYPES}


def sniff(head: bytes) -> Match:
    """Ours from the first byte to the eighth."""
    return Match.SURE if head.startswith(MAGIC) else Match.NO


def read(source: Source, options: ReadOptions) -> Graph:
    """Map a ``.clew`` file; copies nothing unless ``options`` change the graph."""
    container = Container(source)
    check = container.nbytes <= SMALL if options.check is None else options.check
    if check:
        container.verify(options.progress)
    stored_rows = _rows(container)
    directed, report = _facts(container.header)
    try:
        kept = metadata_from_json(container.header.get("metadata", {}), container.array)
    except RecursionError:
        raise GraphError("the metadata is nested too deeply; expected what clew writes.") from None
    if not isinstance(kept, dict):
        raise GraphError(f"the header's metadata is of type {type(kept).__name__}; expected a dictionary.")
    stored = {name: container.array(name) for name in NAME_ARRAYS if name in container}
    values = names_from_arrays(stored, check=check)
    names = None if values is None else VertexNames(values) if check else VertexNames.trusted(values)
    if check:
        _check_content(stored_rows, not directed and bool(options.check or container.nbytes <= SMALLER))
    columns = {name: container.array(name) for name in SECTIONS.values() if name in container}
    if columns:
        whole = Graph(stored_rows, directed=directed, names=names, report=report, metadata=kept)
        return from_arrays(whole, columns, options, check=check)
    if (directed and options.directed is False) or options.duplicates != "keep" or options.loops != "keep":
        rows = stored_rows.plain()
        known: dict[str, Any] = {"directed": directed, "names": names, "id_dtype": rows.id_dtype, "metadata": kept}
        return graph_from_rows(rows.indptr, rows.indices, rows.weights, options, **known)
    rows = _with_requested_weights(stored_rows, options)
    directed = directed if options.directed is None else options.directed
    return Graph(rows, directed=directed, names=names, report=report, metadata=kept)


def write(graph: Graph, sink: Sink, options: WriteOptions) -> None:
    """Write everything there is to know about the graph."""
    tree, apart = metadata_to_json(graph.metadata)
    counts = {name: getattr(graph.report, name) for name in COUNTS}
    header = {"directed": graph.directed, "report": counts, "metadata": tree}
    if isinstance(graph.outgoing, PackedAdjacency):
        header["packed"], arrays = to_sections(graph.outgoing)
    else:
        arrays = {"indptr": graph.indptr, "indices": graph.indices}
        arrays |= {} if graph.weights is None else {"weights": graph.weights}
    arrays |= names_to_arrays(graph.names) | apart | to_arrays(graph.attributes)
    write_sections(sink, header, arrays, options.progress)


def _rows(container: Container) -> Adjacency:
    """The rows, checked as far as possible without reading them."""
    if "packed" in container.header:
        return from_sections(container.header["packed"], container.array)
    indptr, indices = container.array("indptr"), container.array("indices")
    weights = container.array("weights") if "weights" in container else None
    if indptr.ndim != 1 or not indptr.size or indptr.dtype != np.int64:
        raise GraphError(f"indptr has shape {indptr.shape} and dtype {indptr.dtype}; expected n+1 numbers of int64.")
    if indices.ndim != 1 or indices.dtype not in ID_DTYPES:
        raise GraphError(f"indices have shape {indices.shape} and dtype {indices.dtype}; expected int32 or int64.")
    if indices.dtype == np.int32 and indptr.size - 1 > MAX_INT32_VERTICES:
        raise GraphError(f"indices are int32, but there are {indptr.size - 1:,} vertices; expected int64.")
    if indptr[0] != 0 or indptr[-1] != indices.size:
        raise GraphError(f"indptr runs from {indptr[0]} to {indptr[-1]}; expected 0 to {indices.size:,}.")
    if weights is not None and weights.shape != indices.shape:
        raise GraphError(f"weights have shape {weights.shape}; expected one for each of {indices.size:,} arcs.")
    return Adjacency(indptr, indices, weights)


def _check_content(stored: Adjacency, symmetric: bool) -> None:
    """Raise GraphError for rows that no graph has: ids out of range, rows out of order, edges that go one way only."""
    if isinstance(stored, PackedAdjacency):
        stored.check()
    rows = stored.plain()
    graph = Graph.from_csr(rows.indptr, rows.indices, rows.weights, directed=not symmetric, id_dtype=rows.id_dtype)
    if rows.num_arcs and not np.shares_memory(graph.indices, rows.indices):  # copied, because they had to be sorted
        raise GraphError("the rows are not sorted, as those of a .clew file must be. Write it again.")


def _with_requested_weights(rows: Adjacency, options: ReadOptions) -> Adjacency:
    if not isinstance(rows, PackedAdjacency):
        return Adjacency(rows.indptr, rows.indices, requested_weights(rows.weights, options))
    if options.weight_dtype is None:
        kept = requested_weights(rows.stored_weights, options)
        return rows if kept is rows.stored_weights else rows.with_weights(kept)
    return rows.with_weights(requested_weights(rows.weights, options))


def _facts(header: dict[str, Any]) -> tuple[bool, BuildReport]:
    """Direction and report as the header has them."""
    directed, counts = header.get("directed"), header.get("report")
    if not isinstance(directed, bool):
        raise GraphError(f"the header says directed is {directed!r}; expected true or false.")
    if not isinstance(counts, dict) or set(counts) != set(COUNTS) or any(type(n) is not int for n in counts.values()):
        raise GraphError(f"the header's report is {counts!r}; expected numbers for {', '.join(sorted(COUNTS))}.")
    return directed, BuildReport(**counts)


@dataclass(frozen=True, slots=True)
class Section:
    """Where one array lies, and its checksums."""

    name: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    offset: int
    crcs: tuple[int, ...]

    @property
    def nbytes(self) -> int:
        """The bytes it takes."""
        return math.prod(self.shape) * self.dtype.itemsize


class Container:
    """An opened file: its header, and its arrays as views of the mapped bytes.

    Parameters
    ----------
    source
        The file; its structure is checked here, the content of its arrays by ``verify``.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self._data = source.whole()
        header_bytes = self._check_preamble()
        self.header = self._parse_header(header_bytes)
        self._start = _aligned(_PREAMBLE.size + header_bytes)
        self._sections = self._parse_sections()

    def __contains__(self, name: str) -> bool:
        return name in self._sections

    @property
    def nbytes(self) -> int:
        """The bytes of all arrays."""
        return sum(section.nbytes for section in self._sections.values())

    def array(self, name: str) -> Array:
        """The array called ``name``, a view of the file."""
        section = self._sections.get(name)
        if section is None:
            raise self._damaged(f"the header lists no section {name!r}")
        flat = typed(self._data, self._start + section.offset, math.prod(section.shape), section.dtype)
        try:
            return flat.reshape(section.shape)
        except (ValueError, OverflowError):
            raise self._damaged(f"the section {name!r} has the shape {section.shape}") from None

    def verify(self, progress: Progress | None = None) -> None:
        """Compare every checksum, on all threads."""
        blocks = [
            (section.name, self._start + section.offset + place, min(BLOCK, section.nbytes - place), crc)
            for section in self._sections.values()
            for place, crc in zip(range(0, section.nbytes, BLOCK), section.crcs, strict=True)
        ]

        def intact(piece: int, first: int) -> bool:
            _, start, length, crc = blocks[first + piece]
            return zlib.crc32(self._data[start : start + length].data) == crc

        for first in range(0, len(blocks), BATCH):
            batch = blocks[first : first + BATCH]
            for (name, start, *_), good in zip(batch, threads.each(intact, len(batch), first), strict=True):
                if not good:
                    raise self._damaged(f"the checksum of {name!r} does not match in the block at byte {start:,}")
            if progress:
                progress(batch[-1][1] + batch[-1][2], self._data.size)
        for section in self._sections.values():
            # A byte other than 0 and 1 in a boolean array gives wrong results later.
            if section.dtype == np.bool_ and self.array(section.name).view(np.uint8).max(initial=0) > 1:
                raise self._damaged(f"the booleans in {section.name!r} are not all 0 or 1")

    def _check_preamble(self) -> int:
        """The length of the header, after its checksum was compared."""
        if self._data.size < _PREAMBLE.size:
            raise self._source.error(
                f"the file has {self._data.size} bytes; expected a .clew file, which has at least {_PREAMBLE.size}."
            )
        magic, version, crc, header_bytes, file_bytes = _PREAMBLE.unpack(self._data[: _PREAMBLE.size].tobytes())
        if magic != MAGIC:
            raise self._source.error(f"the file starts with {magic!r}; expected {MAGIC!r}, the mark of a .clew file.")
        if not PLAIN <= version <= PACKED:
            raise self._source.error(
                f"the file has version {version} of the .clew format; this clew reads versions {PLAIN} and {PACKED}. "
                + ("Install a newer clew." if version > VERSION else "Write it again with the clew that wrote it.")
            )
        if file_bytes != self._data.size:
            raise self._source.error(
                f"the file has {self._data.size:,} bytes but was written with {file_bytes:,}: it was cut short, or "
                "something was appended. Copy it again."
            )
        header = self._data[_PREAMBLE.size : _PREAMBLE.size + header_bytes]
        if header.size != header_bytes or zlib.crc32(header.data) != crc:
            raise self._damaged("the checksum of the header does not match")
        return int(header_bytes)

    def _parse_header(self, header_bytes: int) -> dict[str, Any]:
        try:
            header = json.loads(self._data[_PREAMBLE.size : _PREAMBLE.size + header_bytes].tobytes())
        except (ValueError, RecursionError) as error:
            raise self._damaged(f"the header is not JSON ({error})") from None
        if not isinstance(header, dict) or not isinstance(header.get("sections"), list):
            raise self._damaged("the header lists no sections")
        return header

    def _parse_sections(self) -> dict[str, Section]:
        """Every section that the header lists, after a check that they fill the rest of the file exactly."""
        found: dict[str, Section] = {}
        end = 0
        for entry in self.header["sections"]:
            section = _section(entry)
            if section is None or section.name in found:
                raise self._damaged(f"the header describes a section as {json.dumps(entry)[:200]}")
            if section.offset != _aligned(end):
                raise self._damaged(f"the section {section.name!r} starts at {section.offset}, not {_aligned(end)}")
            end = section.offset + section.nbytes
            found[section.name] = section
        if self._start + end != self._data.size:
            raise self._damaged(f"its sections end at byte {self._start + end:,} of {self._data.size:,}")
        return found

    def _damaged(self, what: str) -> Exception:
        return self._source.error(f"the file is damaged: {what}. Copy it again, or write it again.")


def digest_of_header(source: Source) -> str:
    """A digest of a file's header, and with it of the checksums of all arrays."""
    start = between(source, 0, _PREAMBLE.size).tobytes().ljust(_PREAMBLE.size, b"\0")
    length = min(_PREAMBLE.unpack(start)[3], source.stored_bytes)
    return hashlib.sha256(between(source, 0, _PREAMBLE.size + length).tobytes()).hexdigest()


def write_sections(
    sink: Sink, header: Mapping[str, Any], arrays: Mapping[str, Array], progress: Progress | None
) -> None:
    """Write a header and arrays. Checksums come first in the file, so the arrays are read twice and never copied."""
    stored = {name: little_endian(array) for name, array in arrays.items()}
    entries, end = [], 0
    for name, array in stored.items():
        blocks = list(_blocks(array))
        crcs = threads.each(lambda piece, of: zlib.crc32(of[piece]), len(blocks), blocks)
        start = _aligned(end)
        entries.append({"name": name, "dtype": array.dtype.str, "shape": array.shape, "offset": start, "crc32": crcs})
        end = start + array.nbytes
    text = json.dumps({**header, "sections": entries}).encode()
    done = _PREAMBLE.size + len(text)
    total = _aligned(done) + end
    version = PACKED if "packed" in header else PLAIN
    sink.write(_PREAMBLE.pack(MAGIC, version, zlib.crc32(text), len(text), total) + text)
    for array in stored.values():
        sink.write(bytes(_aligned(done) - done))
        done = _aligned(done)
        for block in _blocks(array):
            sink.write(block)
            done += block.size
            if progress:
                progress(done, total)


def _blocks(array: Array) -> Iterator[Bytes]:
    flat = array.reshape(-1).view(np.uint8)
    for place in range(0, flat.size, BLOCK):
        yield flat[place : place + BLOCK]


def _section(entry: Any) -> Section | None:
    """A section as the header describes it, or None where that makes no sense."""
    match entry:
        case {"name": str(name), "dtype": str(dtype), "shape": [*shape], "offset": offset, "crc32": [*crcs]} if (
            dtype in _DTYPES and all(map(_is_count, (*shape, offset, *crcs)))
        ):
            section = Section(name, _DTYPES[dtype], tuple(shape), offset, tuple(crcs))
            return section if len(section.crcs) == -(-section.nbytes // BLOCK) else None
    return None


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _aligned(place: int) -> int:
    return -(-place // ALIGNMENT) * ALIGNMENT
