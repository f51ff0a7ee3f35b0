"""Graph: the one noun that readers make, algorithms take and writers store."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, partial
from operator import index
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from clew import build, transform
from clew.adjacency import BOUNDARY, Adjacency, BuildReport
from clew.attributes import NO_ATTRIBUTES, AttributedGraph, Attributes, arrow_table, built_with, checked
from clew.build.rows import count_loops
from clew.checks import check_in_one_process, counted, kind_of
from clew.convert import ConvertibleGraph
from clew.convert.edges import converted_edges
from clew.convert.libraries import how_to_convert
from clew.describe import Description, DrawnGraph, as_html, as_text, describe
from clew.dtypes import Array, IdArray, OffsetArray
from clew.errors import GraphError
from clew.names import SEVERAL, Name, VertexNames, no_vertex
from clew.packed import packed_like
from clew.packed.graphs import PackableGraph
from clew.pieces import GraphPieces

Duplicates = Literal["keep", "drop", "first", "min", "max", "sum"]
Loops = Literal["keep", "drop"]


class Graph(GraphPieces, PackableGraph, AttributedGraph, DrawnGraph, ConvertibleGraph):
    """An immutable graph in compressed adjacency form.

    Make one with ``clew.read``, with a ``from_…`` method or with a generator in ``clew.generate``; the constructor
    takes arrays that are known to be valid.

    An undirected graph stores every edge in both directions (a self-loop once). ``num_edges`` counts edges as people
    do, an undirected edge once; ``num_arcs`` counts what is stored.

    Parameters
    ----------
    adjacency
        The out-edges, rows sorted.
    directed
        Whether an edge goes one way only.
    names
        What the user calls the vertices; None where that is 0…n-1.
    report
        What was found and dropped while the graph was built.
    metadata
        Anything else a file said about the graph, such as coordinates or vertex weights.
    attributes
        Columns of vertices and edges; see ``vertex_columns`` and ``edge_columns``.
    """

    def __init__(
        self,
        adjacency: Adjacency,
        *,
        directed: bool = True,
        names: VertexNames | None = None,
        report: BuildReport | None = None,
        metadata: Mapping[str, Any] | None = None,
        attributes: Attributes = NO_ATTRIBUTES,
    ) -> None:
        _check_rows(adjacency)
        if names is not None and len(names) != adjacency.num_vertices:
            given, expected = counted(len(names), "name"), counted(adjacency.num_vertices, "vertex")
            raise GraphError(f"there are {given} for {expected}; expected one each.")
        if metadata and BOUNDARY in metadata:
            adjacency = adjacency.cut_at(metadata[BOUNDARY])
        self._out = adjacency
        self._in: Adjacency | None = None if directed else adjacency
        self._directed = directed
        self._names = names
        self._report = report or BuildReport(given=adjacency.num_arcs)
        self._metadata = dict(metadata or {})
        self._attributes = attributes

    # ------------------------------------------------------------------ making one

    @classmethod
    def from_edges(
        cls,
        source: Any,
        target: Any = None,
        weights: npt.ArrayLike | None = None,
        num_vertices: int | None = None,
        directed: bool = True,
        duplicates: Duplicates = "keep",
        loops: Loops = "keep",
        *,
        ids: Literal["keep", "map"] = "keep",
        names: Any = None,
        id_dtype: npt.DTypeLike | None = None,
        both_directions: bool = False,
        consume: bool = False,
        metadata: Mapping[str, Any] | None = None,
        edge_columns: Any = None,
        vertex_columns: Any = None,
    ) -> Graph:
        """A graph from two arrays of endpoints.

        Parameters
        ----------
        source, target
            Integers 0…n-1 (vertex ids), or with ``ids="map"`` names: integers of any size or strings. Strings are
            always names. Arrays on a GPU (CuPy, PyTorch, cuDF) are sorted there. Pass pairs as ``*zip(*pairs)``.
        weights
            One per edge.
        num_vertices
            How many vertices there are; by default one more than the largest id.
        directed
            False: every pair stands for an edge in both directions.
        duplicates
            What to do with several edges between the same two vertices. "keep" keeps all, and "drop" keeps the first.
            "first", "min", "max" and "sum" keep one edge, and combine the weights. In an unweighted graph all but
            "keep" mean the same. Of an undirected graph, u-v and v-u are the same edge.
        loops
            "keep" or "drop" edges from a vertex to itself.
        ids
            "keep": integers are vertex ids. "map": they are names, mapped to 0…n-1 in ascending order.
        names
            The names of vertices 0…n-1, where source and target are ids.
        id_dtype
            int32 or int64. By default the number of vertices decides.
        both_directions
            For undirected graphs whose edges are given in both directions already; that they are is checked.
        consume
            The arrays are not needed any more: while they are read, their memory is handed back, and what they hold
            is lost. Lowers the peak by the size of the edges.
        metadata
            Kept with the graph as it is.
        edge_columns
            Further columns of the edges: a table or a dict of arrays, with a row per edge. Of duplicates that become
            one edge, the first keeps its columns.
        vertex_columns
            Columns of the vertices, as in ``with_vertex_columns``.
        """
        edges = converted_edges(source, target, weights, num_vertices=num_vertices, ids=ids, names=names)
        table = None if edge_columns is None else checked(arrow_table(edge_columns), len(edges.source), "edge")
        options: dict[str, Any] = {
            "num_vertices": edges.num_vertices,
            "directed": directed,
            "duplicates": duplicates,
            "loops": loops,
            "id_dtype": id_dtype,
            "both_directions": both_directions,
            "names": edges.names,
            "consume": consume,
        }
        if table is None:
            built = build.build(edges.source, edges.target, edges.weights, **options)
        else:
            built, table = built_with(table, edges.source, edges.target, edges.weights, **options)
        same: Any = {"directed": directed, "names": edges.names, "report": built.report, "metadata": metadata}
        graph = cls(built.adjacency, **same, attributes=Attributes(edges=table))
        return graph if vertex_columns is None else graph.with_vertex_columns(vertex_columns)

    @classmethod
    def from_csr(
        cls,
        indptr: npt.ArrayLike,
        indices: npt.ArrayLike,
        weights: npt.ArrayLike | None = None,
        *,
        directed: bool = True,
        names: Any = None,
        id_dtype: npt.DTypeLike | None = None,
        duplicates: Duplicates = "keep",
        loops: Loops = "keep",
        metadata: Mapping[str, Any] | None = None,
    ) -> Graph:
        """A graph from compressed rows.

        Rows that are not sorted are sorted. The arrays are checked. They are used without a copy where they are sorted
        and of the right types, and no edge is dropped. With ``directed=False`` they must hold every edge both ways.
        """
        built = build.from_rows(
            indptr, indices, weights, directed=directed, id_dtype=id_dtype, duplicates=duplicates, loops=loops
        )
        vertex_names = None if names is None else VertexNames(names)
        return cls(built.adjacency, directed=directed, names=vertex_names, report=built.report, metadata=metadata)

    # ------------------------------------------------------------------ its arrays

    @property
    def num_vertices(self) -> int:
        """The number of vertices."""
        return self._out.num_vertices

    @property
    def num_edges(self) -> int:
        """The number of edges; an undirected edge counts once."""
        return self.num_arcs if self._directed else (self.num_arcs + self.num_loops) // 2

    @property
    def num_arcs(self) -> int:
        """The number of stored entries: an undirected edge is stored in both directions, a self-loop once."""
        return self._out.num_arcs

    @cached_property
    def num_loops(self) -> int:
        """The number of self-loops."""
        return count_loops(self._out)

    @property
    def directed(self) -> bool:
        """Whether edges go one way only."""
        return self._directed

    @property
    def indptr(self) -> OffsetArray:
        """Where each vertex's out-edges start in ``indices``."""
        return self._out.indptr

    @property
    def indices(self) -> IdArray:
        """The targets of the out-edges, row after row."""
        return self._out.indices

    @property
    def weights(self) -> Array | None:
        """The weights in the order of ``indices``, or None."""
        return self._out.weights

    @property
    def weighted(self) -> bool:
        """Whether edges have weights."""
        return self.weight_dtype is not None

    @property
    def weight_dtype(self) -> np.dtype[Any] | None:
        """The dtype of the weights, or None."""
        return self._out.weight_dtype

    @property
    def name_type(self) -> str | None:
        """Whether names are "integers" or "strings"; None without names."""
        return None if self._names is None else "integers" if self._names.are_integers else "strings"

    @property
    def names(self) -> VertexNames | None:
        """What the user calls the vertices, or None where that is 0…n-1."""
        return self._names

    @property
    def report(self) -> BuildReport:
        """What was found and dropped while the graph was built."""
        return self._report

    @property
    def metadata(self) -> Mapping[str, Any]:
        """What else is known about the graph."""
        return MappingProxyType(self._metadata)

    @property
    def outgoing(self) -> Adjacency:
        """The out-edges."""
        return self._out

    @property
    def incoming(self) -> Adjacency:
        """The in-edges; built at the first call and kept. Of an undirected graph, the out-edges themselves."""
        if self._in is None:
            self._in = packed_like(self._out, transform.transposed(self._out.plain())).cut_at(self._out.boundary)
        return self._in

    @property
    def has_incoming(self) -> bool:
        """Whether the in-edges are there already."""
        return self._in is not None

    @property
    def nbytes(self) -> int:
        """The bytes of the arrays, and of in-edges, names and columns where they are there."""
        total = self._out.nbytes + (self._names.nbytes if self._names is not None else 0)
        total += self._attributes.nbytes
        return total + (self._in.nbytes if self._in is not None and self._in is not self._out else 0)

    # ------------------------------------------------------------------ vertices by name

    def vertex(self, name: Any) -> int:
        """The id of the vertex that the user calls ``name``."""
        name = name.item() if getattr(name, "ndim", 1) == 0 else name
        if self._names is not None:
            return self._names.id_of(name)
        if isinstance(name, SEVERAL) or not hasattr(name, "__index__") or not 0 <= index(name) < self.num_vertices:
            raise no_vertex(name, self.num_vertices)
        return index(name)

    def name(self, vertex: int) -> Name:
        """What the user calls the vertex with id ``vertex``."""
        # -1 stands for no vertex, and would be the last one's name.
        if not hasattr(vertex, "__index__") or not 0 <= vertex < self.num_vertices:
            raise GraphError(f"{vertex!r} is not the id of a vertex; there are {self.num_vertices:,}, from 0 on.")
        return self._names[vertex] if self._names is not None else int(vertex)

    def neighbors(self, name: Name) -> list[Name]:
        """The names of the vertices that the edges of ``name`` lead to, in the order they are stored."""
        vertex = self.vertex(name)
        row = self._out.row(vertex)
        found: Any = row.tolist() if self._names is None else self._names.take(row).to_pylist()
        return list(found)

    def degrees(self, direction: Literal["out", "in"] = "out") -> OffsetArray:
        """The number of edges out of, or into, every vertex. A self-loop counts once."""
        if direction not in ("out", "in"):
            raise GraphError(f"direction is {direction!r}; expected 'out' or 'in'.")
        if direction == "out" or not self._directed:
            return self._out.degrees()
        return self._in.degrees() if self._in is not None else transform.in_degrees(self._out)

    # ------------------------------------------------------------------ other graphs from it

    def reversed(self) -> Graph:
        """The graph with every edge turned round; shares its arrays with this one."""
        if not self._directed:
            return self
        moved = self._attributes.moved(self._out, True, transform.transposed, None)
        turned = self._with(self.incoming, attributes=moved)
        turned._in = self._out
        return turned

    def symmetrized(self, duplicates: Duplicates = "first") -> Graph:
        """The undirected graph with an edge wherever this one has one in either direction.

        Where both directions exist, ``duplicates`` says what becomes of the two weights. The columns are those of the
        first.
        """
        if not self._directed:
            return self
        options: Any = {"num_vertices": self.num_vertices, "loops": "keep", "id_dtype": self._out.id_dtype}
        old = (self._attributes.edges, *self.edges())
        built, table = built_with(*old, directed=False, duplicates=duplicates, **options)
        moved = Attributes(self._attributes.vertices, table)
        return self._with(built.adjacency, directed=False, report=built.report, attributes=moved)

    def relabeled(self, permutation: npt.ArrayLike) -> Graph:
        """The same graph with vertex ``v`` moved to ``permutation[v]``.

        Names move along; a graph without names gets the old ids as names, so that results come back in them.
        """
        moved = transform.as_permutation(permutation, self.num_vertices)
        old_ids = np.empty(self.num_vertices, dtype=np.int64)
        old_ids[moved] = np.arange(self.num_vertices)
        return self._changed(partial(transform.relabeled, permutation=moved), old_ids, report=self._report)

    def _with(self, rows: Adjacency | None = None, **changes: Any) -> Graph:
        """The same graph with other rows, or with other arguments of the constructor."""
        same = {"directed": self._directed, "names": self._names, "report": self._report, "metadata": self._metadata}
        return Graph(self._out if rows is None else rows, **{**same, "attributes": self._attributes, **changes})

    def spread(self) -> Any:
        """The same graph on the workers of the cluster that is open, as a ``ClusterGraph``; see ``clew.cluster``."""
        import importlib

        return importlib.import_module("clew.distributed.session").current().spread(self)

    def edges(self) -> tuple[IdArray, IdArray, Array | None]:
        """Arrays (source, target, weights); an undirected edge once, with source ≤ target."""
        return transform.edges(self._out.plain(), once=not self._directed)

    def describe(self) -> Description:
        """The facts that ``repr`` and ``clew info`` show."""
        return describe(self)

    def __repr__(self) -> str:
        return as_text(describe(self))

    def _repr_html_(self) -> str:
        return as_html(describe(self))

    def __eq__(self, other: object) -> bool:
        """Whether both have the same edges, weights, direction, names and columns."""
        if not isinstance(other, Graph):
            return NotImplemented
        same = self._directed == other._directed and self._names == other._names
        return same and transform.equal(self._out.plain(), other._out.plain()) and self._attributes == other._attributes

    __hash__ = None  # type: ignore[assignment]


def _check_rows(rows: Any) -> None:
    """Reject anything but rows: the constructor converts nothing."""
    if not isinstance(rows, Adjacency):
        how = how_to_convert(rows) or ": use clew.read or one of the from_… methods"
        raise GraphError(f"Graph() takes an Adjacency, not {kind_of(rows)}{how}.")


def check_graph(graph: Any) -> None:
    """Reject anything but a graph, and say how to convert it."""
    if isinstance(graph, Graph):
        return
    check_in_one_process(graph)
    raise GraphError(f"the graph is of type {kind_of(graph)}; expected a clew.Graph{how_to_convert(graph)}.")
