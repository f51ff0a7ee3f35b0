"""Parents made of the values of a search: tight edges (tight.cuh), and cycles among the edges that offer least."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.algorithms.paths.cuda import DEFAULT, Search
from clew.dtypes import Array
from clew.engines.cuda.balance.frontiers import BALANCES
from clew.engines.cuda.toolchain.device import GRID_BARRIER_WORDS, blocks_for

LEVELS_PER_LAUNCH = 1 << 12  # then the host has a look, so that Ctrl-C is heard
EDGES_PER_THREAD = 8


def tree_of_tight_edges(search: Search, *, breadth_first: bool) -> Any:
    """Parents that depend on nothing but the graph: a tree of edges that attain their end's value.

    ``breadth_first`` takes the smallest vertex of the earliest level, as every engine does where parents are to be
    the same. Without it, and where no weight is negative, one pass over all edges does for most vertices.
    """
    device, n = search.device, search.n
    index = np.dtype(search.rows.neighbours.dtype)
    parents = device.full(n, -1, index)
    unsigned = parents.view(f"u{index.itemsize}")
    source = index.type(search.source)
    if not breadth_first:
        _over_edges(search, "tight_rising", source, unsigned)
    levels = device.empty(n, np.uint32)
    state, barrier = device.zeros(5, np.uint64), device.zeros(GRID_BARRIER_WORDS, np.uint32)
    kernel = device.kernel("shortest_path_tree.cuh", "tight_levels", _defines(search))
    while True:
        device.launch_cooperative(
            kernel,
            256,
            *_shared(search),
            source,
            unsigned,
            levels,
            *search.queues,
            np.uint64(LEVELS_PER_LAUNCH),
            state,
            barrier,
        )
        level, *sizes = device.download(state)[:4].tolist()
        if level > 1 and sizes[level % 3] == 0:
            return parents


def cycle_of_least_offers(search: Search) -> list[int]:
    """The vertices of a cycle whose edges each offer their end no more than it has, in order; none if there is none."""
    device, n = search.device, search.n
    index = np.dtype(search.rows.neighbours.dtype)
    key = np.dtype(f"u{search.problem.value.itemsize}")
    best = device.full(n, np.iinfo(key).max, key)
    parents = device.full(n, -1, index)
    _over_edges(search, "least_offers", best)
    _over_edges(search, "least_parents", best, index.type(search.source), parents.view(f"u{index.itemsize}"))
    # Follow parents n steps and more, by doubling; whoever has a parent even there is on a cycle.
    vertices = device.xp.arange(n, dtype=index)
    above = device.xp.where(parents >= 0, parents, vertices)
    for _ in range(max(1, n.bit_length())):
        above = above[above]
    on_cycle = above[parents[above] >= 0]
    if on_cycle.size == 0:
        return []
    return _cycle_through(int(on_cycle.min()), device.download(parents))


def _cycle_through(vertex: int, parent: Array) -> list[int]:
    """The cycle of parents through ``vertex``, in the order of its edges, from its smallest vertex on."""
    backwards = [vertex]
    while (above := int(parent[backwards[-1]])) != vertex:
        backwards.append(above)
    cycle = backwards[::-1]
    first = cycle.index(min(cycle))
    return cycle[first:] + cycle[:first]


def _defines(search: Search) -> dict[str, Any]:
    """The search's macros, but for how it shares its own edges: whatever that is, these kernels go by ranks."""
    return {**search.defines, "BALANCE": BALANCES["merge_path"], "CUT": 0, "UNROLL": DEFAULT.unroll, "THREADS": 256}


def _shared(search: Search) -> tuple[Any, ...]:
    """The arguments that all kernels of tight.cuh begin with."""
    rows = search.rows
    size = np.uint64(search.n), np.uint64(rows.num_arcs)
    unreached = search.problem.value.type(search.problem.unreached)
    return rows.offsets, *rows.edges, *size, search.words, unreached


def _over_edges(search: Search, name: str, *args: Any) -> None:
    kernel = search.device.kernel("shortest_path_tree.cuh", name, _defines(search))
    blocks = blocks_for(search.device, search.rows.num_arcs // EDGES_PER_THREAD, 256)
    search.device.launch(kernel, blocks, 256, *_shared(search), *args)
