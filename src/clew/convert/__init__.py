"""To and from what other libraries call a graph: the methods of ``Graph``, over functions of plain arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clew.convert.arrow import about_ignored, column_roles, from_arrow, to_arrow, to_pandas
from clew.convert.libraries import about_attributes, from_dense, from_networkx, from_scipy, to_networkx, to_scipy
from clew.convert.tensors import TensorGraph
from clew.dtypes import Array

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd
    import pyarrow as pa
    import scipy.sparse as sp

    from clew.graph import Graph


class ConvertibleGraph(TensorGraph):
    """The part of a graph that speaks to other libraries."""

    @classmethod
    def from_scipy(cls: Any, matrix: Any, **options: Any) -> Graph:
        """A graph from a SciPy sparse matrix or array: entry (i, j) is the edge i to j, stored zeros are edges.

        Several entries for one place are as many edges. A graph is directed unless ``directed=False`` is passed; then
        the matrix must be symmetric. ``options`` as in ``from_csr``.
        """
        rows = from_scipy(matrix)
        graph: Graph = cls.from_csr(rows.indptr, rows.indices, rows.weights, **options)
        return graph

    @classmethod
    def from_numpy(cls: Any, matrix: npt.ArrayLike, **options: Any) -> Graph:
        """A graph from a dense matrix: entries other than 0 and NaN are edges; ``options`` as in ``from_csr``."""
        rows = from_dense(matrix)
        graph: Graph = cls.from_csr(rows.indptr, rows.indices, rows.weights, **options)
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
        columns = from_arrow(table, source, target, weight)
        graph: Graph = cls.from_edges(columns.source, columns.target, columns.weights, **options)
        roles = column_roles(table, source, target, weight)
        graph._report = graph._report.about(roles, about_ignored(roles, weight))
        return graph

    @classmethod
    def from_networkx(cls: Any, graph: nx.Graph[Any], weight: str | None = "weight", **options: Any) -> Graph:
        """A graph from a NetworkX graph; ``weight`` names the edge attribute (1 for edges without it).

        Where no edge has it, the graph is unweighted; a name other than "weight" that no edge has is an error.
        ``report.columns`` lists every edge attribute, those that were ignored among them.
        """
        edges = from_networkx(graph, weight)
        options.setdefault("directed", bool(graph.is_directed()))
        made: Graph = cls.from_edges(
            edges.source, edges.target, edges.weights, edges.num_vertices, names=edges.names, **options
        )
        made._report = made._report.about(*about_attributes(graph, weight, made.weighted))
        return made

    def to_scipy(self: Any) -> sp.csr_array[Any]:
        """A SciPy CSR array that shares this graph's arrays; an unweighted edge is 1."""
        return to_scipy(self._out)

    def to_numpy(self: Any) -> Array:
        """A dense matrix; for small graphs."""
        return np.asarray(self.to_scipy().toarray())

    def to_arrow(self: Any) -> pa.Table:
        """An Arrow table with columns source, target and, where there are any, weight; vertices by name."""
        source, target, weights = self.edges()
        return to_arrow(source, target, weights, self._names)

    def to_pandas(self: Any) -> pd.DataFrame:
        """The edges as a pandas data frame; see ``to_arrow``."""
        return to_pandas(self.to_arrow())

    def to_networkx(self: Any) -> nx.Graph[Any]:
        """A NetworkX graph (a multigraph where there are duplicate edges); vertices by name."""
        source, target, weights = self.edges()
        return to_networkx(source, target, weights, self.num_vertices, self._names, self._directed)

    def __arrow_c_stream__(self: Any, requested_schema: Any = None) -> Any:
        return self.to_arrow().__arrow_c_stream__(requested_schema)
