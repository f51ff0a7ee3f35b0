"""Attributes of vertices and edges: named columns, as Arrow tables, and the methods of a graph for them.

The vertex table has a row per vertex, in the order of ids. The edge table has a row per edge, in the order of
``Graph.edges()``, which follows from the compressed rows. So no permutation is stored, and a graph without
attributes pays nothing. What moves edges moves their numbers in place of weights, and the table follows once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from clew import build, transform
from clew.adjacency import Adjacency, BuildReport
from clew.build.rows import Built
from clew.checks import array as as_array
from clew.checks import counted, one_of
from clew.convert.libraries import as_table, weight_column
from clew.dtypes import Array, as_weights, id_dtype, is_on_gpu, refuse_labels
from clew.errors import GraphError
from clew.names import VertexNames

if TYPE_CHECKING:
    import pyarrow as pa

    from clew.graph import Graph

#: Names that tables of vertices and of edges have for columns of their own.
RESERVED = {"vertex": ("vertex",), "edge": ("source", "target", "weight")}


@dataclass(frozen=True, slots=True)
class Attributes:
    """The columns of a graph: a table of vertices and one of edges; None where there are no columns."""

    vertices: pa.Table | None = None
    edges: pa.Table | None = None

    @property
    def nbytes(self) -> int:
        """The bytes of both tables."""
        return sum(table.nbytes for table in (self.vertices, self.edges) if table is not None)

    def moved(
        self, rows: Adjacency, directed: bool, change: Callable[[Adjacency], Adjacency], vertices: Array | None
    ) -> Attributes:
        """The columns after a change of the rows; ``vertices`` are the old ids of the new vertices (None: all)."""
        table, edges = self.vertices, self.edges
        if table is not None and vertices is not None:
            table = table.take(vertices)
        if edges is not None:
            numbers = np.arange(edges.num_rows, dtype=id_dtype(edges.num_rows))
            numbered = change(replace(rows.plain(), weights=transform.of_arcs(rows, numbers, directed)))
            edges = edges.take(_numbers(numbered, directed))
        return Attributes(table, edges)


NO_ATTRIBUTES = Attributes()


class AttributedGraph:
    """The methods of a graph for named columns."""

    @property
    def attributes(self: Any) -> Attributes:
        """Both tables; see ``vertex_columns`` and ``edge_columns``."""
        attributes: Attributes = self._attributes
        return attributes

    @property
    def vertex_columns(self: Any) -> pa.Table:
        """The columns of the vertices, a row per vertex in the order of ids; without columns an empty table."""
        return _or_empty(self._attributes.vertices)

    @property
    def edge_columns(self: Any) -> pa.Table:
        """The columns of the edges, a row per edge in the order of ``edges()``; without columns an empty table."""
        return _or_empty(self._attributes.edges)

    def with_vertex_columns(
        self: Any, columns: Any, by: str | None = None, unknown: Literal["error", "drop", "add"] = "error"
    ) -> Graph:
        """The same graph with these columns for vertices, besides or instead of columns of the same names.

        Parameters
        ----------
        columns
            A table (pandas, polars, Arrow, a ``Result``, …), or a dict of arrays. None removes all columns.
        by
            The column with the names of vertices. The rows can then have any order; vertices without a row get nulls.
            By default that is the column "vertex". Without it, there must be a row per vertex, in the order of ids.
        unknown
            Names that are no vertices: an "error", "drop" their rows, or "add" them as vertices without edges.

        Examples
        --------
        >>> import clew
        >>> g = clew.Graph.from_edges(["ann", "bob"], ["bob", "cy"])
        >>> g = g.with_vertex_columns({"vertex": ["cy", "ann"], "age": [30, 40]})
        >>> clew.bfs(g, "ann").to_arrow().select(["vertex", "depth", "age"]).to_pylist()[0]
        {'vertex': 'ann', 'depth': 0, 'age': 40}
        """
        one_of("unknown", unknown, ("error", "drop", "add"))
        if columns is None:
            return self._with_tables(vertices=None)  # type: ignore[no-any-return]
        table = arrow_table(columns)
        if _is_result(columns) and "vertex" in table.column_names:  # its own arrays: its graph's columns may be older
            table = table.select(["vertex", *columns.values])
        by = "vertex" if by is None and "vertex" in table.column_names else by
        if by is None:
            _refuse_labels(columns, "vertex", " Or make a column of the names with reset_index(), and name it in by=.")
        graph, places = (self, None) if by is None else _rows_by_name(self, table, by, unknown)
        if by is not None and places is not None:
            table = table.drop_columns([by]).take(places)
        table = checked(table, graph.num_vertices, "vertex")
        return graph._with_tables(vertices=_updated(graph._attributes.vertices, table))  # type: ignore[no-any-return]

    def with_edge_columns(self: Any, columns: Any) -> Graph:
        """The same graph with these columns for edges, besides or instead of columns of the same names.

        Parameters
        ----------
        columns
            A table, a dict of arrays or an ``EdgeResult``, with a row per edge in the order of ``edges()`` and
            ``to_arrow()``. None removes all columns.
        """
        if columns is None:
            return self._with_tables(edges=None)  # type: ignore[no-any-return]
        arrays = columns.numpy().values if _is_result(columns) else columns  # without the ends of edges
        _refuse_labels(columns, "edge")
        table = checked(arrow_table(arrays), self.num_edges, "edge")
        pairs = columns.pairs() if arrays is not columns and hasattr(columns, "pairs") else ()
        if not all(map(np.array_equal, pairs, self.edges())):  # the weights of the edges are left over
            raise GraphError(
                f"this result of {columns.algorithm} is about other edges, or has them in another order. "
                f"Run {columns.algorithm} on this graph."
            )
        return self._with_tables(edges=_updated(self._attributes.edges, table))  # type: ignore[no-any-return]

    def with_weights(self: Any, weights: npt.ArrayLike | str | None) -> Graph:
        """The same graph with other weights.

        Parameters
        ----------
        weights
            The name of a numeric edge column, such as "length". Or one weight per edge, in the order of ``edges()``. Or
            one per stored entry, in the order of ``indices``, where an undirected edge has two. Or None: no weights.
        """
        refuse_labels("weights", weights, "edge")
        if isinstance(weights, str):
            table = self.edge_columns
            if weights not in table.column_names:
                known = ", ".join(map(repr, table.column_names)) or "none"
                problem = f"there is no edge column {weights!r}; this graph has {known}."
                raise GraphError(problem, remedy="clew.read(…, columns=True) keeps the columns of a table.")
            values = as_weights(weight_column(table[weights], weights), table.num_rows)
            rows = _with_values(self, values)
        elif self._directed or weights is None:
            rows = transform.reweighted(self._out, weights, directed=self._directed)
        else:
            rows = _of_undirected(self, as_array("weights", weights))
        return self._with(rows)  # type: ignore[no-any-return]

    def _with_tables(self: Any, **tables: Any) -> Graph:
        return self._with(attributes=replace(self._attributes, **tables))  # type: ignore[no-any-return]

    def _as_directed(self: Any) -> Graph:
        """An undirected graph with every stored entry as an edge of its own."""
        table = self._attributes.edges
        if table is not None:
            numbers = np.arange(table.num_rows, dtype=id_dtype(table.num_rows))
            table = table.take(transform.of_arcs(self._out, numbers, self._directed))
        result: Graph = self._with(directed=True, attributes=replace(self._attributes, edges=table))
        return result

    def _changed(
        self: Any,
        change: Callable[[Adjacency], Adjacency],
        vertices: Array | None = None,
        report: BuildReport | None = None,
    ) -> Graph:
        """The graph of changed rows, whose vertices are those of this graph with the ids ``vertices`` (None: all)."""
        names = self._names
        if vertices is not None:  # names that were distinct remain so
            names = VertexNames.trusted(names.take(vertices)) if names is not None else VertexNames(vertices)
        moved = self._attributes.moved(self._out, self._directed, change, vertices)
        result: Graph = self._with(change(self._out), names=names, report=report, metadata=None, attributes=moved)
        return result


def _refuse_labels(columns: Any, of: str, more: str = "") -> None:
    """Refuse a data frame, or a dict of Series, whose labels may mean another order."""
    refuse_labels("the table", columns, of, more)
    for name, one in columns.items() if isinstance(columns, Mapping) else ():
        refuse_labels(f"column {name!r}", one, of, more)


def _is_result(columns: Any) -> bool:
    return isinstance(getattr(columns, "values", None), Mapping)


def _of_undirected(graph: Any, weights: Array) -> Adjacency:
    """The rows of an undirected graph with a weight per edge, or per stored entry; their number says which."""
    edges, arcs = graph.num_edges, graph.num_arcs
    if weights.ndim != 1 or weights.size not in (edges, arcs):
        raise GraphError(
            f"weights have shape {weights.shape}; expected one weight per edge in the order of edges(), that is "
            f"({edges},), or one per stored entry in the order of indices, that is ({arcs},)."
        )
    if weights.size == arcs:  # where all edges are loops, both mean the same
        return transform.reweighted(graph._out, weights, directed=False)
    return _with_values(graph, as_weights(weights, edges))


def _with_values(graph: Any, values: Array) -> Adjacency:
    """The rows of a graph with the weights of its edges, in the order of ``edges``."""
    spread = transform.of_arcs(graph._out, values, graph._directed)
    return Adjacency(graph._out.indptr, graph._out.indices, spread, width=graph._out.width)


def vertex_column(graph: Any, name: str) -> Any:
    """A column of the vertices by name."""
    table = graph.vertex_columns
    if name not in table.column_names:
        known = ", ".join(map(repr, table.column_names)) or "none"
        raise GraphError(f"there is no vertex column {name!r}; this graph has {known}.")
    return table[name]


def _numbers(rows: Adjacency, directed: bool) -> Any:
    """The numbers that the edges have in place of weights, in the order of ``edges``."""
    return transform.edges(rows, once=not directed)[2]


def _or_empty(table: pa.Table | None) -> pa.Table:
    import pyarrow as pa

    return pa.table({}) if table is None else table


def _updated(old: pa.Table | None, new: pa.Table) -> pa.Table:
    if old is None:
        return new
    for name in new.column_names:
        place = old.schema.get_field_index(name)
        old = old.append_column(name, new[name]) if place < 0 else old.set_column(place, name, new[name])
    return old


def arrow_table(columns: Any) -> pa.Table:
    """Columns as an Arrow table."""
    import pyarrow as pa

    if isinstance(columns, pa.Table):
        return columns
    try:
        if isinstance(columns, Mapping):
            # Arrow does not copy NumPy's numbers, and a graph must not change when the caller's array does.
            copied = {name: one.copy() if isinstance(one, np.ndarray) else one for name, one in columns.items()}
            return pa.table(copied)
        return as_table(columns)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise GraphError(
            f"these are no columns: {'; '.join(map(str, error.args))}. Expected a dict of arrays of equal lengths, "
            "or a table of pandas, polars or Arrow."
        ) from None


def checked(table: pa.Table, count: int, of: str) -> pa.Table:
    """The table, with ``count`` rows and with names that no column of a graph has already."""
    import pyarrow as pa

    names = table.column_names
    if table.num_rows != count and names:
        raise GraphError(
            f"the columns have {counted(table.num_rows, 'row')}; expected one per {of}, that is {count:,}."
        )
    for name in names:
        if not name or name in RESERVED[of] or names.count(name) > 1:
            problem = "occurs twice" if names.count(name) > 1 else "has a meaning of its own" if name else "is empty"
            raise GraphError(f"the column name {name!r} {problem}; rename the column.")
    # Offsets of 64 bits, since those of 32 bits overflow when long columns are joined or sorted.
    short = (pa.string(), pa.string_view())
    fields = [field.with_type(pa.large_string()) if field.type in short else field for field in table.schema]
    return table.cast(pa.schema(fields)).combine_chunks()


def _rows_by_name(graph: Any, table: pa.Table, by: str, unknown: str) -> tuple[Any, pa.Array[Any]]:
    """The graph, with added vertices if requested, and the row of every vertex, null where there is none."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if by not in table.column_names:
        raise GraphError(f"there is no column {by!r}; the table has {', '.join(map(repr, table.column_names))}.")
    key: Any = table[by].combine_chunks()
    if pa.types.is_string(key.type) or pa.types.is_string_view(key.type):
        key = key.cast(pa.large_string())
    names = pa.array(np.arange(graph.num_vertices)) if graph.names is None else graph.names.array
    if key.null_count:
        raise GraphError(f"column {by!r} has {counted(key.null_count, 'null')}; expected a vertex in every row.")
    try:
        given = key.dictionary_decode() if pa.types.is_dictionary(key.type) else key
        key = given.cast(names.type)
    except pa.ArrowException as error:
        raise GraphError(f"column {by!r} does not hold names of vertices: {error}.") from None
    if pa.types.is_integer(names.type) and pa.types.is_large_string(given.type):  # "030" is not the vertex 30
        same = pc.equal(key.cast(given.type), given)
        if not pc.all(same).as_py():
            raise GraphError(
                f"column {by!r} does not hold names of vertices: {given.filter(pc.invert(same))[0].as_py()!r} is text "
                "that integers are not printed as. Make integers of the column first."
            )
    places = pc.index_in(key, value_set=names).fill_null(-1).to_numpy().astype(np.int64)
    if len(pc.unique(key)) < len(key):
        raise GraphError(f"column {by!r} names a vertex more than once; expected a row per vertex.")
    new = np.flatnonzero(places < 0)
    if new.size and unknown != "drop":
        if unknown == "error" or graph.names is None:
            name, first = "names" if new.size == 1 else "name", key[new[0]].as_py()
            more = ", or unknown='add' to add them as vertices without edges" if graph.names is not None else ""
            raise GraphError(
                f"{counted(new.size, 'row')} of the table {name} no vertex, the first of them {first!r}. "
                f"Pass unknown='drop' to skip them{more}."
            )
        places[new] = graph.num_vertices + np.arange(new.size)
        graph = _extended(graph, key.take(new))
    row = np.full(graph.num_vertices, -1)
    row[places[places >= 0]] = np.flatnonzero(places >= 0)
    return graph, pa.array(row, mask=row < 0)


def _extended(graph: Any, names: pa.Array[Any]) -> Any:
    """The graph with more vertices, which have no edges."""
    import pyarrow as pa

    rows, count = graph.outgoing, len(names)
    indptr = np.append(rows.indptr, np.full(count, rows.num_arcs))
    more = VertexNames.trusted(pa.concat_arrays([graph.names.array, names]))
    old = graph.attributes.vertices
    if old is not None:
        old = pa.concat_tables([old, old.schema.empty_table().slice(0).take(pa.nulls(count, pa.int64()))])
    grown = Adjacency(indptr, rows.indices.astype(id_dtype(indptr.size - 1, None), copy=False), rows.weights)
    return graph._with(grown, names=more, attributes=replace(graph.attributes, vertices=old))


def built_with(
    table: pa.Table | None,
    source: Any,
    target: Any,
    weights: Any,
    *,
    directed: bool,
    duplicates: str,
    both_directions: bool = False,
    **options: Any,
) -> tuple[Built, pa.Table | None]:
    """The rows of some edges, and the table of their columns in the order of the graph's edges.

    Of edges that are merged into one, the columns of the first remain.
    """
    same: dict[str, Any] = {"directed": directed, "both_directions": both_directions, **options}
    if table is None:
        return build.build(source, target, weights, duplicates=duplicates, **same), None
    if is_on_gpu(source):
        raise GraphError("edges with columns are sorted on the CPU; pass source and target in host memory.")
    same["consume"] = False
    count = len(source)
    numbers, first = np.arange(count, dtype=id_dtype(count)), "keep" if duplicates == "keep" else "first"
    combined = weights is not None and duplicates in ("min", "max", "sum")
    if both_directions or combined:  # numbers differ in the two directions
        tracked = build.build(
            source, target, numbers, duplicates=first, **same | {"directed": directed or both_directions}
        )
        built = build.build(source, target, weights, duplicates=duplicates, **same)
    else:
        tracked = built = build.build(source, target, numbers, duplicates=first, **same)
        gathered = None if weights is None else as_weights(weights, count)[built.adjacency.weights]
        built = Built(replace(built.adjacency, weights=gathered), built.report)
    return built, table.take(_numbers(tracked.adjacency, directed))
