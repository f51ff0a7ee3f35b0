"""NumPy ``.npz`` archives: edge arrays, SciPy's sparse matrices, and what clew writes.

What the arrays are called decides:

- ``format``, ``shape`` and ``data``: a matrix as ``scipy.sparse.save_npz`` writes it (csr, csc, coo, bsr or dia). An
  entry is a directed edge, its value the weight.
- ``src`` and ``dst`` (or ``source`` and ``target``, ``row`` and ``col``): an edge per entry. Optional arrays are
  weights (``weights``, ``weight``, ``w``, ``data``) and the number of vertices (``n``, ``num_vertices``,
  ``num_nodes``). A flag may be ``directed``, or ``sym`` (``symmetric``, ``undirected``) if each pair is an edge in both
  directions. Without a flag edges are directed.

clew writes a csr matrix, which ``scipy.sparse.load_npz`` can read. It adds ``directed``, ``weighted`` and the names of
the vertices. Without weights, ``data`` is all ones.

Nothing is ever unpickled. A member's size is checked against its own header and against ``max_expanded_bytes`` before
memory is allocated for it.
"""

from __future__ import annotations

import math
import tokenize
import warnings
import zipfile
from typing import IO, Any, Literal

import numpy as np
import scipy.sparse as sp

from clew.dtypes import Array
from clew.errors import ClewError, FormatError
from clew.graph import Graph
from clew.io import binary
from clew.io.binary import refuse_expansion, refuse_rows
from clew.io.options import ReadOptions, WriteOptions, graph_from_edges, graph_from_rows
from clew.io.sink import Sink
from clew.io.source import BROKEN, Match, SinkFile, Source, opened

ENDS = (("src", "dst"), ("source", "target"), ("row", "col"))
WEIGHTS = ("weights", "weight", "w", "data")
COUNTS = ("n", "num_vertices", "num_nodes")
LEVEL = 1  # of deflate: several times faster than the usual 6, for files hardly larger
SYMMETRIC = ("sym", "symmetric", "undirected")
SUFFIX = ".npy"
KINDS = "biufSU"  # booleans, numbers and text: everything that is not Python objects or records
_HEADERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
# RuntimeError (which includes RecursionError): an encrypted member, or a compression that is not compiled in.
_MALFORMED = (TypeError, KeyError, SyntaxError, OverflowError, RuntimeError)
DAMAGED = (*BROKEN, *_MALFORMED, tokenize.TokenError)  # errors of NumPy on arrays that are no arrays


def sniff(head: bytes) -> Match:
    """A zip file whose first member is an array."""
    if not head.startswith(b"PK\x03\x04"):
        return Match.NO
    length = int.from_bytes(head[26:28], "little")
    return Match.SURE if head[30 : 30 + length].endswith(b".npy") else Match.NO


def read(source: Source, options: ReadOptions) -> Graph:
    """Read a graph from the arrays of the archive."""
    archive = Archive(source)
    if "shape" in archive and "format" in archive:
        return _from_matrix(archive, source, options)
    for pair in ENDS:
        if all(name in archive for name in pair):
            return _from_edges(archive, pair, source, options)
    raise source.error(
        f"the archive holds the arrays {', '.join(archive.names[:20]) or '(none)'}; expected src and dst, source and "
        "target, or what scipy.sparse.save_npz or clew writes."
    )


def write(graph: Graph, sink: Sink, options: WriteOptions) -> None:
    """Write the graph's rows as SciPy would, and what else there is to know about it."""
    n = graph.num_vertices
    arrays: dict[str, Array] = {
        "format": np.array(b"csr"),
        "shape": np.array([n, n], dtype=np.int64),
        "directed": np.array(graph.directed),
        "weighted": np.array(graph.weighted),
        "indptr": graph.indptr,
        "indices": graph.indices,
        "data": np.ones(graph.num_arcs, dtype=np.int8) if graph.weights is None else graph.weights,
        **binary.names_to_arrays(graph.names),
    }
    total = sum(array.nbytes for array in arrays.values())
    done = 0
    with zipfile.ZipFile(SinkFile(sink), "w", zipfile.ZIP_DEFLATED, compresslevel=LEVEL) as archive:
        for name, array in arrays.items():
            with archive.open(name + SUFFIX, "w", force_zip64=True) as member:
                np.lib.format.write_array(member, binary.little_endian(array), version=(1, 0), allow_pickle=False)
            done += array.nbytes
            if options.progress:
                options.progress(done, total)


def _from_edges(archive: Archive, ends: tuple[str, str], source: Source, options: ReadOptions) -> Graph:
    first, second = (archive.array(name) for name in ends)
    weights = _weights(archive, archive.first(*WEIGHTS), options)
    num_vertices = None
    if (count := archive.first(*COUNTS)) is not None:
        num_vertices = int(archive.value(count, "iu"))
        refuse_rows(source, num_vertices)
    directed = _is_directed(archive)
    return graph_from_edges(first, second, weights, options, directed=directed, num_vertices=num_vertices)


def _from_matrix(archive: Archive, source: Source, options: ReadOptions) -> Graph:
    kind = archive.value("format", "SU")
    kind = kind.decode("ascii", "replace") if isinstance(kind, bytes) else kind
    shape = archive.array("shape").tolist()
    if len(shape) != 2 or shape[0] != shape[1] or type(shape[0]) is not int or shape[0] < 0:
        raise source.error(f"the matrix has shape {shape}; expected a square one, a row and a column per vertex.")
    if kind not in ("csr", "csc", "coo", "bsr", "dia"):
        raise source.error(f"the matrix is in SciPy's format {kind!r}; expected csr, csc, coo, bsr or dia.")
    weighted = archive.value("weighted", "b") if "weighted" in archive else True
    weights_in = "data" if weighted else None
    directed = _is_directed(archive)
    if kind in ("csr", "csc"):
        indptr, indices = archive.array("indptr"), archive.array("indices")
        if indptr.size != shape[0] + 1:
            raise source.error(f"indptr has {indptr.size:,} entries; expected {shape[0] + 1:,}, one more than rows.")
        names = binary.names_from_arrays({name: archive.array(name) for name in binary.NAME_ARRAYS if name in archive})
        weights = _weights(archive, weights_in, options)
        graph = graph_from_rows(indptr, indices, weights, options, directed=directed, names=names)
        return graph if kind == "csr" else graph.reversed()  # the rows of a CSC matrix are its columns
    refuse_rows(source, shape[0])
    if kind == "coo":
        row, col, data = archive.array("row"), archive.array("col"), _weights(archive, weights_in, options)
    else:
        row, col, data = _expanded(kind, archive, shape[0], source)
    return graph_from_edges(row, col, data, options, directed=directed, num_vertices=shape[0])


def _expanded(format_name: str, archive: Archive, size: int, source: Source) -> tuple[Array, Array, Array]:
    """The entries of a matrix stored by blocks or diagonals."""
    data: Any = archive.array("data", ndim=3 if format_name == "bsr" else 2)
    matrix: Any
    try:
        if format_name == "bsr":
            matrix = sp.bsr_array((data, archive.array("indices"), archive.array("indptr")), shape=(size, size))
            matrix.check_format(full_check=True)
        else:
            matrix = sp.dia_array((data, archive.array("offsets")), shape=(size, size))
        entries = matrix.tocoo()
    except FormatError:
        raise
    except (ValueError, TypeError, IndexError, OverflowError, ZeroDivisionError) as error:
        raise source.error(f"the arrays do not make a {format_name} matrix of {size:,} rows: {error}.") from None
    return entries.row, entries.col, entries.data


def _weights(archive: Archive, name: str | None, options: ReadOptions) -> Array | None:
    return None if name is None or options.weights is False else archive.array(name)


def _is_directed(archive: Archive) -> bool:
    if "directed" in archive:
        return bool(archive.value("directed", "biu"))
    flag = archive.first(*SYMMETRIC)
    return flag is None or not archive.value(flag, "biu")


def header(
    source: Source, file: IO[bytes], size: int, name: str, ndim: int
) -> tuple[tuple[int, ...], Literal["C", "F"], np.dtype[Any]]:
    """Shape, order and dtype of an array in a file of ``size`` bytes, whose data must have the size that these say."""
    version = np.lib.format.read_magic(file)
    if version not in _HEADERS:
        raise source.error(f"{name!r} has version {version} of the .npy format; expected (1, 0) or (2, 0).")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that Python 2 wrote it
        shape, by_column, dtype = _HEADERS[version](file)
    if dtype.kind not in KINDS or len(shape) != ndim:
        raise source.error(
            f"{name!r} has {len(shape)} dimensions and dtype {dtype}; expected {ndim}, of numbers or text. "
            "Python objects are never read."
        )
    expected, present = math.prod(shape) * dtype.itemsize, size - file.tell()
    if min(shape, default=0) < 0 or expected != present:
        raise source.error(
            f"{name!r} says its shape is {shape} of {dtype}, {expected:,} bytes, but it has {present:,}."
        )
    return shape, "F" if by_column else "C", dtype


class Archive:
    """The arrays of a file by name; each is read on first use.

    Parameters
    ----------
    source
        The file.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self._expanded = 0
        try:
            self._zip = zipfile.ZipFile(opened(source.whole()))
        except DAMAGED as error:
            raise self._damaged(error) from None
        members = [info for info in self._zip.infolist() if info.filename.endswith(SUFFIX)]
        self._members = {info.filename.removesuffix(SUFFIX): info for info in members}

    def __contains__(self, name: str) -> bool:
        return name in self._members

    @property
    def names(self) -> list[str]:
        """What the arrays are called."""
        return list(self._members)

    def first(self, *names: str) -> str | None:
        """The first of ``names`` that is there."""
        return next((name for name in names if name in self), None)

    def array(self, name: str, ndim: int = 1) -> Array:
        """The array called ``name``, which has ``ndim`` dimensions."""
        info = self._members.get(name)
        if info is None:
            raise self._source.error(f"there is no array {name!r}; the file has {', '.join(self.names) or 'none'}.")
        try:
            with self._zip.open(info) as member:
                return self._read(member, info, name, ndim)
        except ClewError:
            raise
        except DAMAGED as error:
            raise self._damaged(error, name) from None

    def value(self, name: str, kinds: str) -> Any:
        """The one value of an array without dimensions whose dtype is of one of ``kinds``."""
        array = self.array(name, ndim=0)
        if array.dtype.kind not in kinds:
            raise self._source.error(f"{name!r} has dtype {array.dtype}; expected one of kind {' or '.join(kinds)}.")
        return array.item()

    def _read(self, member: IO[bytes], info: zipfile.ZipInfo, name: str, ndim: int) -> Array:
        shape, order, dtype = header(self._source, member, info.file_size, name, ndim)
        count = math.prod(shape)
        self._expanded += count * dtype.itemsize
        refuse_expansion(self._source, self._expanded)
        return self._fill(member, np.empty(count, dtype=dtype), name).reshape(shape, order=order)

    def _fill(self, member: IO[bytes], array: Array, name: str) -> Array:
        """Read to the very end, where the archive's checksum is compared."""
        left = array.view(np.uint8).data if array.nbytes else memoryview(b"")
        while len(left):
            got = member.readinto(left[: 1 << 24])  # type: ignore[attr-defined]
            if not got:
                raise self._source.error(f"{name!r} is cut short: {len(left):,} bytes are missing.")
            left = left[got:]
        if member.read(1):
            raise self._source.error(f"{name!r} is longer than the archive says.")
        native: Array = array.astype(array.dtype.newbyteorder("="), copy=False)
        return native

    def _damaged(self, error: Exception, name: str | None = None) -> FormatError:
        what = "the file" if name is None else f"the array {name!r}"
        return self._source.error(f"{what} cannot be read as part of an .npz archive ({error}); copy the file again.")
