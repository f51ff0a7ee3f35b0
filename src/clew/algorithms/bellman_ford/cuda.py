"""Bellman-Ford on a GPU: the search of the shortest paths with everything near, and the report of a negative cycle.

Without a negative cycle there are at most as many rounds as vertices, and no sum falls below the largest weight times
that number. A search for a cycle runs long before that, after every pass over as many edges as the graph has. It
follows the edges that offer their ends least. A cycle whose sum is below 0 is the answer.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from clew.algorithms.bellman_ford import cycle_through, negative_cycle
from clew.algorithms.bellman_ford.cpu import bellman_ford as search
from clew.algorithms.paths.cuda import Search
from clew.algorithms.paths.cuda_problem import DEFAULT, Problem, Tuning, path_space, weight_facts
from clew.algorithms.registry import Answer
from clew.engines.cuda.balance.frontiers import NO_LIMIT
from clew.engines.cuda.memory.device_rows import DeviceRows
from clew.engines.cuda.memory.packed_rows import edges_on
from clew.engines.cuda.toolchain.device import Device
from clew.graph import Graph
from clew.workspace import Workspace


def workspace(graph: Graph) -> Workspace:
    """The arrays of a search over a graph with weights. Integers are summed in 32 bits where they fit."""
    dtype = graph.outgoing.weight_dtype
    assert dtype is not None
    return path_space(graph, "distance", *((dtype, dtype) if dtype.kind == "f" else (np.int64, np.int32)))


def bellman_ford(
    device: Device, graph: Graph, source: int, *, deterministic: bool = False, tuning: Tuning = DEFAULT
) -> Answer:
    """Shortest paths over any weights whose sums the caller knows to fit: int64, or the weights' floats."""
    rows = edges_on(device, graph.outgoing)
    n = graph.num_vertices
    search = Search(device, rows, source, any_sums(device, rows), tuning)
    negative = weight_facts(device, rows).smallest < 0
    between = limit = max(n, graph.num_arcs) if negative else NO_LIMIT
    while True:
        state = search.run(relaxed_limit=limit)
        if search.is_done(state):
            break
        cycle = cycle_of_least_offers(search)
        if cycle and _sum_along(graph, cycle) < 0:
            raise negative_cycle(graph, cycle)
        if search.step - 1 > n or search.has_diverged(state):
            return _on_cpu(device, graph, source, deterministic)
        between *= 2  # so that all checks together cost no more than the search
        limit = int(state["relaxed"]) + between
    answer = search.answer("distance", deterministic=deterministic, negative=negative)
    return replace(answer, iterations=search.step - 1)


def any_sums(device: Device, rows: DeviceRows) -> Problem:
    """Sums of weights of either sign: in 32 bits where even those round a cycle that is not yet noticed fit."""
    dtype = rows.weight_dtype
    if dtype.kind == "f":
        return Problem(dtype, False, 0, 0, -np.inf, np.inf, dtype, np.inf, np.inf)
    facts = weight_facts(device, rows)
    reach = max(abs(int(facts.smallest)), abs(int(facts.largest))) * rows.num_vertices
    small, largest = np.iinfo(np.int32).max, np.iinfo(np.int64).max
    fits = 4 * reach < small
    value, unreached = (np.dtype(np.int32), small) if fits else (np.dtype(np.int64), largest)
    return Problem(value, False, 0, 0, -reach, unreached, np.dtype(np.int64), largest, np.inf)


def cycle_of_least_offers(search: Search) -> list[int]:
    """A cycle whose edges each offer their end no more than its value, in order; empty if there is none."""
    device, n, index = search.device, search.n, search.index
    key = np.dtype(f"u{search.problem.value.itemsize}")
    best, parents = device.full(n, np.iinfo(key).max, key), device.full(n, -1, index)
    search.over_edges("least_offers", best)
    search.over_edges("least_parents", best, search.source, parents.view(f"u{index.itemsize}"))
    # Follow parents n steps or more, by doubling. A vertex that still has a parent there is on a cycle.
    above = device.xp.where(parents >= 0, parents, device.xp.arange(n, dtype=index))
    for _ in range(max(1, n.bit_length())):
        above = above[above]
    on_cycle = above[parents[above] >= 0]
    return [] if on_cycle.size == 0 else cycle_through(int(on_cycle.min()), device.download(parents))


def _sum_along(graph: Graph, cycle: list[int]) -> Any:
    """The sum of a cycle's weights, by the lightest of parallel edges."""
    rows, weights = graph.outgoing, graph.outgoing.stored_weights
    assert weights is not None
    total: Any = 0
    for u, v in zip(cycle, [*cycle[1:], cycle[0]], strict=True):
        total += weights[rows.indptr[u] : rows.indptr[u + 1]][rows.row(u) == v].min().item()
    return total


def _on_cpu(device: Device, graph: Graph, source: int, deterministic: bool) -> Answer:
    """There is a negative cycle, or floats round as if there were: the CPU's search says which."""
    found = search(graph, source, deterministic=deterministic)
    return replace(found, values={name: device.upload(array) for name, array in found.values.items()})
