"""Condensation, and orders, longest paths, closures and reductions of acyclic graphs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import networkx as nx
import numpy as np

from clew.dtypes import Array, as_bits
from clew.nx import kernels_orders, kernels_searches
from clew.nx.degrees import edge_weights
from clew.nx.graph import ClewGraph, Node, Weight
from clew.nx.interface import no_parallel_edges, no_undirected_graphs, no_weight_function, served, to_networkx
from clew.nx.searches import generations, strong_components
from clew.nx.structure import sets_of

# ruff: noqa: ARG001, N803, signatures are those of NetworkX


#: Why clew does not serve calls with ``topo_order``.
OWN_TOPOLOGICAL_ORDER = "clew uses NetworkX's topological order."


def _only_default_of_one(default_weight: Any) -> str | None:
    return None if default_weight == 1 else "default_weight is given; clew counts edges without a weight as 1."


def _only_irreflexive(reflexive: Any) -> str | None:
    return None if reflexive is False else f"reflexive is {reflexive!r}; clew supports only False."


def _order(G: ClewGraph) -> Array:
    """All vertices in NetworkX's topological order."""
    found = generations(G.out_rows())
    order = np.concatenate([np.empty(0, dtype=G.indices.dtype), *found])
    if order.size < len(G):
        raise nx.NetworkXUnfeasible("Graph contains a cycle or graph changed during iteration")
    return order


@served(no_undirected_graphs, scc="clew finds the components itself.")
def condensation(G: ClewGraph, scc: Any = None) -> nx.DiGraph[Any]:
    """A node for every strongly connected component, and an edge where edges lead from one to another."""
    found: nx.DiGraph[Any] = nx.DiGraph()
    mapping = found.graph["mapping"] = {}
    if len(G) == 0:
        return found
    label, count = strong_components(G.out_rows())
    members = dict(enumerate(sets_of(G, label, np.bincount(label, minlength=count))))
    for number, nodes in members.items():
        mapping.update(dict.fromkeys(nodes, number))
    found.add_nodes_from((number, {"members": nodes}) for number, nodes in members.items())
    source, target = label[G.sources], label[G.indices]
    pairs = (source * count + target)[source != target]
    unique, first = np.unique(pairs, return_index=True)
    source, target = np.divmod(unique[np.argsort(first)], count)
    found.add_edges_from(zip(source.tolist(), target.tolist(), strict=True))
    return found


@served(no_undirected_graphs)
def is_semiconnected(G: ClewGraph) -> bool:
    """Whether, of any two nodes, one can be reached from the other."""
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")
    label, count = strong_components(G.out_rows())
    # Components are numbered against the edges, so all are on one path if each leads to the one before it.
    source, target = label[G.sources], label[G.indices]
    return bool(np.unique(source[source == target + 1]).size == count - 1)


def _longest(G: ClewGraph, weight: Weight) -> tuple[list[int], Array]:
    """The vertices of a longest path, and which in-edges of the graph it has."""
    if len(G) == 0:
        return [], np.empty(0, dtype=np.int64)
    order = _order(G)
    rows = G.in_rows()
    arcs = G._into[2]
    weights = edge_weights(G, weight)[arcs]
    length, before = np.empty(len(G), dtype=weights.dtype), np.empty(len(G), dtype=np.int64)
    kernels_orders.longest_paths(*rows.bits, weights, as_bits(order), length, before)
    path, taken = [int(order[np.argmax(length[order])])], []
    while (entry := int(before[path[-1]])) >= 0:
        taken.append(int(arcs[entry]))
        path.append(int(rows.indices[entry]))
    return path[::-1], np.array(taken[::-1], dtype=np.int64)


@served(no_undirected_graphs, no_weight_function, _only_default_of_one, topo_order=OWN_TOPOLOGICAL_ORDER)
def dag_longest_path(
    G: ClewGraph, weight: Weight = "weight", default_weight: Any = 1, topo_order: Any = None
) -> list[Node]:
    """The nodes of the longest path, the first of several."""
    return [G.nodes[vertex] for vertex in _longest(G, weight)[0]]


@served(no_undirected_graphs, no_weight_function, _only_default_of_one)
def dag_longest_path_length(G: ClewGraph, weight: Weight = "weight", default_weight: Any = 1) -> Any:
    """The length of the longest path."""
    taken = _longest(G, weight)[1]
    values = G.values(weight)
    if values is None:
        return int(taken.size)
    is_float = np.broadcast_to(np.asarray(values.is_float), values.array.shape)[taken]
    return sum(
        float(value) if adds_floats else int(value)
        for value, adds_floats in zip(values.array[taken].tolist(), is_float, strict=True)
    )


@served()
def lexicographical_topological_sort(G: ClewGraph, key: Callable[[Node], Any] | None = None) -> Iterator[Node]:
    """A topological order; of nodes that could be next, the one of least key."""
    if not G.is_directed():
        raise nx.NetworkXError("Topological sort not defined on undirected graphs.")
    keys = G.nodes if key is None else list(map(key, G.nodes))
    if len(set(map(type, keys)) - {str}) > 0 and set(map(type, keys)) != {int}:
        raise NotImplementedError("keys are neither all strings nor all integers; clew sorts only these.")
    at_rank = np.array(sorted(range(len(G)), key=keys.__getitem__), dtype=np.int64)
    rank, order = np.empty_like(at_rank), np.empty_like(at_rank)
    rank[at_rank] = np.arange(len(G))
    rows = G.out_rows()
    waiting = np.bincount(rows.indices, minlength=len(G))
    count = kernels_orders.ranked_order(*rows.bits, rank, at_rank, waiting, order)
    return _unless_changed(G, order[:count])


def _unless_changed(G: ClewGraph, order: Array) -> Iterator[Node]:
    """The nodes in their order; an error after them if there is a cycle, and before one whose edges were changed."""
    for node, edges in zip(G.named(order), np.diff(G.indptr)[order].tolist(), strict=True):
        now = G.neighbors_now(node)
        if now is None and G._dicts is not None:
            raise RuntimeError("Graph changed during iteration")
        if now is not None and (found := sum(now.values())) != edges:
            error = RuntimeError if found > edges else nx.NetworkXUnfeasible
            raise error("Graph contains a cycle or graph changed during iteration")
        yield node
    if order.size < len(G):
        raise nx.NetworkXUnfeasible("Graph contains a cycle or graph changed during iteration")


@served(no_undirected_graphs)
def transitive_reduction(G: ClewGraph) -> nx.DiGraph[Any]:
    """The edges of an acyclic graph that no longer path replaces. NetworkX lists them in the order of a set."""
    rows = G.simple_rows
    order = np.concatenate([np.empty(0, dtype=G.indices.dtype), *generations(rows)])
    if order.size < len(G):
        raise nx.NetworkXError("Directed Acyclic Graph required for transitive_reduction")
    place = np.empty(len(G), dtype=np.int64)
    place[order] = np.arange(len(G))
    needed = np.empty(rows.indices.size, dtype=np.bool_)
    kernels_orders.reduce_rows(*rows.bits, place, needed)
    found: nx.DiGraph[Any] = nx.DiGraph()
    found.add_nodes_from(G)
    bounds = rows.indptr.tolist()
    targets = G.named(rows.indices)
    for node, (first, last) in zip(G.nodes, pairwise(bounds), strict=True):
        pairs = zip(targets[first:last], needed[first:last], strict=True)
        found.add_edges_from((node, target) for target, keep in pairs if keep)
    return found


@served(no_undirected_graphs, no_parallel_edges, _only_irreflexive)
def transitive_closure(G: ClewGraph, reflexive: bool | None = False) -> nx.DiGraph[Any]:
    """The graph with an edge to every node that can be reached over at least one edge."""
    closure = to_networkx(G).copy()
    indptr, indices = G.out_rows().bits
    queue, parent = np.empty(len(G) + 1, dtype=G.indices.dtype), np.empty(len(G), dtype=G.indices.dtype)
    depth = np.empty(len(G), dtype=np.int64)
    for vertex, node in enumerate(G.nodes):
        depth[:] = -1  # of the source too, which is reached if it is on a cycle
        queue[0] = vertex
        count = int(kernels_searches.breadth_first(indptr, indices, 1, len(G), as_bits(queue), parent, depth))
        near = closure._adj[node]
        closure.add_edges_from((node, other) for other in G.named(queue[1:count]) if other not in near)
    return closure
