"""Spanning forests on a GPU: Borůvka's rounds over a list of the edges between different trees."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.algorithms.registry import Answer
from clew.dtypes import Array
from clew.engines.cuda.balance.edge_numbers import first_edges
from clew.engines.cuda.balance.launches import launch_over
from clew.engines.cuda.memory.device_graph import rows_on
from clew.engines.cuda.toolchain.device import Device
from clew.engines.retry import retried
from clew.graph import Graph
from clew.workspace import Workspace, result, scratch

FILE = "spanning_forest.cuh"
MOST_ROUNDS = 64  # the number of trees with an edge to another one halves in each


def workspace(graph: Graph) -> Workspace:
    """The arrays of a run: two lists of edges, and of every tree its best edge."""
    n, m, ids = graph.num_vertices, graph.num_edges, graph.outgoing.id_dtype
    size = _edge_bytes(graph)
    return Workspace(
        member=result(m, np.bool_, 0),
        first=scratch(n + 1, np.uint32, later=True) if not graph.directed else None,
        edges=scratch(m * size, np.uint8),
        kept=scratch(m * size, np.uint8),
        parent=scratch(n, ids),
        best=scratch(n, np.uint64),
        numbers=scratch(n, np.uint64) if not _one_word(graph) else None,
        counts=scratch(MOST_ROUNDS, np.uint64, 0),
    )


def minimum_spanning_forest(device: Device, graph: Graph, maximum: bool) -> Answer:
    """The edges of least or largest total weight; see ``clew.minimum_spanning_forest``."""
    n, m = graph.num_vertices, graph.num_edges
    rows = rows_on(device, graph.outgoing, weights=graph.weights is not None)
    first, work = first_edges(device, rows, directed=graph.directed), workspace(graph).allocate(device)
    defines = {**rows.defines, "SHORT_KEYS": int(_short_keys(graph))}
    rounds = 0
    if m:
        work.best.fill(~np.uint64(0))
        listed = (np.uint64(n), np.uint64(m), *rows.arrays, first, np.int32(maximum), work.parent)
        launch_over(device, FILE, "list_edges", defines, max(m, n), *listed, work.kept, work.counts[:1], work.best)
    while count := int(device.download(work.counts[rounds : rounds + 1])[0]):
        rounds += 1
        size, (work.edges, work.kept) = np.uint64(count), (work.kept, work.edges)
        chosen = work.best
        if work.numbers is not None:
            chosen = work.numbers
            chosen.fill(~np.uint64(0))
            launch_over(device, FILE, "offer_numbers", defines, count, size, work.edges, work.best, chosen)
        launch_over(device, FILE, "join_trees", defines, count, size, work.edges, chosen, work.parent, work.member)
        work.best.fill(~np.uint64(0))
        kept = (work.parent, work.kept, work.counts[rounds : rounds + 1], work.best)
        launch_over(device, FILE, "keep_outer_edges", defines, count, size, work.edges, *kept)

    @retried
    def facts() -> dict[str, Any]:
        weights = _chosen_weights(device, graph, work.member)
        size = int(work.member.sum())
        return {"weight": size if weights is None else weights.sum().item(), "trees": n - size}

    return Answer({"member": work.member}, facts, iterations=max(1, rounds))


def _chosen_weights(device: Device, graph: Graph, member: Any) -> Array | None:
    """The weights of the edges in the forest, in their order."""
    if graph.weights is None:
        return None
    rows, xp = rows_on(device, graph.outgoing), device.xp
    place = xp.flatnonzero(member)
    if not graph.directed:  # the edges of a vertex are the last ones of its row
        ends = first_edges(device, rows, directed=False)[1:].astype(np.int64)
        source = xp.searchsorted(ends, place, side="right")
        place = rows.offsets[source + 1].astype(np.int64) - (ends[source] - place)
    weights: Array = device.download(rows.weights[place])
    return weights


def _short_keys(graph: Graph) -> bool:
    """Whether the key of a weight and the number of an edge have 32 bits."""
    return graph.weights is not None and graph.weights.itemsize <= 4 and graph.num_edges < 2**32


def _one_word(graph: Graph) -> bool:
    return graph.weights is None or _short_keys(graph)


def _edge_bytes(graph: Graph) -> int:
    """The size of ``Edge`` in spanning_forest.cuh."""
    return 2 * int(graph.outgoing.id_dtype.itemsize) + (8 if _one_word(graph) else 16)
