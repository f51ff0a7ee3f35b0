"""Bridges, articulation points and biconnected components, in NetworkX's order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from clew.algorithms.biconnectivity.cpu import search
from clew.dtypes import Array, as_bits
from clew.nx import kernels_neighborhoods, kernels_searches
from clew.nx.graph import ClewGraph, Node, Weight
from clew.nx.interface import no_directed_graphs, no_parallel_edges, no_weights, served

# ruff: noqa: ARG001, N803, signatures are those of NetworkX


def _edges(G: ClewGraph) -> tuple[list[Node], list[Node], list[slice]]:
    """The ends of the edges of all biconnected components, and where each is."""
    rows = G.simple_rows
    found = search(*rows.bits)
    sources = np.repeat(np.arange(len(G)), np.diff(rows.indptr))
    ends = found.ends.tolist()
    parts = [slice(start, end) for start, end in zip([0, *ends], ends, strict=False)]
    return G.named(sources[found.entries]), G.named(rows.indices[found.entries]), parts


#: Why clew does not serve calls with ``root``.
WHOLE_GRAPH = "clew finds the bridges of the whole graph."


def _bridges(G: ClewGraph) -> Array:
    """The entries of ``indices`` that are bridges, each edge once and in NetworkX's order of edges."""
    found = search(*G.out_rows().bits)
    alone = (found.parent >= 0) & (found.low == found.discovered)  # the edge from the parent is the only way here
    source, target = G.sources, G.indices
    bridge = (alone[target] & (found.parent[target] == source)) | (alone[source] & (found.parent[source] == target))
    return np.flatnonzero(bridge & (source < target))


@served(no_directed_graphs, root=WHOLE_GRAPH)
def bridges(G: ClewGraph, root: Node | None = None) -> Iterator[tuple[Node, Node]]:
    """Edges whose removal disconnects their ends."""
    entries = _bridges(G)
    return zip(G.named(G.sources[entries]), G.named(G.indices[entries]), strict=True)


@served(no_directed_graphs, root=WHOLE_GRAPH)
def has_bridges(G: ClewGraph, root: Node | None = None) -> bool:
    """Whether there are bridges."""
    return _bridges(G).size > 0


@served(no_directed_graphs, no_parallel_edges, no_weights)
def local_bridges(G: ClewGraph, with_span: bool = True, weight: Weight = None) -> Iterator[tuple[Any, ...]]:
    """Edges whose ends share no neighbour, with the distance of the ends without the edge."""
    entries = np.flatnonzero(G.sources < G.indices)
    source, target = G.sources[entries], G.indices[entries]
    counts, nothing = np.zeros((3, source.size), dtype=np.int64), np.zeros(len(G))
    ends = as_bits(source), as_bits(target)
    kernels_neighborhoods.shared_neighbors(
        *G.out_rows().bits, *ends, nothing, nothing.astype(np.int64), counts, np.zeros((2, source.size))
    )
    alone = counts[0] == 0
    source, target = source[alone], target[alone]
    pairs = G.named(source), G.named(target)
    if with_span is not True:
        return zip(*pairs, strict=True)
    length = np.empty(source.size, dtype=np.int64)
    kernels_searches.detours(*G.out_rows().bits, as_bits(source), as_bits(target), length)
    return zip(*pairs, [span if span >= 0 else float("inf") for span in length.tolist()], strict=True)


@served(no_directed_graphs)
def articulation_points(G: ClewGraph) -> Iterator[Node]:
    """Nodes whose removal disconnects others."""
    return iter(G.named(search(*G.simple_rows.bits).cuts))


@served(no_directed_graphs)
def biconnected_component_edges(G: ClewGraph) -> Iterator[list[tuple[Node, Node]]]:
    """The edges of every biconnected component."""
    first, second, parts = _edges(G)
    edges = list(zip(first, second, strict=True))
    return (edges[part] for part in parts)


@served(no_directed_graphs)
def biconnected_components(G: ClewGraph) -> Iterator[set[Node]]:
    """The nodes of every biconnected component."""
    first, second, parts = _edges(G)
    return ({*first[part], *second[part]} for part in parts)


@served(no_directed_graphs)
def is_biconnected(G: ClewGraph) -> bool:
    """Whether one biconnected component has all nodes."""
    if len(G) > 2 and (np.diff(G.simple_rows.indptr) < 2).any():  # an end of a chain, or a node by itself
        return False
    first, second, parts = _edges(G)
    return len(parts) == 1 and len({*first, *second}) == len(G)
