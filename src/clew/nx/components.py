"""Connected, weakly and strongly connected components."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import networkx as nx
import numpy as np

from clew import algorithms
from clew.dtypes import Array
from clew.nx.graph import ClewGraph, Node
from clew.nx.interface import served
from clew.nx.searches import postorder, strong_components
from clew.result import Result

# ruff: noqa: ARG001, N803, signatures are those of NetworkX


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


@served()
def connected_components(G: ClewGraph) -> Iterator[set[Node]]:
    """In the order of their first nodes, as in NetworkX."""
    weak = _weak(G)
    return sets_of(G, weak.label, weak.sizes)


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
    weak = _weak(G)
    return sets_of(G, weak.label, weak.sizes)


@served()
def number_weakly_connected_components(G: ClewGraph) -> int:
    """Counted without building sets."""
    return int(_weak(G).count)


@served()
def is_weakly_connected(G: ClewGraph) -> bool:
    """Whether there is one component."""
    return _is_one(G, _weak)


def _no_source(source: Any) -> str | None:
    return "source is given; clew computes the components of all nodes." if source is not None else None


@served()
def strongly_connected_components(G: ClewGraph) -> Iterator[set[Node]]:
    """In NetworkX's order: a component after all that can be reached from it."""
    label, count = strong_components(G.out_rows())
    return sets_of(G, label, np.bincount(label, minlength=count))


@served(_no_source)
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
