"""Whether NetworkX finds an answer near where it starts, in less time than a call of clew takes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain, islice
from math import inf
from typing import Any

import networkx as nx

# ruff: noqa: N803, NetworkX calls its graphs G

Node = Any
FEW = 100  # nodes that NetworkX looks at in some microseconds


def _few(rows: Mapping[Node, Iterable[Node]], source: Node, levels: float = inf) -> bool:
    """Whether a search ends, or reaches a number of levels, before it has seen more than a few nodes."""
    seen, frontier, level = {source}, {source}, 0
    while frontier and level < levels:
        near = list(islice(chain.from_iterable(rows[node] for node in frontier), FEW))
        frontier = set(near) - seen
        seen |= frontier
        level += 1
        if len(near) == FEW or len(seen) > FEW:
            return False
    return True


def few_descendants(G: nx.Graph[Any], source: Node) -> bool:
    """Whether few nodes can be reached from a node."""
    return source in G and _few(G._adj, source)


def few_ancestors(G: nx.Graph[Any], source: Node) -> bool:
    """Whether a node can be reached from few."""
    return source in G and _few(getattr(G, "_pred", G._adj), source)


def few_within(G: nx.Graph[Any], source: Node, distance: Any) -> bool:
    """Whether few nodes are within a distance."""
    return source in G and _few(G._adj, source, distance)


def has_odd_degree(G: nx.Graph[Any]) -> bool:
    """Whether one of the first nodes has an odd degree, or more edges in one direction than in the other."""
    first = islice(G, FEW)
    if G.is_directed():
        return any(G.in_degree(node) != G.out_degree(node) for node in first)
    return any(G.degree(node) % 2 for node in first)


def has_triangle(G: nx.Graph[Any]) -> bool:
    """Whether the first node with edges has a loop or is in a triangle, as far as a few of its edges show."""
    rows = G._adj
    node = next((node for node in islice(G, FEW) if rows[node]), None)
    if node is None:
        return False
    near = set(islice(rows[node], FEW))
    return node in near or any(not near.isdisjoint(islice(rows[other], FEW)) for other in near)
