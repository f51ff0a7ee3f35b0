"""Core numbers on the GPU: memory for the kernel."""

from __future__ import annotations

import numpy as np

from clew.algorithms.k_core import core_dtype, summary
from clew.algorithms.registry import Answer
from clew.engines.cuda.balance.launches import control_of
from clew.engines.cuda.balance.symmetric_rows import symmetric_rows
from clew.engines.cuda.toolchain.device import Device
from clew.engines.cuda.toolchain.source import ctype
from clew.graph import Graph
from clew.workspace import Workspace, result, scratch

STEPS_PER_LAUNCH = 1 << 15  # as steps.cuh counts; then the host checks for Ctrl-C
#: As in k_core.cuh.
CONTROL = control_of(("begun", "turn", "level", "kept", "stop", "waiting", "done"), counters=4)


def workspace(graph: Graph) -> Workspace:
    """The arrays of a run."""
    n, ids = graph.num_vertices, graph.outgoing.id_dtype
    lists = {name: scratch(n, ids) for name in ("queue", "listed", "left", "other_left")}
    return Workspace(core=result(n, core_dtype(graph)), **lists)


def k_core(device: Device, graph: Graph, **constants: int) -> Answer:
    """The core number of every vertex.

    ``constants`` (SHORT_ROW, LONG_ROW, CHAIN) replace the kernel's, to measure them.
    """
    work = workspace(graph).allocate(device)
    if graph.num_vertices:
        defines = {"core_t": ctype(core_dtype(graph)), **constants}
        largest = np.uint32(min(2**32 - 2, graph.num_arcs * (1 + graph.directed)))
        used = (work.core, work.queue, work.listed, work.left, work.other_left)
        search = ("k_core.cuh", "cores", defines, CONTROL, STEPS_PER_LAUNCH)
        symmetric_rows(device, graph).launch_until_done(device, *search, largest, *used)
    return summary(work.core, device.download(device.xp.bincount(work.core)))
