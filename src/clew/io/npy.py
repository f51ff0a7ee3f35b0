"""NumPy ``.npy`` files with an array of edges.

A row is an edge: its source, its target and, in a third column, its weight. An array of two rows and more than three
columns has an edge per column instead, as PyTorch Geometric's ``edge_index``. Nothing is ever unpickled.
"""

from __future__ import annotations

import io
from typing import Any

import numpy as np

from clew.dtypes import Array
from clew.errors import ClewError
from clew.graph import Graph
from clew.io.binary import whole_numbers
from clew.io.npz import DAMAGED, header
from clew.io.options import ReadOptions, WriteOptions, about_direction, graph_from_edges, noted
from clew.io.sink import Sink
from clew.io.source import Match, Source

MAGIC = b"\x93NUMPY"


def sniff(head: bytes) -> Match:
    """The first bytes of an array."""
    return Match.SURE if head.startswith(MAGIC) else Match.NO


def read(source: Source, options: ReadOptions) -> Graph:
    """Read a graph from an array of edges."""
    data = source.whole()
    try:
        start = io.BytesIO(data[: 1 << 17].tobytes())  # the longest header that NumPy reads is shorter
        shape, order, dtype = header(source, start, data.size, "the array", 2)
    except ClewError:
        raise
    except DAMAGED as error:
        raise source.error(f"this is no .npy file ({error}); copy or download it again.") from None
    if dtype.kind not in "iufU":
        raise source.error(f"the array has dtype {dtype}; expected integers or names.")
    edges: Any = (
        data[start.tell() :].view(dtype).reshape(shape, order=order).astype(dtype.newbyteorder("="), copy=False)
    )
    rows, columns = shape
    if rows == 2 and columns > 3:
        edges, said = edges.T, "The array has an edge per column."
    elif columns in (2, 3):
        said = "The array has an edge per row. Transpose it if a column is an edge."
    else:
        raise source.error(
            f"the array has shape {shape}; expected two columns, three with weights, or two rows. "
            "Pass an adjacency matrix to clew.Graph.from_numpy(numpy.load(path))."
        )
    first, second = (_ends(source, edges[:, column]) for column in (0, 1))
    weights = np.ascontiguousarray(edges[:, 2]) if edges.shape[1] == 3 and options.weights is not False else None
    graph = graph_from_edges(first, second, weights, options, directed=True)
    return noted(graph, said, *about_direction(True, options))


def _ends(source: Source, column: Array) -> Array:
    """The vertices at one end of the edges; in an array with fractional weights, they are floats."""
    if column.dtype.kind != "f":
        return np.ascontiguousarray(column)
    whole, wrong = whole_numbers(column)
    if wrong.any():
        row = int(wrong.argmax())
        raise source.error(f"edge number {row + 1} has the vertex {column[row]}; expected a whole number.")
    return whole


def write(graph: Graph, sink: Sink, options: WriteOptions) -> None:  # noqa: ARG001
    """Write a row per edge."""
    source, target, weights = graph.edges()
    dtype: np.dtype[Any] = np.dtype(np.int64)
    if weights is not None and weights.dtype.kind in "fu":
        dtype = np.dtype(np.float64 if weights.dtype.kind == "f" else np.uint64)
    edges = np.empty((source.size, 2 if weights is None else 3), dtype=dtype)
    for column, values in enumerate((source, target) if weights is None else (source, target, weights)):
        edges[:, column] = values
    file = io.BytesIO()
    np.lib.format.write_array_header_1_0(file, np.lib.format.header_data_from_array_1_0(edges))
    sink.write(file.getvalue())
    sink.write(edges)
