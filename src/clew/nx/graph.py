"""ClewGraph: a NetworkX graph as arrays, from which clew's graph is built on first use; and its nodes as arguments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, NamedTuple

import networkx as nx
import numpy as np
import numpy.typing as npt

from clew.checks import counted
from clew.dtypes import Array, as_bits
from clew.graph import Graph
from clew.nx.dicts import Dicts, EdgeValues, rows_as_arrays
from clew.nx.views import plain_rows

# ruff: noqa: N803, signatures are those of NetworkX

Node = Any  # anything that can be hashed
Weight = str | None  # the name of an edge attribute; None if every edge counts 1


class Rows(NamedTuple):
    """Neighbours in NetworkX's order, with or without weights."""

    indptr: Array
    indices: Array
    weights: Array | None = None

    @property
    def bits(self) -> tuple[Array, Array]:
        """Offsets and neighbours as kernels take them."""
        return as_bits(self.indptr), as_bits(self.indices)


class ClewGraph:
    """Nodes in NetworkX's order, their neighbours in NetworkX's order, and edge attributes as arrays.

    Nodes and edges do not change. Edge attributes are read again if they were changed in place. NetworkX's functions
    take it as it is. Functions that clew does not support convert it back if ``nx.config.fallback_to_nx`` is set.

    Parameters
    ----------
    nodes
        Nodes in NetworkX's order: node i is vertex i of ``graph``.
    indptr, indices
        The neighbours of every node, in the order NetworkX lists them; undirected edges in both rows.
    directed, multigraph
        As in NetworkX.
    values
        Edge attributes by name, in the order of ``indices``, if there is no NetworkX graph.
    dicts, in_dicts
        The dicts in which a NetworkX graph stores its edges, and its in-edges if it is directed. Attributes are read on
        first use.
    defaults
        The requested attributes, with the value of an edge that lacks one; 1 for others.
    original
        The NetworkX graph, retained if its attributes are needed for a result that is a graph.
    attributes
        The attributes of the graph itself.
    """

    __networkx_backend__ = "clew"

    def __init__(
        self,
        nodes: list[Node],
        indptr: npt.NDArray[np.int64],
        indices: Array,
        *,
        directed: bool,
        multigraph: bool,
        values: Mapping[str, EdgeValues] | None = None,
        dicts: Dicts | None = None,
        in_dicts: Dicts | None = None,
        defaults: Mapping[str, Any] | None = None,
        original: nx.Graph[Any] | None = None,
        attributes: Mapping[str, Any] | None = None,
    ) -> None:
        self.nodes = nodes
        self.indptr, self.indices = indptr, indices
        self.graph = dict(attributes or {})
        self.original = original
        self.__networkx_cache__: dict[str, Any] = {}
        self._directed, self._multigraph = directed, multigraph
        self._values, self._defaults = dict(values or {}), dict(defaults or {})
        self._dicts, self._in_dicts = dicts, in_dicts
        self._graphs: dict[str, Graph] = {}
        self._in_weights: dict[str, Array] = {}
        self._compared: set[str] = set()

    # ------------------------------------------------------------------ what NetworkX asks a graph

    def is_directed(self) -> bool:
        """Whether edges go one way only."""
        return self._directed

    def is_multigraph(self) -> bool:
        """Whether two nodes may have several edges."""
        return self._multigraph

    def number_of_nodes(self) -> int:
        """The number of nodes."""
        return len(self.nodes)

    order = number_of_nodes

    def number_of_edges(self) -> int:
        """The number of edges; an undirected edge counts once."""
        return self.unweighted.num_edges

    def __len__(self) -> int:
        return len(self.nodes)

    def __iter__(self) -> Iterator[Node]:
        return iter(self.nodes)

    def __contains__(self, node: object) -> bool:
        try:
            return node in self.positions
        except TypeError:  # not hashable
            return False

    @property
    def _kind(self) -> str:
        return ("Multi" if self._multigraph else "") + ("DiGraph" if self._directed else "Graph")

    def __str__(self) -> str:
        return f"{self._kind} with {len(self)} nodes and {self.number_of_edges()} edges"  # as in NetworkX

    def __repr__(self) -> str:
        nodes, edges = counted(len(self.nodes), "node"), counted(self.number_of_edges(), "edge")
        return f"ClewGraph of a {self._kind} with {nodes} and {edges}"

    # ------------------------------------------------------------------ nodes and vertices

    @cached_property
    def counted(self) -> bool:
        """Whether the nodes are the integers 0…n-1 in order, so that a node is its own vertex."""
        return set(map(type, self.nodes)) <= {int} and self.nodes == list(range(len(self.nodes)))

    @cached_property
    def positions(self) -> Mapping[Node, int]:
        """The vertex of every node."""
        return dict(zip(self.nodes, range(len(self.nodes)), strict=True))

    def named(self, vertices: Array) -> list[Node]:
        """The nodes of some vertices."""
        ids: list[int] = vertices.tolist()
        return ids if self.counted else list(map(self.nodes.__getitem__, ids))

    def by_node(self, values: Array) -> dict[Node, Any]:
        """A value per vertex as NetworkX gives it: plain numbers, by node."""
        return dict(zip(self.nodes, values.tolist(), strict=True))

    def some_by_node(self, vertices: Array, values: Array) -> dict[Node, Any]:
        """The values of some vertices, in their order; ``values`` has one for each of them."""
        return dict(zip(self.named(vertices), values.tolist(), strict=True))

    def vertices(self, nodes: Iterable[Node]) -> npt.NDArray[np.int64]:
        """The vertices of some nodes; a ``KeyError`` where one is not in the graph."""
        return np.array([self.positions[node] for node in nodes], dtype=np.int64)

    def neighbors(self, vertex: int) -> Array:
        """The neighbours of a vertex, in the order of NetworkX."""
        return self.indices[self.indptr[vertex] : self.indptr[vertex + 1]]

    def neighbors_now(self, node: Node) -> dict[Node, int] | None:
        """With how many edges a node leads to each neighbour in the NetworkX graph now; None where it is gone."""
        row = (self._dicts or {}).get(node)
        return None if row is None else {other: len(edges) if self._multigraph else 1 for other, edges in row.items()}

    def has_other_neighbors(self, nodes: list[Node], vertices: Array) -> bool:
        """Whether some nodes are gone from the NetworkX graph, or have more or fewer neighbours than they had."""
        if self._dicts is None:
            return False
        rows = list(map(self._dicts.get, nodes))
        return None in rows or list(map(len, rows)) != self._neighbor_counts[vertices].tolist()  # type: ignore[arg-type]

    @cached_property
    def _neighbor_counts(self) -> npt.NDArray[np.int64]:
        """How many neighbours every vertex has; parallel edges lead to one."""
        if not self._multigraph:
            return np.diff(self.indptr)
        pairs = np.unique(np.stack([self.sources, self.indices]), axis=1)
        return np.bincount(pairs[0], minlength=len(self))

    # ------------------------------------------------------------------ clew's graphs

    @cached_property
    def unweighted(self) -> Graph:
        """The graph without weights."""
        return self._build()

    def weighted(self, attribute: Weight) -> Graph:
        """The graph with an attribute for weights; without weights where no edge has it, or all are 1."""
        values = None if attribute is None else self._current(attribute)
        if attribute is None or values is None:
            return self.unweighted
        if attribute not in self._graphs:
            only_ones = (values.array == 1).all()
            self._graphs[attribute] = self.unweighted if only_ones else self._build(values.array)
        return self._graphs[attribute]

    def _build(self, weights: Array | None = None) -> Graph:
        return Graph.from_csr(self.indptr, self.indices, weights, directed=self._directed)

    def begin_call(self) -> None:
        """A function is called: edge attributes may have been changed in place since the last one."""
        self._compared.clear()

    def _current(self, attribute: str, default: Any = None) -> EdgeValues | None:
        """The values of an attribute, read again where they were changed in place; None where there are none.

        ``default`` is for edges that lack it. A graph with all attributes has no default of its own for any of them.
        """
        values = self._values.get(attribute)
        default = self._defaults.get(attribute, 1) if default is None else default
        fits = values is not None and (values.complete or values.default == default)
        if self._dicts is None or (attribute in self._compared and fits):
            return values
        self._compared.add(attribute)
        if values is not None and fits and values.are_current():
            return values
        values = EdgeValues.read(self._dicts, attribute, default, multigraph=self._multigraph, once=self.once)
        if values.array.size != self.indices.size:
            raise NotImplementedError(
                "Edges were added or removed other than by methods of the graph. Call G.__networkx_cache__.clear()."
            )
        self._values[attribute] = values
        self._graphs.pop(attribute, None)
        self._in_weights.pop(attribute, None)
        return values

    def known_values(self) -> dict[str, Array]:
        """The attributes that were requested or given."""
        names = [*self._values, *(name for name in self._defaults if name not in self._values)]
        return {name: values.array for name in names if (values := self._current(name)) is not None}

    def known(self, attribute: Weight) -> EdgeValues | None:
        """The values that ``weighted`` found last; None where every edge counts the integer 1."""
        return None if attribute is None else self._values.get(attribute)

    def values(self, attribute: Weight, default: Any = None) -> EdgeValues | None:
        """The values that an attribute has now; None where every edge counts the integer 1, or the default."""
        return None if attribute is None else self._current(attribute, default)

    @cached_property
    def simple_rows(self) -> Rows:
        """Neighbours in the order of NetworkX, each once even if parallel edges lead to it."""
        if not self._multigraph:
            return Rows(self.indptr, self.indices)
        first = np.ones(self.indices.size, dtype=np.bool_)
        first[1:] = (self.indices[1:] != self.indices[:-1]) | (self.sources[1:] != self.sources[:-1])
        indptr = np.concatenate([[0], np.cumsum(first)])[self.indptr]
        return Rows(indptr, self.indices[first])

    def out_rows(self, attribute: Weight = None) -> Rows:
        """Neighbours in the order of NetworkX, with weights if they are not all 1."""
        return Rows(self.indptr, self.indices, self._weights_of(attribute))

    def in_rows(self, attribute: Weight = None) -> Rows:
        """Neighbours over in-edges in the order of NetworkX; of an undirected graph, all neighbours."""
        weights = self._weights_of(attribute)
        if not self._directed:
            return Rows(self.indptr, self.indices, weights)
        indptr, indices, arcs = self._into
        if weights is not None and attribute not in self._in_weights:
            assert attribute is not None
            self._in_weights[attribute] = weights[arcs]
        return Rows(indptr, indices, None if weights is None or attribute is None else self._in_weights[attribute])

    def _weights_of(self, attribute: Weight) -> Array | None:
        graph, values = self.weighted(attribute), self.known(attribute)
        return values.array if graph.weighted and values is not None else None

    @cached_property
    def _into(self) -> tuple[Array, Array, Array]:
        """Offsets and neighbours of the in-edges, and which entry of ``indices`` each is."""
        if self._in_dicts is None:
            indptr, indices = self.unweighted.incoming.indptr, self.unweighted.incoming.indices
        else:
            into = plain_rows(self._in_dicts, multigraph=self._multigraph)
            rows = {node: into[node] for node in self.nodes}
            indptr, indices = rows_as_arrays(rows, self.nodes, multigraph=self._multigraph)
        # Sorted by their ends, in-edges and out-edges are the same list; parallel edges keep their order.
        targets = np.repeat(np.arange(len(self)), np.diff(indptr))
        arcs = np.empty(self.indices.size, dtype=np.int64)
        arcs[np.lexsort((targets, indices))] = np.lexsort((self.indices, self.sources))
        return indptr, indices, arcs

    @cached_property
    def sources(self) -> npt.NDArray[np.int64]:
        """Where every entry of ``indices`` starts."""
        return np.repeat(np.arange(len(self)), np.diff(self.indptr))

    @cached_property
    def once(self) -> npt.NDArray[np.bool_] | None:
        """Marks one of the two entries that an undirected edge has; None for directed graphs."""
        return None if self._directed else self.sources <= self.indices

    @cached_property
    def degrees(self) -> npt.NDArray[np.int64]:
        """The degree of every vertex as NetworkX counts it: in and out together, and a self-loop twice."""
        graph = self.unweighted
        if self._directed:
            return graph.degrees() + graph.degrees("in")
        sources = self.sources
        return graph.degrees() + np.bincount(sources[sources == self.indices], minlength=len(self))


def vertex_of(G: ClewGraph, node: Node, what: str = "Node", missing: str = "is not in G") -> int:
    """The vertex of a node, or ``NodeNotFound`` in the words NetworkX has for it."""
    if node not in G:
        raise nx.NodeNotFound(f"{what} {node} {missing}")
    return G.positions[node]


def neighbor_of(G: ClewGraph, node: Node) -> int:
    """The vertex of a node whose neighbours are requested, or NetworkX's error if it is not in the graph."""
    if node not in G:
        raise nx.NetworkXError(f"The node {node} is not in the {'digraph' if G.is_directed() else 'graph'}.")
    return G.positions[node]


def bunch(G: ClewGraph, nodes: Any) -> npt.NDArray[np.int64]:
    """The vertices that NetworkX's ``nbunch`` means: all, one, or those of several that are in the graph."""
    if nodes is None:
        return np.arange(len(G))
    if nodes in G:
        return np.array([G.positions[nodes]])
    try:
        return G.vertices(dict.fromkeys(node for node in nodes if node in G))
    except TypeError as error:
        raise nx.NetworkXError(f"{nodes!r} is not a node or a sequence of nodes.") from error


def answer(G: ClewGraph, values: Any, nodes: Any, integers: Any = None) -> Any:
    """A value per vertex as NetworkX answers for ``nodes``: one number for one node, else a dict.

    ``integers`` marks the values that are integers among floats: NetworkX says 0 where there is nothing to divide.
    """
    chosen = bunch(G, nodes)
    found = values[chosen].tolist()
    if integers is not None:
        found = [int(value) if whole else value for value, whole in zip(found, integers[chosen].tolist(), strict=True)]
    return found[0] if nodes is not None and nodes in G else dict(zip(G.named(chosen), found, strict=True))
