"""Topological order on a GPU: vertices follow their out-edges when all their in-edges have been followed."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.algorithms.registry import Answer
from clew.algorithms.topological_order import ordered
from clew.engines.cuda.balance.launches import clear_steps, control_of, share_of
from clew.engines.cuda.memory.device_graph import rows_on
from clew.engines.cuda.toolchain.device import Device, stable_order
from clew.graph import Graph
from clew.workspace import Workspace, result, scratch

THREADS = 512
STEPS_PER_LAUNCH = 1 << 15  # as steps.cuh counts; then the host checks for Ctrl-C
#: As in generations.cuh.
CONTROL = control_of(("begun", "stop", "waiting", "done"), counters=2)


def workspace(graph: Graph) -> Workspace:
    """The arrays of a run."""
    n, ids = graph.num_vertices, graph.outgoing.id_dtype
    return Workspace(
        position=result(n, np.int64),
        generation=result(n, np.int64, 0),
        order=scratch(n, np.int64, later=True),
        missing=scratch(n, np.uint32, 0),
        queue=scratch(n, ids),
        listed=scratch(n, ids),
    )


def topological_order(device: Device, graph: Graph, **constants: int) -> Answer:
    """Every edge leads to a later vertex; see ``clew.topological_order``.

    ``constants`` (SHORT_ROW, LONG_ROW) replace the kernel's, to measure them.
    """
    xp, n, work = device.xp, graph.num_vertices, workspace(graph).allocate(device)
    rows = rows_on(device, graph.outgoing, weights=False)
    if n == 0:
        return ordered(graph, np.zeros(0, np.int64))
    work.missing[...] = xp.bincount(rows.neighbours, minlength=n)
    defines = {**{name: rows.defines[name] for name in ("index_t", "offset_t")}, **constants}
    kernel, memory = device.kernel("generations.cuh", "follow_edges", defines), device.zeros(CONTROL.itemsize, np.uint8)
    edges = (np.uint64(n), rows.offsets, rows.neighbours, np.int32(share_of(STEPS_PER_LAUNCH, rows)))
    used = (work.generation, work.missing, work.queue, work.listed)
    while True:
        device.launch_cooperative(kernel, THREADS, *edges, *used, memory, most=max(1, -(-n // 32)))
        if device.download(memory).view(CONTROL)[0]["done"]:  # waits, and then Python looks for signals
            break
        clear_steps(memory, CONTROL)
    left = work.missing > 0
    if bool(left.any()):
        return ordered(graph, np.where(device.download(left), -1, 0))  # which finds the cycle
    order = stable_order(work.generation)
    work.position[order] = xp.arange(n)
    count = int(work.generation.max()) + 1

    def facts() -> dict[str, Any]:
        return {"order": device.download(order), "generations": count}

    return Answer({"position": work.position, "generation": work.generation}, facts, iterations=count)
