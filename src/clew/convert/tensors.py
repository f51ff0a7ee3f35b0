"""Arrays of other libraries by the DLPack protocol, and the two rows of endpoints that graph learning has for edges.

No library is imported for this: whoever has a tensor has its library loaded already.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clew.adjacency import Adjacency
from clew.checks import array
from clew.dtypes import Array, is_on_gpu
from clew.errors import GraphError, MissingDependencyError

if TYPE_CHECKING:
    from clew.graph import Graph


def as_array(name: str, values: Any) -> Any:
    """An array in host memory over the same memory where it can be; one in GPU memory as it is."""
    if is_on_gpu(values) or isinstance(values, np.ndarray) or not hasattr(values, "__dlpack__"):
        return values if is_on_gpu(values) else array(name, values)
    return np.from_dlpack(values)


def exported(array: Any, **options: Any) -> Any:
    """The DLPack capsule of an array. Consumers too old to know of read-only arrays get a copy of such a one."""
    if isinstance(array, np.ndarray) and not array.flags.writeable and options.get("max_version") is None:
        array = array.copy()
    return array.__dlpack__(**options)


def edge_index(rows: Adjacency) -> npt.NDArray[np.int64]:
    """Sources in the first row and targets in the second, in the order in which edges are stored."""
    index = np.empty((2, rows.num_arcs), dtype=np.int64)
    index[0] = np.repeat(np.arange(rows.num_vertices), rows.degrees())
    index[1] = rows.indices
    return index


def as_tensor(array: Array) -> Any:
    """A PyTorch tensor over the same memory."""
    try:
        torch = importlib.import_module("torch")
    except ImportError:
        raise MissingDependencyError(
            "PyTorch is not installed; install it with: pip install torch, or leave torch=True out for a NumPy array."
        ) from None
    return torch.from_dlpack(array)


def _either_way(kind: Any, source: Any, target: Any, weights: Any, **options: Any) -> Any:
    """An undirected graph of edges that are there in both directions, or else once."""
    consumed = options.pop("consume", False)  # the edges may have to be looked at twice
    try:
        return kind.from_edges(source, target, weights, both_directions=True, **options)
    except GraphError:
        if weights is not None and _both_ways(kind, source, target, **options):
            raise  # about the weights
    return kind.from_edges(source, target, weights, consume=consumed, **options)


def _both_ways(kind: Any, source: Any, target: Any, **options: Any) -> bool:
    try:
        kind.from_edges(source, target, both_directions=True, **options)
    except GraphError:
        return False
    return True


class TensorGraph:
    """The part of a graph that speaks to tensor libraries."""

    @classmethod
    def from_edge_index(cls: Any, edge_index: Any, weights: Any = None, **options: Any) -> Graph:
        """A graph from a (2, m) array of endpoints, as PyTorch Geometric and DGL have them.

        Parameters
        ----------
        edge_index
            Sources in the first row, targets in the second: a tensor of any library that speaks DLPack, on the CPU or
            on a GPU, or anything NumPy takes for an array. On the CPU it is read where it is.
        weights
            One per column.
        **options
            As in ``from_edges``. By default every column is a directed edge. With ``directed=False``, an array that
            lists every edge in both directions, as is usual there, gives each of them once: columns (u, v) and (v, u)
            are one edge, and its weight is the one that both have. Otherwise every column is an edge of its own.
            ``both_directions=True`` insists on the former, and ``both_directions=False`` on the latter: then two
            columns are two edges.

        Examples
        --------
        >>> import clew
        >>> clew.Graph.from_edge_index([[0, 1], [1, 2]]).num_edges
        2
        >>> both_ways = [[0, 1, 1, 2], [1, 0, 2, 1]]
        >>> clew.Graph.from_edge_index(both_ways, directed=False).num_edges
        2
        """
        index = as_array("edge_index", edge_index)
        shape = tuple(index.shape)
        if len(shape) != 2 or shape[0] != 2:
            raise GraphError(
                f"edge_index has shape {shape}; expected (2, number of edges): a row of sources and one of targets."
            )
        edges = index[0], index[1], None if weights is None else as_array("weights", weights)
        undecided = options.get("directed") is False and "both_directions" not in options
        graph: Graph = _either_way(cls, *edges, **options) if undecided else cls.from_edges(*edges, **options)
        return graph

    def to_edge_index(self: Any, *, torch: bool = False) -> Any:
        """A (2, m) array of int64: sources in the first row, targets in the second.

        Every stored entry is a column, an undirected edge two; ``weights`` are in the same order. The array is a new
        one, writable, and speaks DLPack: ``torch.from_dlpack(graph.to_edge_index())`` copies nothing more.

        Parameters
        ----------
        torch
            Give a PyTorch tensor instead of a NumPy array.

        Examples
        --------
        >>> import clew
        >>> clew.generate.path(3).to_edge_index().tolist()
        [[0, 1, 1, 2], [1, 0, 2, 1]]
        """
        index = edge_index(self.outgoing)
        return as_tensor(index) if torch else index


class TensorResult:
    """The part of a result that speaks to tensor and table libraries: its first array, or all of them as a table."""

    def __arrow_c_stream__(self: Any, requested_schema: Any = None) -> Any:
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def __dlpack__(self: Any, **options: Any) -> Any:
        return exported(self._column(None), **options)

    def __dlpack_device__(self: Any) -> Any:
        return self._column(None).__dlpack_device__()

    def __array__(self: Any, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> Array:
        array: Array = self.numpy()._column(None)
        if dtype is None or np.dtype(dtype) == array.dtype:
            return array.copy() if copy else array
        if copy is False:
            raise ValueError(f"an array of {array.dtype} cannot be one of {np.dtype(dtype)} without a copy.")
        return array.astype(dtype)

    @property
    def __cuda_array_interface__(self: Any) -> Any:
        """Of the first array where it is in GPU memory; others have none."""
        if not self.values:
            raise AttributeError("this result has no arrays.")
        return self._column(None).__cuda_array_interface__
