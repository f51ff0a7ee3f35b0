"""Maximum flows on a GPU: excess is pushed to the sink, and what does not get there back to the source."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.algorithms.flows.cpu import Flow, flow_of, residual_network
from clew.dtypes import as_bits, id_dtype
from clew.engines.cuda.balance.launches import clear_steps, control_of, share_of
from clew.engines.cuda.memory.device_graph import rows_on
from clew.engines.cuda.toolchain.device import Device
from clew.engines.cuda.toolchain.source import ctype
from clew.graph import Graph
from clew.workspace import Space, Workspace, scratch

FILE = "push_relabel.cuh"
THREADS = 512
STEPS_PER_LAUNCH = 1 << 15  # as steps.cuh counts; then the host checks for Ctrl-C
LEAST_WAVES = 64  # between two searches, or as many as the last search had levels: both take about as long
#: As in push_relabel.cuh.
CONTROL = control_of(("level", "stop", "waiting", "done"), counters=2)


def space(graph: Graph, **results: Space) -> Workspace:
    """The arrays of a run: the results, and those of the search."""
    n, m, ids = graph.num_vertices, graph.num_edges, graph.outgoing.id_dtype
    return Workspace(
        **results,
        left=scratch(2 * m, np.int64, later=True),
        rows=scratch(2 * m * ids.itemsize if graph.directed else 0, np.uint8, later=True),
        codes=scratch(2 * m, id_dtype(2 * m), later=True),
        excess=scratch(n, np.int64, later=True),
        height=scratch(n, ids),
        lists=scratch(3 * n, ids),
        stamp=scratch(n, np.uint32, 0),
    )


def maximum_flow(device: Device, graph: Graph, source: int, sink: int) -> Flow:
    """As much as can flow; as in ``flows.cpu``, with arrays on the host."""
    network = residual_network(graph)
    work, n = space(graph).allocate(device), graph.num_vertices
    excess = np.zeros(n, network.left.dtype)
    out = slice(int(network.rows.indptr[source]), int(network.rows.indptr[source + 1]))
    codes = network.codes[out]  # what leaves the source is pushed at once
    np.add.at(excess, network.rows.indices[out], network.left[codes])
    network.left[codes ^ 1] += network.left[codes]
    network.left[codes] = 0
    there, rows = device.upload(network.left), rows_on(device, network.rows, weights=False)
    codes = device.upload(as_bits(network.codes))
    defines = {name: rows.defines[name] for name in ("index_t", "offset_t")}
    defines.update(code_t=ctype(codes.dtype), amount_t=ctype(there.dtype))
    search = _Search(device, defines, (np.uint64(n), rows.offsets, rows.neighbours, codes, there, work.height), work)
    search.steps = share_of(STEPS_PER_LAUNCH, rows)
    search.excess = device.upload(excess)
    ends = rows.id_dtype.type(source), rows.id_dtype.type(sink)
    search.push_to(sink, ends)
    side = device.download(work.height == n)  # before the rest goes back
    search.push_to(source, ends)
    return flow_of(graph, device.download(there), source, side, search.searches)


class _Search:
    """A network on the device, and how far the search for its maximum flow has come."""

    excess: Any
    steps: int

    def __init__(self, device: Device, defines: dict[str, Any], network: tuple[Any, ...], work: Any) -> None:
        self.device, self.network, self.work = device, network, work
        self.measure, self.push = (device.kernel(FILE, name, defines) for name in ("measure", "push_waves"))
        self.waves = self.searches = 0

    def push_to(self, target: int, ends: tuple[Any, Any]) -> None:
        """Push excess until no vertex that has some can reach the target. ``ends`` are source and sink."""
        while True:
            levels = self._measured(target)
            most = max(LEAST_WAVES, levels)
            given = (self.excess, *ends, np.uint32(self.waves), np.uint32(most), self.work.stamp, self.work.lists)
            memory = self.device.zeros(CONTROL.itemsize, np.uint8)
            self._launch(self.push, *given, memory)
            progress = self.device.download(memory).view(CONTROL)[0]  # waits, and then Python looks for signals
            self.waves += int(progress["level"])
            if not progress["waiting"]:
                return

    def _measured(self, target: int) -> int:
        """Make heights distances to the target; the number of levels."""
        height, lists, n = self.work.height, self.work.lists, int(self.work.height.size)
        height.fill(n)
        height[target] = 0
        lists[0] = target
        control = np.zeros(1, CONTROL)
        control["waiting"] = 1
        memory = self.device.upload(control.view(np.uint8))
        self.searches += 1
        while True:
            self._launch(self.measure, lists[:n], lists[n:], memory)
            progress = self.device.download(memory).view(CONTROL)[0]
            if progress["done"]:
                return int(progress["level"])
            clear_steps(memory, CONTROL)

    def _launch(self, kernel: Any, *given: Any) -> None:
        most = max(1, -(-int(self.work.height.size) // 32))
        self.device.launch_cooperative(kernel, THREADS, *self.network, np.int32(self.steps), *given, most=most)
