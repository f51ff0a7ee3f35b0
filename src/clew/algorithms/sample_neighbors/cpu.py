"""Sampled neighbourhoods on the CPU."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from clew import threads
from clew.adjacency import Adjacency
from clew.algorithms.registry import Answer
from clew.algorithms.sample_neighbors import Samples, grow, kernels
from clew.dtypes import Array
from clew.generate.kernels_random import bits
from clew.graph import Graph
from clew.workspace import Workspace

GRAIN = 1 << 8  # vertices that are worth a thread

Each = Callable[..., Any]


def workspace(graph: Graph) -> Workspace:  # noqa: ARG001, all arrays depend on what is drawn
    """Nothing that depends on the graph alone."""
    return Workspace()


def sample_neighbors(graph: Graph, given: Samples) -> Answer:
    """Drawn edges; see ``clew.sample_neighbors``."""
    return grow(np, given, given.sources, partial(draw, graph, given, in_parallel), number)


def in_parallel(kernel: Each, size: int, *args: Any) -> None:
    """Run a kernel on all threads, if there is enough to do."""
    parts = threads.pieces(size, GRAIN)
    threads.each(kernel, parts, parts, *args)


def draw(
    graph: Graph, given: Samples, each: Each, vertices: Array, hop: int, fanout: int
) -> tuple[Array, Array, Array]:
    """As ``Draw``; ``each`` runs a kernel over this many items."""
    rows = graph.incoming if graph.directed else graph.outgoing
    counts, places = picked(rows, given, each, vertices, vertices, hop, fanout)
    neighbors = rows.indices[places].astype(np.int64)
    if not graph.directed:
        return counts, neighbors, places
    edges, both = np.empty_like(places), (rows.unsigned(), graph.outgoing.unsigned())
    each(kernels.out_places, places.size, *both, places, np.repeat(vertices, counts), edges)
    return counts, neighbors, edges


def picked(
    rows: Adjacency, given: Samples, each: Each, vertices: Array, ids: Array, hop: int, fanout: int
) -> tuple[Array, Array]:
    """How many edges were drawn for every vertex, and where they are in the rows; ``ids`` select the random numbers."""
    weights, bare = rows.weights if given.weighted else None, rows.unsigned()
    able = (rows.indptr[vertices + 1] - rows.indptr[vertices]).astype(np.int64)
    if weights is not None:
        able[:] = 0
        each(kernels.count_positive, vertices.size, bare, weights, vertices, able)
    counts = drawn_of(able, fanout, replace=given.replace)
    ends = np.concatenate([[0], np.cumsum(counts)])
    places = np.empty(ends[-1], np.int64)
    keys = np.empty(places.size if given.weighted else 0)
    numbers = (np.uint64(bits(given.key, np.uint64(hop))), given.replace and fanout >= 0, able, ends, places, keys)
    each(kernels.pick, vertices.size, bare, weights, vertices, ids, *numbers)
    return counts, places


def drawn_of(able: Any, fanout: int, *, replace: bool) -> Any:
    """How many edges are drawn, given how many can be."""
    if fanout < 0:
        return able
    return (able > 0) * fanout if replace else able.clip(max=fanout)


def number(known: Array, ids: Array) -> tuple[Array, Array]:
    """As ``Number``, by a hash table."""
    size = known.size + ids.size
    table = np.full(1 << max(4, (2 * size).bit_length()), kernels.EMPTY)
    node, found = np.empty(size, np.int64), np.empty(ids.size, np.int64)
    count = kernels.number(known, ids, table, np.empty_like(table), node, found)
    return node[:count], found
