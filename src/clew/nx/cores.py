"""Core numbers, and the subgraphs that they define."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import networkx as nx
import numpy as np

from clew import algorithms
from clew.dtypes import Array
from clew.nx.conversion import to_networkx
from clew.nx.graph import ClewGraph, Node
from clew.nx.serving import served

# ruff: noqa: N803, NetworkX calls its graphs G


def _cores(G: ClewGraph, given: Mapping[Node, int] | None = None) -> Array:
    if given is not None:
        return np.array([given[node] for node in G], dtype=np.int64)
    graph = G.unweighted
    if graph.num_loops:
        raise nx.NetworkXNotImplemented(
            "Input graph has self loops which is not permitted; "
            "Consider using G.remove_edges_from(nx.selfloop_edges(G))."
        )
    return np.asarray(algorithms.k_core(graph).numpy().core)


def _subgraph(G: ClewGraph, keep: Array) -> nx.Graph[Any]:
    return to_networkx(G).subgraph(G.named(np.flatnonzero(keep))).copy()


def _selected(
    G: ClewGraph, k: int | None, given: Mapping[Node, int] | None, keep: Callable[[Array, int], Array]
) -> nx.Graph[Any]:
    cores = _cores(G, given)
    if k is None:
        if cores.size == 0:
            raise ValueError("the graph has no nodes, so there is no largest core; pass k.")
        k = int(cores.max())
    return _subgraph(G, keep(cores, k))


@served()
def core_number(G: ClewGraph) -> dict[Node, int]:
    """The largest k such that a node is in the k-core."""
    return G.by_node(_cores(G))


@served()
def k_core(G: ClewGraph, k: int | None = None, core_number: Mapping[Node, int] | None = None) -> nx.Graph[Any]:
    """Nodes of core number k or more."""
    return _selected(G, k, core_number, lambda cores, k: cores >= k)


@served()
def k_shell(G: ClewGraph, k: int | None = None, core_number: Mapping[Node, int] | None = None) -> nx.Graph[Any]:
    """Nodes of core number k."""
    return _selected(G, k, core_number, lambda cores, k: cores == k)


@served()
def k_crust(G: ClewGraph, k: int | None = None, core_number: Mapping[Node, int] | None = None) -> nx.Graph[Any]:
    """Nodes of core number k or less; without k, all but those of the largest."""
    cores = _cores(G, core_number)
    if k is None:
        if cores.size == 0:
            raise ValueError("the graph has no nodes, so there is no largest core; pass k.")
        k = int(cores.max()) - 1
    return _subgraph(G, cores <= k)


@served()
def k_corona(G: ClewGraph, k: int, core_number: Mapping[Node, int] | None = None) -> nx.Graph[Any]:
    """Nodes of core number k with exactly k neighbours of core number k or more."""

    def keep(cores: Array, k: int) -> Array:
        deep = np.concatenate([[0], np.cumsum(cores[G.indices] >= k)])
        return np.asarray((cores == k) & (deep[G.indptr[1:]] - deep[G.indptr[:-1]] == k))

    return _selected(G, k, core_number, keep)
