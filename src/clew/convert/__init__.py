"""To and from other libraries: the methods of ``Graph`` and ``Result`` that do it.

Tensors of any library are read by the DLPack protocol, without an import of that library.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clew.checks import array as host_array
from clew.convert import libraries
from clew.dtypes import Array, is_on_gpu
from clew.errors import GraphError, MissingDependencyError, install_command

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd
    import pyarrow as pa
    import scipy.sparse as sp

    from clew.graph import Graph


class ConvertibleGraph:
    """The methods of a graph that convert it from and to other libraries."""

    @classmethod
    def from_scipy(cls: Any, matrix: Any, **options: Any) -> Graph:
        """A graph from a SciPy sparse matrix or array: entry (i, j) is the edge i to j, stored zeros are edges.

        Several entries for one place are as many edges. A graph is directed unless ``directed=False`` is passed; then
        the matrix must be symmetric. ``options`` as in ``from_csr``.
        """
        graph: Graph = cls.from_csr(*libraries.from_scipy(matrix), **options)
        return graph

    @classmethod
    def from_numpy(cls: Any, matrix: npt.ArrayLike, **options: Any) -> Graph:
        """A graph from a dense matrix: entries other than 0 and NaN are edges; ``options`` as in ``from_csr``."""
        graph: Graph = cls.from_csr(*libraries.from_dense(matrix), **options)
        return graph

    @classmethod
    def from_arrow(
        cls: Any,
        table: Any,
        source: str = "source",
        target: str = "target",
        weight: str | None = "weight",
        columns: bool | Sequence[str] = (),
        **options: Any,
    ) -> Graph:
        """A graph from anything that speaks the Arrow stream protocol: pandas, polars, pyarrow, duckdb, …

        Strings are names of vertices. Integers are vertex numbers 0…n-1, so a vertex that occurs nowhere has no edges.
        With ``ids="map"`` they are names too, and vertices are what occurs. ``clew.read`` maps the integers of files
        unless they are exactly 0…n-1.

        Parameters
        ----------
        table
            The edges, a row each.
        source, target, weight
            Names of the columns; without one called "weight" the graph is unweighted, as it is with ``weight=None``.
            ``weights="length"`` means the same as ``weight="length"``.
        columns
            The names of further columns, which become edge columns; True for all others.
        **options
            As in ``from_edges``.
        """
        weight = libraries.weight_name(weight, options)
        source, target = str(source), str(target)  # as Arrow calls a column of pandas with the name 0, or (0, "a")
        weight = None if weight is None else str(weight)
        roles = libraries.column_roles(table, source, target, weight, columns)
        more = [name for name, role in roles.items() if role == "edge column"]
        if more:
            table = libraries.checked_table(table, source, target, weight, *more)
            options["edge_columns"] = table.select(more)
        graph: Graph = cls.from_edges(*libraries.from_arrow(table, source, target, weight), **options)
        said = libraries.about_ignored(roles, weight)
        if not options.keys() & {"ids", "names", "num_vertices"}:  # else the caller has said what integers are
            said += libraries.about_gaps(graph)
        graph._report = graph._report.about(roles, said)
        return graph

    @classmethod
    def from_pandas(cls: Any, frame: pd.DataFrame, *args: Any, **options: Any) -> Graph:
        """A graph from a pandas data frame with a row per edge; arguments as in ``from_arrow``.

        Integers are vertex numbers 0…n-1; pass ``ids="map"`` if they are names.

        Examples
        --------
        >>> import clew, pandas as pd
        >>> frame = pd.DataFrame({"payer": ["ann", "bob"], "payee": ["bob", "cy"], "amount": [20, 5]})
        >>> clew.Graph.from_pandas(frame, "payer", "payee", "amount").num_edges
        2
        """
        libraries.check_library(frame, "pandas", "DataFrame")
        graph: Graph = cls.from_arrow(frame, *args, **options)
        return graph

    @classmethod
    def from_polars(cls: Any, frame: Any, *args: Any, **options: Any) -> Graph:
        """A graph from a polars data frame with a row per edge; arguments as in ``from_arrow``.

        Integers are vertex numbers 0…n-1; pass ``ids="map"`` if they are names.

        A ``LazyFrame`` is computed first. To compute fewer columns, select them before.
        """
        libraries.check_library(frame, "polars", "DataFrame", "LazyFrame")
        graph: Graph = cls.from_arrow(frame.collect() if hasattr(frame, "collect") else frame, *args, **options)
        return graph

    @classmethod
    def from_networkx(cls: Any, graph: nx.Graph[Any], weight: str | None = "weight", **options: Any) -> Graph:
        """A graph from a NetworkX graph; ``weight`` names the edge attribute (1 for edges without it).

        Where no edge has it, the graph is unweighted; a name other than "weight" that no edge has is an error.
        ``report.columns`` lists every edge attribute, those that were ignored among them. Attributes of nodes are
        ignored too, and ``report.decisions`` says how to add them.

        ``options`` are those of ``from_edges``, without ``names``, ``num_vertices`` and columns.
        """
        weight = libraries.weight_name(weight, options)
        libraries.refuse_columns(options)
        *edges, names = libraries.from_networkx(graph, weight)
        options.setdefault("directed", bool(graph.is_directed()))
        result: Graph = cls.from_edges(*edges, names=names, **options)
        result._report = result._report.about(*libraries.about_attributes(graph, weight, result.weighted))
        return result

    def to_scipy(self: Any) -> sp.csr_array[Any]:
        """A SciPy CSR array that shares this graph's arrays; an unweighted edge is 1."""
        return libraries.to_scipy(self)

    def to_numpy(self: Any) -> Array:
        """A dense matrix; for small graphs."""
        return np.asarray(self.to_scipy().toarray())

    def to_arrow(self: Any) -> pa.Table:
        """An Arrow table with columns source, target, weight if there are weights, and the edge columns.

        Vertices are given by name.
        """
        source, target, weights = self.edges()
        return libraries.to_arrow(source, target, weights, self._names, self._attributes.edges)

    def to_pandas(self: Any) -> pd.DataFrame:
        """The edges as a pandas data frame; see ``to_arrow``."""
        return libraries.to_pandas(self.to_arrow())

    def to_networkx(self: Any) -> nx.Graph[Any]:
        """A NetworkX graph (a multigraph where there are duplicate edges); vertices by name."""
        return libraries.to_networkx(self)

    def __arrow_c_stream__(self: Any, requested_schema: Any = None) -> Any:
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    @classmethod
    def from_edge_index(cls: Any, edge_index: Any, weights: Any = None, **options: Any) -> Graph:
        """A graph from a (2, m) array of endpoints, as PyTorch Geometric and DGL have them.

        Parameters
        ----------
        edge_index
            Sources in the first row, targets in the second. A tensor of any library that speaks DLPack, on the CPU or
            on a GPU, or anything that NumPy converts to an array. On the CPU it is read in place.
        weights
            One per column.
        **options
            As in ``from_edges``. By default every column is a directed edge. With ``directed=False``, an array usually
            lists every edge in both directions. Then columns (u, v) and (v, u) are one edge, with the weight that both
            have. Otherwise every column is an edge of its own.
            ``both_directions=True`` insists on the former, and ``both_directions=False`` on the latter: then two
            columns are two edges.

        Examples
        --------
        >>> import clew
        >>> clew.Graph.from_edge_index([[0, 1], [1, 2]]).num_edges
        2
        >>> mirrored = [[0, 1, 1, 2], [1, 0, 2, 1]]
        >>> clew.Graph.from_edge_index(mirrored, directed=False).num_edges
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
        graph: Graph = _undirected(cls, *edges, **options) if undecided else cls.from_edges(*edges, **options)
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
        index = np.empty((2, self.num_arcs), dtype=np.int64)
        index[0] = np.repeat(np.arange(self.num_vertices), self.degrees())
        index[1] = self.indices
        return as_tensor(index) if torch else index


class TensorResult:
    """The part of a result that speaks to tensor and table libraries: its first array, or all of them as a table."""

    def __arrow_c_stream__(self: Any, requested_schema: Any = None) -> Any:
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def __dlpack__(self: Any, **options: Any) -> Any:
        array = self._column(None)
        # Consumers too old to know of read-only arrays get a copy.
        if isinstance(array, np.ndarray) and not array.flags.writeable and options.get("max_version") is None:
            array = array.copy()
        return array.__dlpack__(**options)

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


def as_array(name: str, values: Any) -> Any:
    """An array in host memory over the same memory where it can be; one in GPU memory as it is."""
    if is_on_gpu(values) or isinstance(values, np.ndarray) or not hasattr(values, "__dlpack__"):
        return values if is_on_gpu(values) else host_array(name, values)
    return np.from_dlpack(values)


def as_tensor(array: Array) -> Any:
    """A PyTorch tensor over the same memory."""
    try:
        torch = importlib.import_module("torch")
    except ImportError:
        raise MissingDependencyError(
            f"PyTorch is not installed; install it with: {install_command('torch')}, or leave torch=True out for a "
            "NumPy array."
        ) from None
    return torch.from_dlpack(array)


def _undirected(graph_class: Any, source: Any, target: Any, weights: Any, **options: Any) -> Any:
    """An undirected graph of edges that are there in both directions, or else once."""
    consumed = options.pop("consume", False)  # the edges may have to be read twice
    try:
        return graph_class.from_edges(source, target, weights, both_directions=True, **options)
    except GraphError:
        if weights is not None and _are_mirrored(graph_class, source, target, **options):
            raise  # about the weights
    return graph_class.from_edges(source, target, weights, consume=consumed, **options)


def _are_mirrored(graph_class: Any, source: Any, target: Any, **options: Any) -> bool:
    try:
        graph_class.from_edges(source, target, both_directions=True, **options)
    except GraphError:
        return False
    return True
