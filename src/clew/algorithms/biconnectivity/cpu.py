"""The blocks of a graph by one depth-first search."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from clew import transform
from clew.algorithms.biconnectivity import kernels
from clew.dtypes import Array
from clew.graph import Graph
from clew.workspace import Space, Workspace, scratch


class Search(NamedTuple):
    """The entries of ``indices`` of all blocks, where each block ends, and the articulation points.

    ``parent``, ``discovered`` and ``low`` are as in ``kernels.blocks``.
    """

    entries: Array
    ends: Array
    cuts: Array
    parent: Array
    discovered: Array
    low: Array


def search(indptr: Array, indices: Array) -> Search:
    """Search the rows of an undirected graph, given as unsigned integers."""
    n = indptr.size - 1
    parent, discovered, low, ends, cuts = (np.empty(n, dtype=np.int64) for _ in range(5))
    entries = np.empty(indices.size, dtype=np.int64)
    count, points = kernels.blocks(indptr, indices, parent, discovered, low, entries, ends, cuts)
    size = int(ends[count - 1]) if count else 0
    return Search(entries[:size], ends[:count], cuts[:points], parent, discovered, low)


def space(graph: Graph, **results: Space) -> Workspace:
    """The arrays of a run: the results, and those of the search."""
    n, arcs = graph.num_vertices, graph.num_arcs * (2 if graph.directed else 1)
    ids = graph.indices.itemsize
    both = {"both_directions": scratch(arcs * (8 + ids), np.uint8, later=True)} if graph.directed else {}
    return Workspace(
        **results,
        search=scratch(10 * n, np.int64, later=True),
        entries=scratch(2 * arcs, np.int64, later=True),
        numbers=scratch(arcs, np.int64, later=True),
        **both,
    )


def blocks(graph: Graph) -> tuple[npt.NDArray[np.int64], Array, Array]:
    """The block of every edge, numbered by their first edges; -1 for loops. Their sizes, and the articulation points.

    Directions are ignored, so edges in both directions are parallel edges.
    """
    numbers = np.arange(graph.num_edges)
    if graph.directed:
        source, target, _ = graph.edges()
        graph = Graph.from_edges(source, target, numbers, graph.num_vertices, directed=False)
        *_, numbers = graph.edges()  # type: ignore[assignment]
    found = search(*graph.outgoing.unsigned())
    number = transform.of_arcs(graph.outgoing, numbers, directed=False)
    block = np.full(graph.num_edges, -1)
    block[number[found.entries]] = np.repeat(np.arange(found.ends.size), np.diff(found.ends, prepend=0))
    block[number[graph.indices == np.repeat(np.arange(graph.num_vertices), graph.degrees())]] = -1
    known = np.flatnonzero(block >= 0)
    first, rank = np.empty((2, found.ends.size), dtype=np.int64)
    first[block[known[::-1]]] = known[::-1]
    order = np.argsort(first)
    rank[order] = np.arange(order.size)
    block[known] = rank[block[known]]
    return block, np.bincount(block[known], minlength=order.size), found.cuts
