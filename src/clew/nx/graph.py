"""ClewGraph: a NetworkX graph as arrays, with clew's graph made of them when it is first needed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clew.counts import counted
from clew.dtypes import Array
from clew.graph import Graph

if TYPE_CHECKING:
    import networkx as nx

Node = Any  # anything that can be hashed


class ClewGraph:
    """Nodes in NetworkX's order, their neighbours in NetworkX's order, and edge attributes as arrays.

    It does not change. NetworkX's functions take it as it is; those that clew does not serve convert it back where
    ``nx.config.fallback_to_nx`` is set.

    Parameters
    ----------
    nodes
        In NetworkX's order: node i is vertex i of ``graph``.
    indptr, indices
        The neighbours of every node, in the order NetworkX lists them; undirected edges in both rows.
    edge_values
        Edge attributes by name, in the order of ``indices``.
    directed, multigraph
        As NetworkX calls them.
    original
        The NetworkX graph, kept where its attributes are needed for an answer that is a graph.
    load
        Gives the values of an edge attribute of the original.
    attributes
        Of the graph itself.
    """

    __networkx_backend__ = "clew"

    def __init__(
        self,
        nodes: list[Node],
        indptr: npt.NDArray[np.int64],
        indices: Array,
        edge_values: Mapping[str, Array],
        *,
        directed: bool,
        multigraph: bool,
        original: nx.Graph[Any] | None = None,
        load: Callable[[str], Array] | None = None,
        attributes: Mapping[str, Any] | None = None,
    ) -> None:
        self.nodes = nodes
        self.indptr, self.indices = indptr, indices
        self.graph = dict(attributes or {})
        self.original = original
        self.__networkx_cache__: dict[str, Any] = {}
        self._directed, self._multigraph = directed, multigraph
        self.edge_values, self._load = edge_values, load
        self._graphs: dict[str | None, Graph] = {}

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

    def __repr__(self) -> str:
        kind = ("Multi" if self._multigraph else "") + ("DiGraph" if self._directed else "Graph")
        nodes, edges = counted(len(self.nodes), "node"), counted(self.number_of_edges(), "edge")
        return f"ClewGraph of a {kind} with {nodes} and {edges}"

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

    # ------------------------------------------------------------------ clew's graphs

    @property
    def unweighted(self) -> Graph:
        """The graph without weights."""
        if None not in self._graphs:
            self._graphs[None] = Graph.from_csr(self.indptr, self.indices, directed=self._directed)
        return self._graphs[None]

    def weighted(self, attribute: str | None) -> Graph:
        """The graph with an attribute for weights; without weights where no edge has it, or all are 1."""
        if attribute is None:
            return self.unweighted
        if attribute not in self._graphs:
            values = self.edge_values.get(attribute)
            if values is None and self._load is not None:
                values = self._load(attribute)
            if values is None or (values == 1).all():
                self._graphs[attribute] = self.unweighted
            else:
                self._graphs[attribute] = Graph.from_csr(self.indptr, self.indices, values, directed=self._directed)
        return self._graphs[attribute]

    @cached_property
    def degrees(self) -> npt.NDArray[np.int64]:
        """The degree of every vertex as NetworkX counts it: in and out together, and a self-loop twice."""
        graph = self.unweighted
        if self._directed:
            return graph.degrees() + graph.degrees("in")
        sources = np.repeat(np.arange(len(self)), np.diff(self.indptr))
        return graph.degrees() + np.bincount(sources[sources == self.indices], minlength=len(self))
