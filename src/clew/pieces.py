"""Pieces of a graph: the methods that select vertices or edges and return smaller graphs.

Names go in and names come out. A piece keeps names, weights and columns, in the order of the graph.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
import numpy.typing as npt

from clew import transform
from clew.adjacency import Adjacency
from clew.build.rows import component_labels
from clew.checks import counted, kind_of, one_of, whole
from clew.dtypes import Array, is_on_gpu
from clew.errors import GraphError
from clew.names import Name, called

if TYPE_CHECKING:
    from clew.graph import Graph


class GraphPieces:
    """The methods of a graph that cut pieces out of it."""

    def subgraph(self: Any, vertices: Any) -> Graph:
        """The graph of some vertices and all edges among them.

        Vertices keep their names and their order; a graph without names gets the old ids as names. A vertex that is
        listed twice is there once. If nothing is selected, the graph is empty.

        Parameters
        ----------
        vertices
            Names, as a list, a set or an array; of a graph without names, ids. Or a mask with an entry per vertex,
            such as ``clew.k_core(g).core >= 3``.

        Examples
        --------
        >>> import clew
        >>> g = clew.Graph.from_edges(["ann", "bob", "ann"], ["bob", "cy", "cy"])
        >>> g.subgraph(["ann", "cy"]).neighbors("ann")
        ['cy']
        """
        result: Graph = self._part(_selected(self, vertices))
        return result

    def ego(self: Any, name: Name, hops: int = 1, direction: Literal["out", "in", "both"] = "out") -> Graph:
        """The graph of all vertices that are at most ``hops`` edges from a vertex, itself included.

        All edges among them are kept. Names are as in ``subgraph``. It reads the neighbourhood only, so it is quick
        on a large graph too.

        Parameters
        ----------
        name
            The vertex in the centre.
        hops
            The most edges that a vertex is away; 0 gives the vertex itself.
        direction
            Which edges of a directed graph to follow: "out" from their source, "in" from their target, or "both".

        Examples
        --------
        >>> import clew
        >>> clew.generate.path(9).ego(4, hops=2).names[:]
        [2, 3, 4, 5, 6]
        """
        from clew.build import kernels_pieces

        one_of("direction", direction, ("out", "in", "both"))
        limit = min(whole("hops", hops, 0), self.num_vertices)
        rows = {"out": ("outgoing",), "in": ("incoming",), "both": ("outgoing", "incoming")}
        followed = rows[direction if self.directed else "out"]
        sides = tuple(getattr(self, side).unsigned() for side in followed)
        near = kernels_pieces.within(sides, np.uint64(self.vertex(name)), limit)
        result: Graph = self._part(np.sort(near).astype(np.int64))
        return result

    def filter_edges(self: Any, condition: Any) -> Graph:
        """The graph with some of the edges, and all vertices.

        Parameters
        ----------
        condition
            A mask with an entry per edge, in the order of ``edges()`` and ``to_arrow()``: an undirected edge has one.
            Or a function that returns such a mask. It gets the columns of the edges by name, as NumPy arrays:
            "source" and "target" (names), "weight" if there are weights, and the edge columns.

        Examples
        --------
        >>> import clew
        >>> g = clew.Graph.from_edges(["ann", "bob", "cy"], ["bob", "cy", "ann"], [20, 5, 7])
        >>> g.filter_edges(lambda edge: edge["weight"] > 6).num_edges
        2
        """
        try:
            mask = condition(EdgeColumns(self)) if callable(condition) else condition
        except TypeError as error:
            raise GraphError(
                f"the condition fails: {error}. Columns are NumPy arrays: compare times with "
                "numpy.datetime64('2026-11-01'), and text that may be missing with == only."
            ) from error
        edges = transform.as_mask(mask, self.num_edges, "edge")
        keep = transform.of_arcs(self.outgoing, edges, self.directed)
        result: Graph = self._changed(partial(transform.filtered, keep=keep))
        return result

    def largest_component(self: Any) -> Graph:
        """The subgraph of the largest connected component (of several, the one with the smallest vertex).

        Of a directed graph, components are weak: directions do not matter. Names as with ``subgraph``.
        """
        labels = component_labels(self.outgoing, both_directions=not self.directed)
        result: Graph = self._part(np.flatnonzero(labels == np.bincount(labels, minlength=1).argmax()))
        return result

    def components(self: Any) -> Components:
        """All connected components as graphs, the largest first; see ``largest_component``.

        Components of equal size are in the order of their smallest vertices. The sequence holds one copy of the graph,
        and cuts out a component when it is used.

        Examples
        --------
        >>> import clew
        >>> parts = clew.Graph.from_edges(["a", "b", "x"], ["b", "c", "y"]).components()
        >>> parts
        Components: 2, of 3 to 2 vertices
        >>> [part.names[:] for part in parts]
        [['a', 'b', 'c'], ['x', 'y']]
        """
        return Components(self)

    def _part(self: Any, vertices: Array) -> Graph:
        """The subgraph of some vertices, given by their ids in ascending order."""
        result: Graph = self._changed(partial(transform.subgraph, chosen=vertices), vertices)
        return result


class Components(Sequence["Graph"]):
    """The components of a graph, the largest first.

    ``sizes`` are their numbers of vertices.
    """

    def __init__(self, graph: Any) -> None:
        labels = component_labels(graph.outgoing, both_directions=not graph.directed)
        sizes = np.bincount(labels)
        order = np.argsort(-sizes, kind="stable")[: np.count_nonzero(sizes)]
        rank = np.empty(sizes.size, dtype=np.int64)
        rank[order] = np.arange(order.size)
        place = np.empty(labels.size, dtype=np.int64)
        place[np.argsort(rank[labels], kind="stable")] = np.arange(labels.size)
        self.sizes = sizes[order]
        self._starts = np.concatenate([[0], np.cumsum(self.sizes)])
        self._graph = graph.relabeled(place)  # every component is a range of vertices

    def __len__(self) -> int:
        return int(self.sizes.size)

    @overload
    def __getitem__(self, number: int) -> Graph: ...
    @overload
    def __getitem__(self, number: slice) -> list[Graph]: ...
    def __getitem__(self, number: Any) -> Any:
        """A component, or a list of those of a slice."""
        if isinstance(number, slice):
            return [self[one] for one in range(*number.indices(len(self)))]
        number = whole("the number of the component", number, -len(self), len(self) - 1) % len(self)
        start, stop = int(self._starts[number]), int(self._starts[number + 1])
        return self._graph._changed(partial(_cut, start=start, stop=stop), np.arange(start, stop))

    def __iter__(self) -> Iterator[Graph]:
        return (self[number] for number in range(len(self)))

    def __repr__(self) -> str:
        if not len(self):
            return "Components: 0"
        return f"Components: {len(self):,}, of {self.sizes[0]:,} to {counted(int(self.sizes[-1]), 'vertex')}"


class EdgeColumns(Mapping[str, Array]):
    """The columns of a graph's edges as NumPy arrays, each made when it is used."""

    def __init__(self, graph: Any) -> None:
        self._graph = graph
        self._edges: Any = None
        self._more = graph.edge_columns
        self._names = ["source", "target", *["weight"] * graph.weighted, *self._more.column_names]

    def __getitem__(self, name: str) -> Array:
        if name not in self._names:
            raise GraphError(f"edges have no column {name!r}; they have {', '.join(map(repr, self._names))}.")
        if name in self._more.column_names:
            column: Array = self._more[name].to_numpy()
            return column
        if self._edges is None:
            self._edges = dict(zip(("source", "target", "weight"), self._graph.edges(), strict=True))
        values: Array = self._edges[name]
        return values if name == "weight" else called(self._graph.names, values)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def _selected(graph: Any, vertices: Any) -> npt.NDArray[np.int64]:
    """The ids of the vertices that a caller selects by names or by a mask, ascending."""
    if isinstance(vertices, (Set, Mapping, Iterator)):
        vertices = list(vertices)
    if is_on_gpu(vertices):
        vertices = vertices.get()
    if isinstance(vertices, (str, bytes)) or not hasattr(vertices, "__getitem__"):
        raise GraphError(
            f"the vertices are {kind_of(vertices)}; expected a list of names, or a mask with an entry per vertex."
        )
    if graph.names is None or np.asarray(vertices[:1]).dtype == np.bool_:
        return np.flatnonzero(transform.as_mask(vertices, graph.num_vertices))
    return np.unique(graph.names.ids_of(vertices))


def _cut(rows: Adjacency, start: int, stop: int) -> Adjacency:
    """The rows of some consecutive vertices, whose edges lead to one another only."""
    first, last = rows.indptr[start], rows.indptr[stop]
    indices = rows.indices[first:last]
    weights = None if rows.weights is None else rows.weights[first:last]
    return Adjacency(rows.indptr[start : stop + 1] - first, indices - indices.dtype.type(start), weights)
