"""Parents made of values, for searches that keep none: as tight.py does, over a graph in chunks."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.engines.cuda.outofcore.loop import THREADS
from clew.engines.cuda.outofcore.paths import Search

TIGHT = "chunk_tight.cuh"


def tree_of_tight_edges(search: Search) -> Any:
    """Parents that depend on nothing but the graph: the smallest over edges from smaller values.

    That is one pass over all edges. Who can be reached from equal values only (over weights of 0) gets a parent breadth
    first, in more passes.
    """
    device, n, index = search.device, search.n, search.rows.index
    parents = device.full(n, -1, index)
    unsigned = parents.view(f"u{index.itemsize}")
    source = index.type(search.source)
    values = (search.keys, search.unreached)
    rising = search.kernel("chunk_rising", TIGHT)

    def rise(blocks: int, head: tuple[Any, ...]) -> None:
        device.launch(rising, blocks, THREADS, *head, *values, source, unsigned)

    moved = search.passes.over(rise)
    search.steps.add(0, n, search.rows.num_arcs, moved)
    levels = device.empty(n, np.uint32)
    given = (np.uint64(n), *values, source, unsigned, levels, search.bits, search.told)
    search.launch("chunk_orphans", n, *given, file=TIGHT)
    orphans = int(search.read()["orphans"])
    search.steps.close()
    number = 1
    step = search.kernel("chunk_level", TIGHT)
    while orphans > 0:
        told, listed = search.select(waits=False)
        if told["count"] == 0:
            break
        level = (unsigned, levels, search.bits, np.uint32(number))

        def reach(blocks: int, head: tuple[Any, ...], level: tuple[Any, ...] = level) -> None:
            device.launch(step, blocks, THREADS, *head, *values, *level)

        moved = search.passes.over(reach, listed)
        search.steps.add(0, int(told["count"]), int(told["edges"]), moved)
        number += 1
    return parents
