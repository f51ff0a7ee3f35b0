"""To and from other libraries: the methods of ``Graph`` and ``Result`` that do it.

Tensors of any library are read by the DLPack protocol, without an import of that library.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clew.checks import array as host_array
from clew.checks import counted, kind_of
from clew.convert import libraries
from clew.dtypes import Array, is_on_gpu
from clew.errors import GraphError, MissingDependencyError
from clew.names import VertexNames, encode

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
        **options: Any,
    ) -> Graph:
        """A graph from anything that speaks the Arrow stream protocol: pandas, polars, pyarrow, duckdb, …

        Parameters
        ----------
        table
            The edges, a row each.
        source, target, weight
            Names of the columns; without one called "weight" the graph is unweighted, as it is with ``weight=None``.
        **options
            As in ``from_edges``.
        """
        graph: Graph = cls.from_edges(*libraries.from_arrow(table, source, target, weight), **options)
        roles = libraries.column_roles(table, source, target, weight)
        graph._report = graph._report.about(roles, libraries.about_ignored(roles, weight))
        return graph

    @classmethod
    def from_networkx(cls: Any, graph: nx.Graph[Any], weight: str | None = "weight", **options: Any) -> Graph:
        """A graph from a NetworkX graph; ``weight`` names the edge attribute (1 for edges without it).

        Where no edge has it, the graph is unweighted; a name other than "weight" that no edge has is an error.
        ``report.columns`` lists every edge attribute, those that were ignored among them.
        """
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
        """An Arrow table with columns source, target and, where there are any, weight; vertices by name."""
        source, target, weights = self.edges()
        return libraries.to_arrow(source, target, weights, self._names)

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
            "PyTorch is not installed; install it with: pip install torch, or leave torch=True out for a NumPy array."
        ) from None
    return torch.from_dlpack(array)


def _undirected(graph_class: Any, source: Any, target: Any, weights: Any, **options: Any) -> Any:
    """An undirected graph of edges that are there in both directions, or else once."""
    consumed = options.pop("consume", False)  # the edges may have to be looked at twice
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


@dataclass(frozen=True, slots=True)
class Edges:
    """Endpoints as vertex ids, and what else is known of the edges."""

    source: Any
    target: Any
    weights: Any = None
    num_vertices: int | None = None
    names: VertexNames | None = None


def converted_edges(
    source: Any,
    target: Any,
    weights: npt.ArrayLike | None = None,
    *,
    num_vertices: int | None = None,
    ids: str = "keep",
    names: Any = None,
) -> Edges:
    """The edges with endpoints as ids; arguments as in ``Graph.from_edges``."""
    if ids not in ("keep", "map"):
        raise GraphError(f"ids is {ids!r}; expected 'keep' (integers are vertex ids) or 'map' (they are names).")
    if ids == "keep" and is_on_gpu(source) and is_on_gpu(target):  # sorted there, so they stay where they are
        known = None if names is None else VertexNames(names)
        count = len(known) if known is not None and num_vertices is None else num_vertices
        return Edges(source, target, weights, count, known)
    if target is None:
        raise GraphError(
            "target is missing: from_edges takes the sources and the targets of all edges. Pass pairs as "
            "from_edges(*zip(*pairs)), and an array of two columns as from_edges(edges[:, 0], edges[:, 1])."
        )
    first, second = _column(source, "source"), _column(target, "target")
    if len(first) != len(second):
        raise GraphError(f"source has {len(first):,} entries and target {len(second):,}; expected as many.")
    plain = None if weights is None else host_array("weights", weights)
    if ids == "map" or not (isinstance(first, np.ndarray) and isinstance(second, np.ndarray)):
        if names is not None or num_vertices is not None:
            raise GraphError(
                "source and target are names, so names= and num_vertices= are not needed: vertices are what occurs. "
                "Pass vertex ids to give names separately."
            )
        _check_one_kind(first, second)
        (first, second), found = encode(first, second)
        return Edges(first, second, plain, len(found), found)
    if names is not None:
        known = VertexNames(names)
        return Edges(first, second, plain, len(known) if num_vertices is None else num_vertices, known)
    return Edges(first, second, plain, num_vertices)


def _check_one_kind(first: Any, second: Any) -> None:
    """Refuse integers against strings: whether 1 and "1" are one vertex, only the caller knows."""
    kinds = _kind(first), _kind(second)
    if len(first) and set(kinds) == {"integers", "strings"}:
        raise GraphError(
            f"source holds {kinds[0]} and target holds {kinds[1]}; expected integers in both or strings in both. "
            "Make strings of the integers, for example with list(map(str, ids))."
        )


def _kind(column: Any) -> str:
    """What a column holds, in one word."""
    if isinstance(column, np.ndarray):
        return "integers"
    import pyarrow as pa

    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    return "integers" if pa.types.is_integer(kind) else "strings" if "string" in str(kind) else str(kind)


def _column(values: Any, what: str) -> Any:
    """An integer array where the values are integers, an Arrow array of strings otherwise."""
    pa = sys.modules.get("pyarrow")  # values can be Arrow's only if Arrow is there already
    if pa is not None and isinstance(values, (pa.Array, pa.ChunkedArray)):
        if values.null_count:
            raise _missing(values.null_count, what)
        if pa.types.is_floating(values.type) or pa.types.is_boolean(values.type):
            return _column(np.asarray(values), what)
        return values.to_numpy() if pa.types.is_integer(values.type) else values
    if hasattr(values, "__arrow_c_stream__") and not isinstance(getattr(values, "dtype", None), np.dtype):
        from pyarrow import chunked_array  # a column of pandas or polars that NumPy would make Python objects of

        return _column(chunked_array(values), what)
    if isinstance(values, Iterator):
        values = list(values)
    array = host_array(what, values)
    if array.ndim != 1:
        raise GraphError(
            f"{what} has {counted(array.ndim, 'dimension')}; expected one. Pass pairs as from_edges(*zip(*pairs)), and "
            "an array of two columns as from_edges(edges[:, 0], edges[:, 1])."
        )
    if array.size == 0:
        return np.empty(0, dtype=np.int64)
    if array.dtype.kind in "iu":
        return array
    if array.dtype.kind in "UTO":
        # NumPy makes strings of the integers in a list of both, so that the list itself is looked at.
        return _names(values if isinstance(values, (list, tuple)) else array.tolist(), what)
    raise GraphError(
        f"{what} has dtype {array.dtype}; expected integers (vertex ids) or strings (names).{_advice(array)}"
    )


def _names(values: Sequence[Any], what: str) -> Any:
    """Python objects as an Arrow array of strings, or an array of integers."""
    import pyarrow as pa

    if missing := sum(map(_is_missing, values)):
        raise _missing(missing, what)
    text = next((value for value in values if isinstance(value, str)), None)
    odd = next((value for value in values if not isinstance(value, str)), None)
    if text is not None and odd is not None:
        raise GraphError(
            f"{what} holds both strings, such as {text!r}, and {kind_of(odd)}, such as {odd!r}; expected only integers "
            "or only strings. Make strings of all, for example with list(map(str, ids))."
        )
    try:
        return _column(pa.array(values), what)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError) as error:
        raise GraphError(f"{what} holds values that cannot name a vertex: {error}.") from None


def _is_missing(value: Any) -> bool:
    """None, NaN, and what pandas has instead of them."""
    return (
        value is None or type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, float) and value != value)
    )


def _missing(count: int, what: str) -> GraphError:
    return GraphError(f"{what} has {counted(count, 'null')}; expected a vertex in every row. Leave those rows out.")


def _advice(array: Array) -> str:
    """What to do about floats: pandas makes them of integers where a value is missing."""
    if array.dtype.kind != "f":
        return ""
    missing = int(np.isnan(array).sum())
    if missing:
        return f" {counted(missing, 'value')} of it {'is' if missing == 1 else 'are'} NaN: leave out these rows first."
    return (
        " Convert them, for example with ids.astype('int64')."
        if bool(((array % 1 == 0) & (abs(array) < 2**53)).all())
        else ""
    )
