"""Layouts: the same edges as compressed rows, as a list of coordinates, or as a padded table.

A graph is stored as CSR. COO suits engines that partition the edges themselves. ELL gives every row the same number of
slots, which makes neighbouring rows contiguous in memory. It pays off if all degrees are similar.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from clew import transform
from clew.adjacency import Adjacency
from clew.build.rows import sorted_rows
from clew.checks import check_in_one_process, counted
from clew.dtypes import ID_DTYPES, OFFSET, Array, IdArray, as_weights
from clew.errors import GraphError, ResourceError
from clew.graph import Graph

ELL_LIMIT = 1 << 30  # bytes

CSR = Adjacency


@dataclass(frozen=True, slots=True)
class COO:
    """A list of coordinates: edge k leads from ``rows[k]`` to ``columns[k]``. It is sorted by row and column.

    The arrays are made read-only, like those of compressed rows: a GPU may hold a copy.
    """

    rows: IdArray
    columns: IdArray
    weights: Array | None
    num_vertices: int

    def __post_init__(self) -> None:
        rows, columns = _ids(self.rows, "rows"), _ids(self.columns, "columns")
        if rows.shape != columns.shape or rows.ndim != 1:
            raise GraphError(f"rows and columns have shapes {rows.shape} and {columns.shape}; expected (m,).")
        if rows.size and not all(end.min() >= 0 and end.max() < self.num_vertices for end in (rows, columns)):
            raise GraphError(f"rows and columns must be from 0 to {self.num_vertices - 1}.")
        weights = None if self.weights is None else as_weights(self.weights, rows.size)
        if not _ascend(rows, columns):
            order = np.lexsort((columns, rows))
            rows, columns, weights = rows[order], columns[order], None if weights is None else weights[order]
        _set_read_only(self, rows=rows, columns=columns, weights=weights)

    @property
    def nbytes(self) -> int:
        """The bytes of all arrays."""
        return sum(array.nbytes for array in (self.rows, self.columns, self.weights) if array is not None)


@dataclass(frozen=True, slots=True)
class ELL:
    """A padded table, column by column: the k-th edge of vertex v leads to ``columns[k, v]``, with weight
    ``weights[k, v]``. It is -1 if v has no more edges. The arrays are made read-only.
    """

    columns: IdArray
    weights: Array | None

    def __post_init__(self) -> None:
        columns = _ids(self.columns, "columns")
        if columns.ndim != 2 or (columns.size and not columns.max() < columns.shape[1]):
            raise GraphError("columns must be a table of (width, vertices) with vertices or -1 in it.")
        weights = None if self.weights is None else np.asarray(self.weights)
        if weights is not None:
            if weights.shape != columns.shape:
                raise GraphError(f"weights have shape {weights.shape}; expected {columns.shape}.")
            weights = as_weights(weights.reshape(-1), columns.size).reshape(columns.shape)
        _set_read_only(self, columns=columns, weights=weights)

    @property
    def num_vertices(self) -> int:
        """The number of rows of the matrix."""
        return int(self.columns.shape[1])

    @property
    def width(self) -> int:
        """The largest degree."""
        return int(self.columns.shape[0])

    @property
    def nbytes(self) -> int:
        """The bytes of the table, including padding."""
        return self.columns.nbytes + (0 if self.weights is None else self.weights.nbytes)


Layout = Adjacency | COO | ELL


def weight_dtype(edges: Layout) -> np.dtype[Any] | None:
    """The dtype of the weights, or None; packed ones are not unpacked for it."""
    if isinstance(edges, Adjacency):
        return edges.weight_dtype
    return None if edges.weights is None else edges.weights.dtype


def csr(edges: Graph | Layout) -> Adjacency:
    """The out-edges as compressed rows; those of a graph are not copied."""
    check_in_one_process(edges)
    if isinstance(edges, Graph):
        return edges.outgoing
    if isinstance(edges, COO):
        indptr = np.zeros(edges.num_vertices + 1, dtype=OFFSET)
        np.cumsum(np.bincount(edges.rows, minlength=edges.num_vertices), out=indptr[1:])
        return Adjacency(indptr, edges.columns, edges.weights)
    if isinstance(edges, ELL):
        return _without_padding(edges)
    if not isinstance(edges, Adjacency):
        raise GraphError(f"expected a Graph or a layout (CSR, COO or ELL), got {type(edges).__name__}.")
    return edges


def coo(edges: Graph | Layout) -> COO:
    """The out-edges as a list of coordinates, row by row."""
    if isinstance(edges, COO):
        return edges
    rows = csr(edges)
    source, target, weights = transform.edges(rows, once=False)
    return COO(source, target, weights, rows.num_vertices)


def ell(edges: Graph | Layout, *, limit: int = ELL_LIMIT) -> ELL:
    """The out-edges as a padded table; ResourceError if it would take more than ``limit`` bytes."""
    if isinstance(edges, ELL):
        return edges
    rows = csr(edges)
    degrees = rows.degrees()
    width = int(degrees.max(initial=0))
    entry = rows.indices.itemsize + (0 if rows.weights is None else rows.weights.itemsize)
    needed = width * rows.num_vertices * entry
    if needed > limit:
        raise ResourceError(
            f"ELL would take {needed:,} bytes, since one vertex has {counted(width, 'edge')} and every row is "
            "padded to that; "
            f"the limit is {limit:,} bytes and CSR takes {rows.nbytes:,}. Use CSR or COO, or pass a larger limit."
        )
    place = np.arange(rows.num_arcs) - np.repeat(rows.indptr[:-1], degrees)
    row = np.repeat(np.arange(rows.num_vertices), degrees)
    columns = np.full((width, rows.num_vertices), -1, dtype=rows.indices.dtype)
    columns[place, row] = rows.indices
    if rows.weights is None:
        return ELL(columns, None)
    weights = np.zeros(columns.shape, dtype=rows.weights.dtype)
    weights[place, row] = rows.weights
    return ELL(columns, weights)


def transposed(edges: Graph | Layout) -> Layout:
    """The in-edges, in the same layout; those of a graph are built once and cached."""
    if isinstance(edges, Graph):
        return edges.incoming
    turned = transform.transposed(csr(edges))
    if isinstance(edges, COO):
        return coo(turned)
    return ell(turned) if isinstance(edges, ELL) else turned


def _ids(values: IdArray, what: str) -> IdArray:
    """Ids as kernels take them, which do not check them again."""
    array = np.asarray(values)
    if array.size and array.dtype.kind not in "iu":
        raise GraphError(f"{what} have dtype {array.dtype}; expected integers, the ids of vertices.")
    known = array.dtype in ID_DTYPES and array.dtype.isnative
    ids: IdArray = np.ascontiguousarray(array if known else array.astype(np.int64))
    return ids


def _ascend(rows: IdArray, columns: IdArray) -> bool:
    """Whether edges are in the order of rows and, within these, of columns: kernels search rows by halves."""
    down, same = rows[1:] < rows[:-1], rows[1:] == rows[:-1]
    return not (down | (same & (columns[1:] < columns[:-1]))).any()


def _set_read_only(layout: COO | ELL, **arrays: Array | None) -> None:
    """Set the checked arrays of a layout, which is frozen."""
    for name, array in arrays.items():
        object.__setattr__(layout, name, array)
        if array is not None:
            array.flags.writeable = False


def _without_padding(table: ELL) -> Adjacency:
    filled = table.columns.T >= 0
    indptr = np.zeros(table.num_vertices + 1, dtype=OFFSET)
    np.cumsum(filled.sum(axis=1), out=indptr[1:])
    weights = None if table.weights is None else table.weights.T[filled]
    rows = Adjacency(indptr, table.columns.T[filled], weights)
    return sorted_rows(rows, copy=False)  # a table may list the edges of a vertex in any order
