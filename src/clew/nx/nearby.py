"""Whether NetworkX finds an answer near where it starts, in less time than a call of clew takes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from itertools import chain, islice
from math import inf
from typing import Any

import networkx as nx

# ruff: noqa: N803, NetworkX calls its graphs G

Node = Any
FEW = 100  # nodes that NetworkX visits in some microseconds
SEVERAL = 500  # and those of a weighted search that takes less time than a comparison of all weights
LEVELS = 3  # in which a search sees more nodes than these in a small world


def _few(rows: Mapping[Node, Iterable[Node]], *sources: Node, levels: float = inf, most: int = FEW) -> bool:
    """Whether a search ends, or reaches a number of levels, before it has seen more than a few nodes."""
    seen, frontier, level = set(sources), set(sources), 0
    while frontier and level < levels:
        near = list(islice(chain.from_iterable(rows[node] for node in frontier), most))
        frontier = set(near) - seen
        seen |= frontier
        level += 1
        if len(near) == most or len(seen) > most:
            return False
    return True


def few_descendants(G: nx.Graph[Any], source: Node, *_: Any) -> bool:
    """Whether few nodes can be reached from a node."""
    return source in G and _few(G._adj, source)


def few_by_weight(G: nx.Graph[Any], source: Node, *_: Any) -> bool:
    """Whether the nodes that can be reached are few enough for a short weighted search."""
    return source in G and _few(G._adj, source, most=SEVERAL)


def few_by_weight_from(G: nx.Graph[Any], sources: Collection[Node], *_: Any) -> bool:
    """Whether the nodes that can be reached from any of several are as few."""
    if not isinstance(sources, Collection) or len(sources) > SEVERAL or any(source not in G for source in sources):
        return False
    return _few(G._adj, *sources, most=SEVERAL)


def few_ancestors(G: nx.Graph[Any], source: Node) -> bool:
    """Whether a node can be reached from few."""
    return source in G and _few(getattr(G, "_pred", G._adj), source)


def few_either_way(G: nx.Graph[Any], source: Node, reverse: bool = False, *_: Any) -> bool:
    """Whether a search along the edges, or against them, sees few nodes."""
    return few_ancestors(G, source) if reverse else few_descendants(G, source)


def few_within(G: nx.Graph[Any], source: Node, distance: Any) -> bool:
    """Whether few nodes are within a distance."""
    return source in G and _few(G._adj, source, levels=distance)


def few_between(G: nx.Graph[Any], source: Node, *_: Any) -> bool:
    """Whether searches from both ends meet soon: few nodes can be reached, or in a small graph many in a few levels.

    There, clew needs longer to see whether weights have changed.
    """
    if few_by_weight(G, source):
        return True
    small = G.number_of_edges() <= nx.config.backends.clew.check_edges
    return small and source in G and not _few(G._adj, source, levels=LEVELS)


def has_odd_degree(G: nx.Graph[Any], *_: Any, most: int = 0) -> bool:
    """Whether more than ``most`` of the first nodes have an odd degree, or more edges in one direction."""
    first = islice(G, FEW)
    if G.is_directed():
        odd = (node for node in first if G.in_degree(node) != G.out_degree(node))
    else:
        odd = (node for node in first if G.degree(node) % 2)
    return next(islice(odd, most, None), None) is not None


def has_many_odd_degrees(G: nx.Graph[Any], *_: Any) -> bool:
    """Whether too many of the first nodes have an odd degree for a path over all edges."""
    return has_odd_degree(G, most=2)


def has_odd_cycle(G: nx.Graph[Any]) -> bool:
    """Whether the first edges of a search close an odd cycle."""
    rows, others = G._adj, getattr(G, "_pred", {})
    found = next(((node, 0) for node in islice(G, FEW) if rows[node]), None)
    sides, queue = dict([found] if found else []), [found[0]] if found else []
    left = 3 * FEW
    for node in queue:
        for other in islice(chain(rows[node], others.get(node, ())), left):
            left -= 1
            if sides.setdefault(other, 1 - sides[node]) == sides[node]:
                return True
            if len(sides) > len(queue):
                queue.append(other)
    return False
