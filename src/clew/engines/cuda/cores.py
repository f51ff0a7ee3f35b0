"""Core numbers on the GPU: memory for the kernel."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.dtypes import MAX_INT32_VERTICES
from clew.engines.cuda.both_ways import both_ways, few_blocks
from clew.engines.cuda.device import Device, index_defines
from clew.engines.cuda.launches import control_of, launch_until_done, share_of
from clew.engines.cuda.source import Program
from clew.graph import Graph

THREADS = 512
STEPS_PER_LAUNCH = 1 << 15  # as steps.cuh counts; then the host has a look, so that Ctrl-C is heard
#: As in cores.cuh.
CONTROL = control_of(("begun", "turn", "level", "kept", "stop", "waiting", "done"), counters=4)


def k_core(device: Device, graph: Graph, **constants: int) -> Any:
    """The core number of every vertex.

    ``constants`` (SHORT_ROW, LONG_ROW, CHAIN) replace the kernel's, to measure them.
    """
    n = graph.num_vertices
    rows = both_ways(device, graph)
    # A degree is below n; in- and out-degree together are below 2n.
    wide = graph.indices.dtype == np.int64 or (graph.directed and 2 * n > MAX_INT32_VERTICES)
    core = device.empty(n, np.int64 if wide else np.int32)
    if n == 0:
        return core
    defines = {**rows.defines, "core_t": "long long" if wide else "int", **constants}
    queue, listed, left, other_left = (device.empty(n, rows.ids) for _ in range(4))
    steps = np.int32(share_of(STEPS_PER_LAUNCH, *rows.rows))
    kernel = device.kernel("cores.cuh", "cores", defines)
    largest = np.uint32(min(2**32 - 2, graph.num_arcs * (1 + graph.directed)))
    given = (np.uint64(n), *rows.arguments, largest, steps)
    used = (core, queue, listed, left, other_left)
    launch_until_done(
        device,
        CONTROL,
        lambda control: device.launch_cooperative(kernel, THREADS, *given, *used, control, most=few_blocks(n)),
    )
    return core


VARIANTS = [
    Program.of("cores.cuh", {**index_defines(np.dtype(index), arcs), "core_t": core})
    for index, arcs, core in ((np.int32, 0, "int"), (np.int64, 1 << 32, "long long"))
]
