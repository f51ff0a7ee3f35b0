"""Connected components, and weakly connected ones of directed graphs."""

from __future__ import annotations

from collections.abc import Iterator

import networkx as nx
import numpy as np

from clew import algorithms
from clew.dtypes import Array
from clew.nx.graph import ClewGraph, Node
from clew.nx.serving import served
from clew.result import Result

# ruff: noqa: N803, NetworkX calls its graphs G


def _found(G: ClewGraph) -> Result:
    return algorithms.connected_components(G.unweighted).numpy()


def sets_of(G: ClewGraph, label: Array, sizes: Array, vertices: Array | None = None) -> Iterator[set[Node]]:
    """The vertices of each label as a set of nodes, in ascending order of labels; labels are of all or of some."""
    members = np.argsort(label, kind="stable")
    if vertices is not None:
        members = vertices[members]
    start = 0
    for end in np.cumsum(sizes).tolist():
        yield set(G.named(members[start:end]))
        start = end


def _is_one(G: ClewGraph) -> bool:
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")
    return bool(_found(G).count == 1)


@served()
def connected_components(G: ClewGraph) -> Iterator[set[Node]]:
    """In the order of their first nodes, as in NetworkX."""
    found = _found(G)
    return sets_of(G, found.label, found.sizes)


@served()
def number_connected_components(G: ClewGraph) -> int:
    """Counted without building sets."""
    return int(_found(G).count)


@served()
def is_connected(G: ClewGraph) -> bool:
    """Whether there is one component."""
    return _is_one(G)


@served()
def node_connected_component(G: ClewGraph, n: Node) -> set[Node]:
    """The nodes that ``n`` is connected with."""
    label = _found(G).label
    return set(G.named(np.flatnonzero(label == label[G.positions[n]])))


@served()
def weakly_connected_components(G: ClewGraph) -> Iterator[set[Node]]:
    """In the order of their first nodes, as in NetworkX."""
    found = _found(G)
    return sets_of(G, found.label, found.sizes)


@served()
def number_weakly_connected_components(G: ClewGraph) -> int:
    """Counted without building sets."""
    return int(_found(G).count)


@served()
def is_weakly_connected(G: ClewGraph) -> bool:
    """Whether there is one component."""
    return _is_one(G)
