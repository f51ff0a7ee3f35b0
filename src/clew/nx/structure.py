"""Degrees, reciprocity, triangles, squares, clustering, cores and components."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import networkx as nx
import numpy as np

from clew import algorithms, threads
from clew.build.rows import blocks_of
from clew.dtypes import Array
from clew.graph import Graph
from clew.nx import kernels
from clew.nx.degrees import edge_weights
from clew.nx.graph import ClewGraph, Node, Weight, answer, bunch
from clew.nx.interface import (
    no_directed_graphs,
    no_parallel_edges,
    no_undirected_graphs,
    no_weight_function,
    served,
    to_networkx,
)
from clew.nx.searches import postorder, strong_components
from clew.result import Result

# ruff: noqa: ARG001, N803, signatures are those of NetworkX

Cores = Mapping[Node, int] | None


@served(quick=True)
def isolates(G: ClewGraph) -> Iterator[Node]:
    """Nodes without neighbours."""
    return iter(G.named(np.flatnonzero(G.degrees == 0)))


@served(quick=True)
def number_of_isolates(G: ClewGraph) -> int:
    """How many nodes have no neighbours."""
    return int(np.count_nonzero(G.degrees == 0))


@served(quick=True, few="n")
def is_isolate(G: ClewGraph, n: Node) -> bool:
    """Whether a node has no neighbours."""
    if n not in G:
        if isinstance(n, Iterable):  # applied to several nodes, of which the degrees are not 0 but a view
            return False
        raise nx.NetworkXError(f"Node {n} is not in the graph.")
    return bool(G.degrees[G.positions[n]] == 0)


def _mutual(G: ClewGraph) -> Array:
    """How many of every vertex's out-edges have an opposite; a self-loop is its own."""
    edges = G.unweighted.to_scipy()
    return np.asarray(edges.multiply(edges.T.tocsr()).sum(axis=1)).ravel()


@served(no_undirected_graphs, no_parallel_edges, few="nodes")
def reciprocity(G: ClewGraph, nodes: Any = None) -> Any:
    """The share of edges that go both ways: of the graph, of a node or of several."""
    if nodes is None:
        return _overall(G)
    chosen = bunch(G, nodes)
    total = G.degrees[chosen]
    shares = np.divide(2.0 * _mutual(G)[chosen], total, out=np.full(chosen.size, np.nan), where=total > 0)
    if nodes in G:
        if total[0] == 0:
            raise nx.NetworkXError("Not defined for isolated nodes.")
        return float(shares[0])
    answers = [share if edges else None for share, edges in zip(shares.tolist(), total.tolist(), strict=True)]
    return dict(zip(G.named(chosen), answers, strict=True))


def _overall(G: ClewGraph) -> float:
    graph = G.unweighted
    if graph.num_edges == 0:
        raise nx.NetworkXError("Not defined for empty graphs")
    return (int(_mutual(G).sum()) - graph.num_loops) / graph.num_edges


@served(no_undirected_graphs, no_parallel_edges)
def overall_reciprocity(G: ClewGraph) -> float:
    """The share of edges that have an opposite."""
    return _overall(G)


@served(no_parallel_edges, few="nodes")
def triangles(G: ClewGraph, nodes: Any = None) -> Any:
    """The number of triangles at every node."""
    return answer(G, algorithms.triangles(G.unweighted).numpy().count, nodes)


def _coefficients(G: ClewGraph, weight: Weight) -> Array:
    graph = G.weighted(weight)
    weights = edge_weights(G, weight)
    if weights.size and (weights.max() == 0 or weights.min() < 0):
        raise NotImplementedError("some weights are negative, or all are 0; clew supports only other weights here.")
    found = algorithms.clustering_coefficient(graph, method="triangles", weighted=graph.weighted)
    return np.asarray(found.numpy().coefficient)


@served(no_parallel_edges, no_weight_function, few="nodes")
def clustering(G: ClewGraph, nodes: Any = None, weight: Weight = None) -> Any:
    """The share of pairs of neighbours that are neighbours themselves."""
    found = _coefficients(G, weight)
    return answer(G, found, nodes, found == 0)


@served(no_parallel_edges, no_weight_function, few="nodes")
def average_clustering(G: ClewGraph, nodes: Any = None, weight: Weight = None, count_zeros: bool = True) -> float:
    """The mean of the coefficients."""
    chosen = _coefficients(G, weight)[bunch(G, nodes)]
    if not count_zeros:
        chosen = chosen[chosen != 0]
    if chosen.size == 0:
        raise ZeroDivisionError("division by zero")
    return float(chosen.mean())


@served(no_directed_graphs, no_parallel_edges)
def transitivity(G: ClewGraph) -> float:
    """The share of all connected triples that are closed."""
    return float(algorithms.clustering_coefficient(G.unweighted).transitivity) or 0  # the integer, as in NetworkX


@served(no_directed_graphs, no_parallel_edges)
def square_clustering(G: ClewGraph, nodes: Any = None) -> Any:
    """The share of possible squares that exist."""
    squares = square_coefficients(G.unweighted)
    return answer(G, squares, nodes, (squares == 0) & ~_could_have_squares(G))


def _could_have_squares(G: ClewGraph) -> Any:
    """Whether a vertex that is in no square could be: some neighbour has an edge that is not part of a triangle."""
    real = G.sources != G.indices
    source, target = G.sources[real], G.indices[real]
    degree = np.bincount(source, minlength=len(G))
    around = np.bincount(source, weights=degree[target] - 1, minlength=len(G))
    return (degree > 1) & ((degree - 1) * around - 2 * algorithms.triangles(G.unweighted).numpy().count > 0)


def square_coefficients(graph: Graph) -> Array:
    """The share of possible squares that exist at every vertex of an undirected graph without parallel edges."""
    sources = np.repeat(np.arange(graph.num_vertices), graph.degrees())
    loops = np.bincount(sources[sources == graph.indices], minlength=graph.num_vertices)
    coefficient = np.empty(graph.num_vertices)
    bounds = blocks_of(graph.outgoing)
    degrees = graph.degrees() - loops
    threads.each(kernels.squares, bounds.size - 1, bounds, *graph.outgoing.unsigned(), degrees, coefficient)
    return coefficient


def _cores(G: ClewGraph, known: Cores = None) -> Array:
    if known is not None:
        return np.array([known[node] for node in G], dtype=np.int64)
    graph = G.unweighted
    if graph.num_loops:
        raise nx.NetworkXNotImplemented(
            "Input graph has self loops which is not permitted; "
            "Consider using G.remove_edges_from(nx.selfloop_edges(G))."
        )
    return np.asarray(algorithms.k_core(graph).numpy().core)


def _subgraph(
    G: ClewGraph, k: int | None, known: Cores, keep: Callable[[Array, int], Array], below_largest: int = 0
) -> nx.Graph[Any]:
    """The nodes whose core numbers satisfy ``keep``; k is by default the largest core number, or one below it."""
    cores = _cores(G, known)
    if k is None:
        if cores.size == 0:
            raise ValueError("the graph has no nodes, so there is no largest core; pass k.")
        k = int(cores.max()) - below_largest
    return to_networkx(G).subgraph(G.named(np.flatnonzero(keep(cores, k)))).copy()


@served()
def core_number(G: ClewGraph) -> dict[Node, int]:
    """The largest k such that a node is in the k-core."""
    return G.by_node(_cores(G))


@served()
def k_core(G: ClewGraph, k: int | None = None, core_number: Cores = None) -> nx.Graph[Any]:
    """Nodes of core number k or more."""
    return _subgraph(G, k, core_number, np.greater_equal)


@served()
def k_shell(G: ClewGraph, k: int | None = None, core_number: Cores = None) -> nx.Graph[Any]:
    """Nodes of core number k."""
    return _subgraph(G, k, core_number, np.equal)


@served()
def k_crust(G: ClewGraph, k: int | None = None, core_number: Cores = None) -> nx.Graph[Any]:
    """Nodes of core number k or less; without k, all but those of the largest."""
    return _subgraph(G, k, core_number, np.less_equal, below_largest=1)


@served()
def k_corona(G: ClewGraph, k: int, core_number: Cores = None) -> nx.Graph[Any]:
    """Nodes of core number k with exactly k neighbours of core number k or more."""

    def keep(cores: Array, k: int) -> Array:
        deep = np.concatenate([[0], np.cumsum(cores[G.indices] >= k)])
        return np.asarray((cores == k) & (deep[G.indptr[1:]] - deep[G.indptr[:-1]] == k))

    return _subgraph(G, k, core_number, keep)


def _weak(G: ClewGraph) -> Result:
    return algorithms.connected_components(G.unweighted).numpy()


def _strong(G: ClewGraph) -> Result:
    return algorithms.strongly_connected_components(G.unweighted).numpy()


def _is_one(G: ClewGraph, find: Callable[[ClewGraph], Result]) -> bool:
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")
    return bool(find(G).count == 1)


def sets_of(G: ClewGraph, label: Array, sizes: Array, vertices: Array | None = None) -> Iterator[set[Node]]:
    """The vertices of each label as a set of nodes, in ascending order of labels; labels are of all or of some."""
    members = np.argsort(label, kind="stable")
    if vertices is not None:
        members = vertices[members]
    start = 0
    for end in np.cumsum(sizes).tolist():
        yield set(G.named(members[start:end]))
        start = end


def _weak_sets(G: ClewGraph) -> Iterator[set[Node]]:
    weak = _weak(G)
    return sets_of(G, weak.label, weak.sizes)


@served()
def connected_components(G: ClewGraph) -> Iterator[set[Node]]:
    """In the order of their first nodes, as in NetworkX."""
    return _weak_sets(G)


@served()
def number_connected_components(G: ClewGraph) -> int:
    """Counted without building sets."""
    return int(_weak(G).count)


@served()
def is_connected(G: ClewGraph) -> bool:
    """Whether there is one component."""
    return _is_one(G, _weak)


@served()
def node_connected_component(G: ClewGraph, n: Node) -> set[Node]:
    """The nodes that ``n`` is connected with."""
    label = _weak(G).label
    return set(G.named(np.flatnonzero(label == label[G.positions[n]])))


@served()
def weakly_connected_components(G: ClewGraph) -> Iterator[set[Node]]:
    """In the order of their first nodes, as in NetworkX."""
    return _weak_sets(G)


@served()
def number_weakly_connected_components(G: ClewGraph) -> int:
    """Counted without building sets."""
    return int(_weak(G).count)


@served()
def is_weakly_connected(G: ClewGraph) -> bool:
    """Whether there is one component."""
    return _is_one(G, _weak)


@served()
def strongly_connected_components(G: ClewGraph) -> Iterator[set[Node]]:
    """In NetworkX's order: a component after all that can be reached from it."""
    label, count = strong_components(G.out_rows())
    return sets_of(G, label, np.bincount(label, minlength=count))


@served(source="clew computes the components of all nodes.")
def kosaraju_strongly_connected_components(G: ClewGraph, source: Node = None) -> Iterator[set[Node]]:
    """The same components, ordered by when a depth-first search against the edges finishes them, last first."""
    label, count = strong_components(G.out_rows())
    last = np.zeros(count, dtype=np.int64)
    np.maximum.at(last, label, postorder(G.in_rows()))
    turn = np.empty(count, dtype=np.int64)
    turn[np.argsort(-last)] = np.arange(count)
    return sets_of(G, turn[label], np.bincount(turn[label], minlength=count))


@served()
def number_strongly_connected_components(G: ClewGraph) -> int:
    """Counted without building sets."""
    return int(_strong(G).count)


@served()
def is_strongly_connected(G: ClewGraph) -> bool:
    """Whether there is one component."""
    return _is_one(G, _strong)


def _attracting(G: ClewGraph) -> tuple[Array, Array]:
    """The number of every vertex's component, and the numbers of components that no edge leaves."""
    label, count = strong_components(G.out_rows())
    stays = np.ones(count, dtype=np.bool_)
    source = label[G.sources]
    stays[source[source != label[G.indices]]] = False
    return label, np.flatnonzero(stays)


@served()
def attracting_components(G: ClewGraph) -> Iterator[set[Node]]:
    """In the order in which NetworkX finds them."""
    label, attracting = _attracting(G)
    members = np.flatnonzero(np.isin(label, attracting))
    return sets_of(G, label[members], np.bincount(label[members])[attracting], members)


@served()
def number_attracting_components(G: ClewGraph) -> int:
    """Counted without building sets."""
    return int(_attracting(G)[1].size)


@served()
def is_attracting_component(G: ClewGraph) -> bool:
    """Whether the whole graph is one strongly connected component."""
    return len(G) > 0 and _is_one(G, _strong)
