"""A placed graph whose rows are in two memories."""

from __future__ import annotations

import numpy as np

from clew import threads
from clew.adjacency import Adjacency
from clew.dtypes import Array
from clew.errors import GraphError
from clew.graph import Graph
from clew.placement import Placement
from clew.tiers.mapping import in_two
from clew.tiers.survey import tier_named, tiers
from clew.tiers.tier import Tier

COPY = 1 << 22  # bytes to a piece


def spread(graph: Graph, *, slow: Tier | str, fast: Tier | str) -> Graph:
    """A graph with a placement, with its slow and fast rows in two different memories.

    Each array is a contiguous address range whose pages are in one memory or the other, so all algorithms work
    unchanged. In-edges are included, and cut at the same vertex. A page where the groups meet is in slow memory.

    Parameters
    ----------
    graph
        A graph from ``Placement.apply``, or from a file with a placement.
    slow, fast
        Tiers, by name ("node1", "file") or kind ("dram", "hbm"), or as returned by ``tiers()``.

    Raises
    ------
    ResourceError
        If the graph does not fit. A NUMA node that fills up later is no error: the rest is on other nodes.
    """
    placement = Placement.of(graph)
    if placement is None:
        raise GraphError(
            "this graph has no placement; create one with a strategy of clew.placement and apply it: "
            "Hot('8GiB').place(graph).apply(graph)."
        )
    known = tiers() if isinstance(slow, str) or isinstance(fast, str) else []
    first, second = (tier_named(tier, known) if isinstance(tier, str) else tier for tier in (slow, fast))
    placed = Graph(
        _spread(graph.outgoing, placement.boundary, first, second),
        directed=graph.directed,
        names=graph.names,
        report=graph.report,
        metadata=graph.metadata,
    )
    if graph.directed:  # else they would be made later, in ordinary memory
        placed._in = _spread(graph.incoming, placement.boundary, first, second)
    return placed


def _spread(rows: Adjacency, boundary: int, slow: Tier, fast: Tier) -> Adjacency:
    cut = int(rows.indptr[boundary])
    return Adjacency(
        _copied(rows.indptr, boundary, slow, fast),
        _copied(rows.indices, cut, slow, fast),
        None if rows.weights is None else _copied(rows.weights, cut, slow, fast),
        boundary,
    )


def _copied(array: Array, cut: int, slow: Tier, fast: Tier) -> Array:
    """A copy of an array, its first ``cut`` entries in slow memory."""
    bytes_of = np.ascontiguousarray(array).view(np.uint8)
    room = in_two(array.nbytes, cut * array.itemsize, slow, fast)
    pieces = threads.pieces(bytes_of.size, COPY)
    threads.each(_copy, pieces, pieces, bytes_of, room)
    return room.view(array.dtype)


def _copy(piece: int, pieces: int, source: Array, target: Array) -> None:
    part = slice(piece * source.size // pieces, (piece + 1) * source.size // pieces)
    np.copyto(target[part], source[part])
