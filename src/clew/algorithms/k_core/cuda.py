"""Core numbers on the GPU: memory for the kernel."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.algorithms.k_core import core_dtype, summary
from clew.algorithms.registry import Answer
from clew.engines.cuda.balance.launches import control_of, launch_until_done, share_of
from clew.engines.cuda.balance.symmetric_rows import few_blocks, symmetric_rows
from clew.engines.cuda.toolchain.device import Device, index_defines
from clew.engines.cuda.toolchain.source import KernelSource, ctype
from clew.graph import Graph
from clew.workspace import Workspace, result, scratch

THREADS = 512
STEPS_PER_LAUNCH = 1 << 15  # as steps.cuh counts; then the host has a look, so that Ctrl-C is heard
#: As in k_core.cuh.
CONTROL = control_of(("begun", "turn", "level", "kept", "stop", "waiting", "done"), counters=4)


def workspace(graph: Graph) -> Workspace:
    """The arrays of a run."""
    n, ids = graph.num_vertices, graph.indices.dtype
    lists = {name: scratch(n, ids) for name in ("queue", "listed", "left", "other_left")}
    return Workspace(core=result(n, core_dtype(graph)), **lists)


def k_core(device: Device, graph: Graph, **constants: int) -> Answer:
    """The core number of every vertex.

    ``constants`` (SHORT_ROW, LONG_ROW, CHAIN) replace the kernel's, to measure them.
    """
    work = workspace(graph).allocate(device)
    if graph.num_vertices:
        _peel(device, graph, work, constants)
    return summary(work.core, device.download(device.xp.bincount(work.core)))


def _peel(device: Device, graph: Graph, work: Any, constants: dict[str, int]) -> None:
    rows = symmetric_rows(device, graph)
    defines = {**rows.defines, "core_t": ctype(core_dtype(graph)), **constants}
    steps = np.int32(share_of(STEPS_PER_LAUNCH, *rows.rows))
    kernel = device.kernel("k_core.cuh", "cores", defines)
    largest = np.uint32(min(2**32 - 2, graph.num_arcs * (1 + graph.directed)))
    given = (np.uint64(graph.num_vertices), *rows.arguments, largest, steps)
    used = (work.core, work.queue, work.listed, work.left, work.other_left)
    most = few_blocks(graph.num_vertices)
    launch_until_done(
        device,
        CONTROL,
        lambda control: device.launch_cooperative(kernel, THREADS, *given, *used, control, most=most),
    )


VARIANTS = [
    KernelSource.of("k_core.cuh", {**index_defines(np.dtype(index), arcs), "core_t": core})
    for index, arcs, core in ((np.int32, 0, "int"), (np.int64, 1 << 32, "long long"))
]
