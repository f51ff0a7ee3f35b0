"""Nodes that a caller names, and the exceptions NetworkX raises where they are not there."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
import numpy.typing as npt

from clew.nx.graph import ClewGraph, Node

# ruff: noqa: N803, NetworkX calls its graphs G


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
