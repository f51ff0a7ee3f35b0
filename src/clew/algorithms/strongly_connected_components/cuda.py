"""Strongly connected components on a GPU: signatures over a list of the edges that may lie in a component."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.algorithms.connected_components import summary
from clew.algorithms.connected_components.cuda import component_sizes, connected_components
from clew.algorithms.connected_components.cuda import workspace as space_of_components
from clew.algorithms.registry import Answer
from clew.engines.cuda.balance.launches import clear_steps, control_of, launch_over, share_of
from clew.engines.cuda.memory.device_graph import rows_on
from clew.engines.cuda.toolchain.device import Device
from clew.engines.retry import retried
from clew.graph import Graph
from clew.workspace import Workspace, result, scratch

FILE = "strong_components.cuh"
THREADS = 512
STEPS_PER_LAUNCH = 1 << 16  # as steps.cuh counts; then the host checks for Ctrl-C
#: As in strong_components.cuh.
CONTROL = control_of(("done",), counters=1)


def workspace(graph: Graph) -> Workspace:
    """The arrays of a run: two lists of edges, and both signatures of every vertex."""
    if not graph.directed:
        return space_of_components(graph)
    n, m, ids = graph.num_vertices, graph.num_arcs, graph.outgoing.id_dtype
    return Workspace(
        label=result(n, ids),
        before=scratch(n, f"u{ids.itemsize}"),
        after=scratch(n, f"u{ids.itemsize}"),
        arcs=scratch(2 * m, ids),
        kept=scratch(2 * m, ids),
        sizes=scratch(n, f"u{ids.itemsize}", later=True),
    )


def strongly_connected_components(device: Device, graph: Graph) -> Answer:
    """Components along the edges' directions; of an undirected graph, the connected components."""
    if not graph.directed:
        return connected_components(device, graph)
    label, rounds = strong_labels(device, graph)

    @retried
    def facts() -> dict[str, Any]:
        return dict(summary(label, component_sizes(device, label)).facts)

    return Answer({"label": label}, facts, iterations=max(1, rounds))


def strong_labels(device: Device, graph: Graph) -> tuple[Any, int]:
    """The smallest vertex in the strong component of each vertex, and the number of rounds that took."""
    rows, work = rows_on(device, graph.outgoing, weights=False), workspace(graph).allocate(device)
    n, m, rounds = graph.num_vertices, graph.num_arcs, 0
    if n == 0:
        return work.label, rounds
    defines = {name: rows.defines[name] for name in ("index_t", "offset_t")}
    vertices, found, count = np.uint64(n), device.zeros(1, np.uint64), 0
    signatures = (work.before, work.after)
    listed = (rows.offsets, rows.neighbours, *signatures, work.label, work.kept, found)
    launch_over(device, FILE, "list_arcs", defines, max(n, m), vertices, np.uint64(m), *listed)
    while True:
        count = int(device.download(found)[0])
        found.fill(0)
        work.arcs, work.kept = work.kept, work.arcs
        arcs = (vertices, np.uint64(count), work.arcs)
        if count:
            rounds += 1
            _spread(device, arcs, signatures, share_of(STEPS_PER_LAUNCH, rows), defines)
        kept = (*signatures, work.label, work.kept, found)
        launch_over(device, FILE, "keep_inner_arcs", defines, max(n, count), *arcs, *kept)
        if not count:  # every vertex that is left is a component
            break
        launch_over(device, FILE, "begin_again", defines, n, vertices, *signatures, work.label)
    smallest = work.before.view(work.label.dtype)
    smallest.fill(np.iinfo(work.label.dtype).max)
    launch_over(device, FILE, "find_smallest", defines, n, vertices, work.label, smallest)
    launch_over(device, FILE, "label_by_smallest", defines, n, vertices, smallest, work.label)
    return work.label, rounds


def _spread(device: Device, arcs: tuple[Any, ...], signatures: tuple[Any, Any], work: int, defines: Any) -> None:
    kernel, memory = device.kernel(FILE, "spread", defines), device.zeros(CONTROL.itemsize, np.uint8)
    while True:
        most = max(1, -(-int(max(arcs[:2])) // 32))
        device.launch_cooperative(kernel, THREADS, *arcs, np.int32(work), *signatures, memory, most=most)
        if device.download(memory).view(CONTROL)[0]["done"]:  # waits, and then Python looks for signals
            return
        clear_steps(memory, CONTROL)
