"""MATLAB ``.mat`` files of version 5 to 7 with a matrix: ``A``, ``Problem.A`` as in SuiteSparse, or the only one.

Entry (i, j) is the edge from i to j, its value the weight; a matrix of truth values has no weights. clew writes ``A``
and the flag ``directed``. MATLAB's sparse matrices have one float64 per pair, so parallel edges and other weights are
refused. A file is a list of elements with a type and a size; the matrices in it are lists of elements again.
"""

from __future__ import annotations

import io
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.io
import scipy.sparse as sp

from clew import transform
from clew.convert.libraries import from_dense, from_scipy
from clew.errors import ClewError
from clew.graph import Graph
from clew.io.binary import refuse_expansion
from clew.io.options import OTHER_WEIGHTS, ReadOptions, WriteOptions, about_direction, graph_from_rows, noted
from clew.io.sink import Sink
from clew.io.source import Match, Source

MAGIC = b"MATLAB 5.0 MAT-file"
HEADER_BYTES = 128  # the last two of them show the order of bytes
MATRIX, COMPRESSED = 14, 15  # types of elements; the others are numbers
NUMBERS = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8", 13: "u8"}
STRUCT, SPARSE = 2, 5  # classes of matrices
CLASSES = {SPARSE: "f8", 6: "f8", 7: "f4", 8: "i1", 9: "u1", 10: "i2", 11: "u2", 12: "i4", 13: "u4", 14: "i8", 15: "u8"}
LOGICAL, COMPLEX = 0x200, 0x800  # flags, above the class
PREFERRED = ("A", "Problem.A")


def sniff(head: bytes) -> Match:
    """The first words of such a file."""
    return Match.SURE if head.startswith(MAGIC) else Match.NO


def read(source: Source, options: ReadOptions) -> Graph:
    """Read the matrix of the file."""
    if not source.head().startswith(MAGIC):
        raise source.error(f"the file does not start with '{MAGIC.decode()}', as MATLAB's files of version 5 to 7 do.")
    try:
        variables = dict(_File(source).variables())
        square = {name: one for name, one in variables.items() if one.shape[0] == one.shape[1]}
        # A full matrix of one number or of none is no graph.
        matrices = {name: one for name, one in square.items() if sp.issparse(one) or one.shape[0] > 1}
        matrix: Any = matrices[name := _chosen(source, matrices)]
        if sp.issparse(matrix):
            matrix.check_format(full_check=True)  # type: ignore[attr-defined]
        indptr, indices, weights = from_scipy(matrix) if sp.issparse(matrix) else from_dense(matrix)
    except ClewError:
        raise
    except (ValueError, TypeError, IndexError, KeyError, OverflowError, zlib.error) as error:
        raise source.error(f"the file is damaged or cut short ({error}); copy or download it again.") from None
    directed = bool(np.all(variables.get("directed", True)))
    weights = None if weights is not None and weights.dtype == np.bool_ else weights
    graph = graph_from_rows(indptr, indices, weights, options, directed=directed)
    said = about_direction(directed, options, by="the file" if "directed" in variables else "")
    return noted(graph, f"The graph is the matrix {name}.", *said)


class _File:
    """A file, and how many bytes its elements may still unpack to."""

    def __init__(self, source: Source) -> None:
        self._source, self._data = source, source.whole().data
        self._order = ">" if bytes(self._data[HEADER_BYTES - 2 : HEADER_BYTES]) == b"MI" else "<"

    def variables(self) -> Iterator[tuple[str, Any]]:
        """The matrices of numbers, and those among the fields of structures, by name."""
        expanded = 0
        for kind, body in self._elements(self._data[HEADER_BYTES:]):
            parts = [(kind, body)]
            if kind == COMPRESSED:
                unpacker = zlib.decompressobj()
                unpacked = unpacker.decompress(body, max(1, self._source.expansion_limit - expanded))
                expanded += len(unpacked) + len(unpacker.unconsumed_tail[:1])
                refuse_expansion(self._source, expanded)
                parts = list(self._elements(memoryview(unpacked)))
            for inner, content in parts:
                if inner == MATRIX:
                    yield from self._matrix(content, "")

    def _elements(self, data: memoryview) -> Iterator[tuple[int, memoryview]]:
        place = 0
        while place + 8 <= len(data):
            kind, size = np.frombuffer(data[place : place + 8], self._order + "u4").tolist()
            if kind >> 16:  # a size of four bytes or less, and the bytes themselves
                kind, size, place = kind & 0xFFFF, kind >> 16, place - 4
            body = data[place + 8 : place + 8 + size]
            if len(body) < size:
                raise ValueError(f"an element of {size:,} bytes has {len(body):,}")
            yield kind, body
            place += 8 + size
            place += -place % 8 if kind != COMPRESSED else 0

    def _matrix(self, data: memoryview, prefix: str) -> Iterator[tuple[str, Any]]:
        elements = list(self._elements(data))
        (flags, _), shape = (self._numbers(element).tolist() for element in elements[:2])
        name, body, kind = prefix + bytes(elements[2][1]).decode("latin-1"), elements[3:], flags & 0xFF
        if kind == STRUCT and shape == [1, 1] and not prefix:
            width, text = int(self._numbers(body[0])[0]), bytes(body[1][1])
            fields = [
                text[at : at + width].rstrip(b"\0").decode("latin-1") for at in range(0, len(text), max(1, width))
            ]
            for field, (_, content) in zip(fields, body[2:], strict=True):
                for _, value in self._matrix(content, "."):
                    yield f"{name}.{field}", value
        elif kind in CLASSES and len(shape) == 2 and not flags & COMPLEX:
            dtype = np.dtype(np.bool_ if flags & LOGICAL else CLASSES[kind])
            *index, values = (self._numbers(element) for element in body)
            values = values.astype(dtype)
            if kind == SPARSE:
                yield name, sp.csc_array((values[: index[0].size], *index), shape=tuple(shape))
            else:
                yield name, values.reshape(shape, order="F")

    def _numbers(self, element: tuple[int, memoryview]) -> Any:
        return np.frombuffer(element[1], self._order + NUMBERS[element[0]])


def _chosen(source: Source, matrices: dict[str, Any]) -> str:
    for name in PREFERRED:
        if name in matrices:
            return name
    if len(matrices) == 1:
        return next(iter(matrices))
    if not matrices:
        raise source.error("the file has no square matrix of numbers; expected one with a row and a column per vertex.")
    raise source.error(
        f"the file has the matrices {', '.join(matrices)}, none of them called A. In Python, pass one of "
        "scipy.io.loadmat(path) to clew.Graph.from_scipy."
    )


def write(graph: Graph, sink: Sink, options: WriteOptions) -> None:  # noqa: ARG001
    """Write the matrix A."""
    row, column, weights = transform.edges(graph.outgoing, once=False)
    if np.any((np.diff(row) == 0) & (np.diff(column) == 0)):
        raise sink.error(
            "the graph has parallel edges, and a matrix has one value per pair.",
            remedy="Merge them with duplicates='sum' where the graph is read or built, or choose another format.",
            option="Merge them with --duplicates sum, or choose another format.",
        )
    values: Any = np.ones(row.size, dtype=np.bool_) if weights is None else weights.astype(np.float64)
    if weights is not None and weights.dtype.kind in "iu" and not np.array_equal(values.astype(weights.dtype), weights):
        raise sink.error(
            "the graph has weights that float64 cannot hold, and MATLAB's sparse matrices have no other numbers.",
            remedy="Round them first, with graph.with_weights(…).",
            option=OTHER_WEIGHTS,
        )
    matrix = sp.csc_array((values, (row, column)), shape=(graph.num_vertices,) * 2)
    file: Any = io.BytesIO()
    scipy.io.savemat(file, {"A": matrix, "directed": graph.directed}, do_compression=True)
    sink.write(file.getvalue())
