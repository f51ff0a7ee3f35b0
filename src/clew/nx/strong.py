"""Strongly connected components, and those that no edge leaves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np

from clew import algorithms
from clew.dtypes import Array
from clew.nx import in_order
from clew.nx.components import sets_of
from clew.nx.graph import ClewGraph, Node
from clew.nx.serving import served
from clew.result import Result

# ruff: noqa: N803, NetworkX calls its graphs G


def _found(G: ClewGraph) -> Result:
    return algorithms.strongly_connected_components(G.unweighted).numpy()


def _in_order(G: ClewGraph) -> tuple[Array, int]:
    return in_order.strong_components(G.indptr, G.indices)


def _source_is_given(source: Any) -> str | None:
    return "source is given; clew computes the components of all nodes." if source is not None else None


@served()
def strongly_connected_components(G: ClewGraph) -> Iterator[set[Node]]:
    """In NetworkX's order: a component after all that can be reached from it."""
    label, count = _in_order(G)
    return sets_of(G, label, np.bincount(label, minlength=count))


@served(_source_is_given)
def kosaraju_strongly_connected_components(
    G: ClewGraph,
    source: Node = None,  # noqa: ARG001
) -> Iterator[set[Node]]:
    """The same components, those first that a search against the edges is done with last."""
    label, count = _in_order(G)
    into = G.in_rows()
    last = np.zeros(count, dtype=np.int64)
    np.maximum.at(last, label, in_order.postorder(into.indptr, into.indices))
    turn = np.empty(count, dtype=np.int64)
    turn[np.argsort(-last)] = np.arange(count)
    return sets_of(G, turn[label], np.bincount(turn[label], minlength=count))


@served()
def number_strongly_connected_components(G: ClewGraph) -> int:
    """Counted without building sets."""
    return int(_found(G).count)


@served()
def is_strongly_connected(G: ClewGraph) -> bool:
    """Whether there is one component."""
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")
    return bool(_found(G).count == 1)


def _attracting(G: ClewGraph) -> tuple[Array, Array]:
    """The number of every vertex's component, and the numbers of components that no edge leaves."""
    label, count = _in_order(G)
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
    return len(G) > 0 and bool(_found(G).count == 1)
