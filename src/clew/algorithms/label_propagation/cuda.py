"""Label propagation on the GPU: memory for the kernel, and its answer as arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.algorithms.label_propagation import summary
from clew.algorithms.registry import Answer
from clew.engines.cuda.balance.launches import clear_steps, share_of
from clew.engines.cuda.balance.symmetric_rows import symmetric_rows
from clew.engines.cuda.toolchain.device import GRID_BARRIER_WORDS, Device
from clew.graph import Graph
from clew.result import TRACED_ROUNDS
from clew.workspace import Workspace, result, scratch

THREADS = 512
EDGES_PER_LAUNCH = 1 << 33  # then the host checks for Ctrl-C
TABLES_BYTES = 256 << 20  # for the tables of rows too long for shared memory, but one of them at least
CONTROL = np.dtype([("steps", "u4", 9), ("rounds", "u4"), ("changed", "u4"), ("selected", "u4")])  # then the barrier


def workspace(graph: Graph, max_iterations: int) -> Workspace:
    """The arrays of a run. The tables of long rows are at most so large; the longest row and the device say how large.

    Either of ``label`` and ``other_label`` is the result.
    """
    n, ids, edges = graph.num_vertices, graph.outgoing.id_dtype, graph.num_arcs * (2 if graph.directed else 1)
    return Workspace(
        label=result(n, ids),
        other_label=scratch(n, ids),
        awake=scratch(n, np.uint8),
        queues=scratch(2 * n, ids),
        tables=scratch(min(TABLES_BYTES, 2 * edges * (ids.itemsize + 4)), np.uint8, later=True),
        changes=scratch(min(max_iterations, TRACED_ROUNDS), np.int64),
    )


def label_propagation(device: Device, graph: Graph, max_iterations: int, **constants: int) -> Answer:
    """At most ``max_iterations`` rounds; fewer if a round changes nothing."""
    n = graph.num_vertices
    rows = symmetric_rows(device, graph, directory=True)
    if n == 0 or max_iterations == 0:
        settled = n == 0 and max_iterations > 0
        label = device.upload(np.arange(n, dtype=rows.ids))
        return summary(device.xp, label, int(settled), settled, {"changed": np.zeros(int(settled), np.int64)})
    slots = constants.get("SLOTS", _slots(rows.ids))
    kernel = device.kernel("labels.cuh", "propagate", {**rows.defines, "SLOTS": slots, **constants})
    work = workspace(graph, max_iterations).allocate(device)
    even, odd, trace = work.label, work.other_label, work.changes
    control = device.zeros(CONTROL.itemsize + 4 * GRID_BARRIER_WORDS, np.uint8)
    tables = _tables(device, device.resident_blocks(kernel, THREADS), rows.largest_degree(), slots, rows.ids)
    used = (even, odd, work.awake, work.queues, *tables, trace, np.uint32(trace.size), control)
    edges = share_of(EDGES_PER_LAUNCH, *rows.rows)
    left, most = max_iterations, max(1, edges // (graph.num_arcs + n))
    while True:
        turns = np.uint32(min(left, most))
        device.launch_cooperative(kernel, THREADS, np.uint64(n), *rows.arguments, turns, *used)
        progress = device.download(control)[: CONTROL.itemsize].view(CONTROL)[0]
        left -= int(turns)
        if progress["changed"] == 0 or left == 0:
            break
        clear_steps(control, CONTROL)
    rounds = int(progress["rounds"])
    label, changes = odd if rounds % 2 else even, device.download(trace[:rounds])
    return summary(device.xp, label, rounds, bool(progress["changed"] == 0), {"changed": changes})


def _slots(index: np.dtype[Any]) -> int:
    """Places of a block's table: what fits into 48 KiB of shared memory."""
    return 4096 if index.itemsize == 4 else 2048


def _tables(device: Device, blocks: int, longest: int, slots: int, index: np.dtype[Any]) -> tuple[Any, ...]:
    """Labels and votes of tables in global memory, how many there are, and their places."""
    places = 1 << max(1, (2 * longest - 1).bit_length())
    if places <= slots:
        return device.empty(1, index), device.empty(1, np.uint32), np.uint32(0), np.uint64(0)
    tables = max(1, min(blocks, TABLES_BYTES // (places * (index.itemsize + 4))))
    labels, votes = device.empty(tables * places, index), device.empty(tables * places, np.uint32)
    return labels, votes, np.uint32(tables), np.uint64(places)
