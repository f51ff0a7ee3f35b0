"""Bridges, articulation points and biconnected components, in NetworkX's order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from clew.dtypes import Array, as_bits
from clew.nx import kernels_depth_first, kernels_neighborhoods
from clew.nx.graph import ClewGraph, Node, Rows, Weight
from clew.nx.interface import no_directed_graphs, no_parallel_edges, no_weights, served

# ruff: noqa: ARG001, N803, signatures are those of NetworkX


class Blocks(NamedTuple):
    """The edges of all biconnected components, where each ends, and the articulation points.

    ``parent``, ``found`` and ``low`` are of the depth-first search: see ``kernels_depth_first.biconnected``.
    """

    first: Array
    second: Array
    ends: Array
    cuts: Array
    parent: Array
    found: Array
    low: Array


def blocks(rows: Rows) -> Blocks:
    """The biconnected components of an undirected graph without parallel edges."""
    n, size = rows.indptr.size - 1, rows.indices.size
    parent, found, low = (np.empty(n, dtype=np.int64) for _ in range(3))
    first, second = np.empty(size, dtype=rows.indices.dtype), np.empty(size, dtype=rows.indices.dtype)
    ends, cuts = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    count, points = kernels_depth_first.biconnected(*rows.bits, parent, found, low, first, second, ends, cuts)
    size = int(ends[count - 1]) if count else 0
    return Blocks(first[:size], second[:size], ends[:count], cuts[:points], parent, found, low)


#: Why clew does not serve calls with ``root``.
WHOLE_GRAPH = "clew finds the bridges of the whole graph."


def _bridges(G: ClewGraph) -> Array:
    """The entries of ``indices`` that are bridges, each edge once and in NetworkX's order of edges."""
    search = blocks(G.simple_rows)
    child = np.flatnonzero((search.parent >= 0) & (search.low == search.found))
    alone = np.zeros(len(G), dtype=np.bool_)  # the edge from the parent is the only way here
    alone[child] = True
    source, target = G.sources, G.indices
    bridge = (alone[target] & (search.parent[target] == source)) | (alone[source] & (search.parent[source] == target))
    if G.is_multigraph():
        same = (source[1:] == source[:-1]) & (target[1:] == target[:-1])
        bridge[1:] &= ~same
        bridge[:-1] &= ~same
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
    kernels_depth_first.detours(*G.out_rows().bits, as_bits(source), as_bits(target), length)
    return zip(*pairs, [span if span >= 0 else float("inf") for span in length.tolist()], strict=True)


@served(no_directed_graphs)
def articulation_points(G: ClewGraph) -> Iterator[Node]:
    """Nodes whose removal disconnects others."""
    return iter(G.named(blocks(G.simple_rows).cuts))


@served(no_directed_graphs)
def biconnected_component_edges(G: ClewGraph) -> Iterator[list[tuple[Node, Node]]]:
    """The edges of every biconnected component."""
    found = blocks(G.simple_rows)
    edges = list(zip(G.named(found.first), G.named(found.second), strict=True))
    ends = found.ends.tolist()
    return (edges[start:end] for start, end in zip([0, *ends], ends, strict=False))


@served(no_directed_graphs)
def biconnected_components(G: ClewGraph) -> Iterator[set[Node]]:
    """The nodes of every biconnected component."""
    found = blocks(G.simple_rows)
    first, second, ends = G.named(found.first), G.named(found.second), found.ends.tolist()
    return ({*first[start:end], *second[start:end]} for start, end in zip([0, *ends], ends, strict=False))


@served(no_directed_graphs)
def is_biconnected(G: ClewGraph) -> bool:
    """Whether one biconnected component has all nodes."""
    found = blocks(G.simple_rows)
    return found.ends.size == 1 and np.unique([found.first, found.second]).size == len(G)
