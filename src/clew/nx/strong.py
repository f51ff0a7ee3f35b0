"""Strongly connected components, and those that no edge leaves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np

from clew import algorithms
from clew.dtypes import Array
from clew.engines.cpu import in_order
from clew.graph import Graph
from clew.nx.components import sets_of
from clew.nx.graph import ClewGraph, Node
from clew.nx.serving import served
from clew.result import Result

# ruff: noqa: N803, NetworkX calls its graphs G


def _found(G: ClewGraph) -> Result:
    return algorithms.strongly_connected_components(G.unweighted).numpy()


def _sinks_first(G: ClewGraph) -> Iterator[set[Node]]:
    labels, place = np.unique(_found(G).label, return_inverse=True)
    source, target, _ = G.unweighted.edges()
    leads_on = place[source] != place[target]
    back = Graph.from_edges(place[target[leads_on]], place[source[leads_on]], num_vertices=labels.size)
    generations = in_order.generations(back.indptr, back.indices, back.degrees("in"))
    turn = np.empty(labels.size, dtype=np.int64)
    turn[np.concatenate([np.empty(0, dtype=np.int64), *generations])] = np.arange(labels.size)
    return sets_of(G, turn[place], np.bincount(turn[place], minlength=labels.size))


def _source_is_given(source: Any) -> str | None:
    return "source is given; clew finds the components of all nodes." if source is not None else None


@served()
def strongly_connected_components(G: ClewGraph) -> Iterator[set[Node]]:
    """Those that others lead to come first, as in NetworkX: a component after all that can be reached from it."""
    return _sinks_first(G)


@served(_source_is_given)
def kosaraju_strongly_connected_components(
    G: ClewGraph,
    source: Node = None,  # noqa: ARG001
) -> Iterator[set[Node]]:
    """The same components by another name."""
    return _sinks_first(G)


@served()
def number_strongly_connected_components(G: ClewGraph) -> int:
    """Counted without making sets."""
    return int(_found(G).count)


@served()
def is_strongly_connected(G: ClewGraph) -> bool:
    """Whether there is one component."""
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")
    return bool(_found(G).count == 1)


def _attracting(G: ClewGraph) -> tuple[Array, Array]:
    """The label of every vertex's component, and the labels of components that no edge leaves."""
    label = _found(G).label
    source, target, _ = G.unweighted.edges()
    stays = np.ones(len(G), dtype=np.bool_)
    stays[label[source[label[source] != label[target]]]] = False
    labels = np.unique(label)
    return label, labels[stays[labels]]


@served()
def attracting_components(G: ClewGraph) -> Iterator[set[Node]]:
    """In the order of their first nodes."""
    label, attracting = _attracting(G)
    members = np.flatnonzero(np.isin(label, attracting))
    return (set(G.named(members[label[members] == chosen])) for chosen in attracting)


@served()
def number_attracting_components(G: ClewGraph) -> int:
    """Counted without making sets."""
    return int(_attracting(G)[1].size)


@served()
def is_attracting_component(G: ClewGraph) -> bool:
    """Whether the whole graph is one strongly connected component."""
    return len(G) > 0 and bool(_found(G).count == 1)
