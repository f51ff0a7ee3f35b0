"""Truss numbers on a GPU: triangles of every edge, then edges removed in waves."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from clew.algorithms.registry import Answer
from clew.engines.cuda.balance.edge_numbers import first_edges, sources_of
from clew.engines.cuda.balance.launches import Pace, clear_steps, control_of, launch_over, share_of
from clew.engines.cuda.memory.device_graph import rows_on
from clew.engines.cuda.memory.device_rows import DeviceRows
from clew.engines.cuda.products.vectors import true_places
from clew.engines.cuda.toolchain.device import Device
from clew.engines.cuda.toolchain.failures import USE_CPU
from clew.errors import ResourceError
from clew.graph import Graph
from clew.workspace import Workspace, result, scratch

FILE = "trusses.cuh"
THREADS = 512
STEPS_PER_LAUNCH = 1 << 15  # as steps.cuh counts; then the host checks for Ctrl-C
EDGES_PER_LAUNCH = 1 << 26  # whose triangles are counted; then, too
#: As in trusses.cuh.
CONTROL = control_of(("turn", "level", "kept", "wave", "stop", "waiting", "thin", "done"), counters=4)


def workspace(graph: Graph) -> Workspace:
    """The arrays of a run, if no edges are merged."""
    return workspace_of(graph.num_edges, graph.outgoing.id_dtype)


def workspace_of(m: int, ids: np.dtype[Any]) -> Workspace:
    """The same for a number of edges."""
    lists = {name: scratch(m, np.uint32) for name in ("queue", "left", "other_left")}
    return Workspace(
        truss=result(m, np.int32, 0),
        ends=scratch(2 * m, ids),
        mark=scratch(m, np.uint32),
        numbers=scratch(2 * m, np.uint32, later=True),
        places=scratch(m, np.int64, later=True),
        neighbours_left=scratch(m, ids, later=True),
        numbers_left=scratch(m, np.uint32, later=True),
        **lists,
    )


class Links(NamedTuple):
    """Rows of distinct neighbours (trusses.cuh): in all of them, arcs have the numbers of their edges."""

    offsets: Any
    neighbours: Any
    numbers: Any

    def where(self, device: Device, mask: Any) -> Links:
        """The arcs for which the mask is true."""
        places, neighbours = true_places(device, mask, self.neighbours.size, np.int64, values=self.neighbours)
        offsets = device.empty(self.offsets.size, self.offsets.dtype)
        offsets[...] = device.xp.searchsorted(places, self.offsets.astype(np.int64))
        return Links(offsets, neighbours, self.numbers[places])


def k_truss(device: Device, graph: Graph, **constants: int) -> Answer:
    """The largest truss of every edge; see ``clew.k_truss``.

    ``constants`` (FEW_EDGES) replace the kernel's, to measure them.
    """
    if graph.num_edges >= 2**32:
        raise ResourceError(
            f"this graph has {graph.num_edges:,} edges; k_truss can count {2**32 - 1:,} of them on a GPU.", **USE_CPU
        )
    rows = rows_on(device, graph.outgoing, weights=False)
    simple = not graph.directed and is_simple(device, graph, rows)
    keys = None if simple else pair_keys(device, graph, rows)
    if keys is not None:
        rows = rows_of_keys(device, keys, rows)
    defines = {**{name: rows.defines[name] for name in ("index_t", "offset_t")}, **constants}
    truss = _peeled(device, rows, defines)
    if keys is not None:
        n = max(graph.num_vertices, 1)
        truss = _of_edges(device, graph, keys[keys // n < keys % n], truss)
    return Answer({"truss": truss}, {"largest": int(truss.max()) if truss.size else 0})


def is_simple(device: Device, graph: Graph, rows: DeviceRows) -> bool:
    """Whether there are neither loops nor parallel edges."""
    if graph.num_loops:
        return False
    same = device.xp.zeros(rows.num_arcs + 1, np.bool_)  # the last of a row and the first of another do not count
    same[1:-1] = rows.neighbours[1:] == rows.neighbours[:-1]
    same[rows.offsets.astype(np.int64)] = False
    return not bool(same.any())


def pair_keys(device: Device, graph: Graph, rows: DeviceRows) -> Any:
    """The numbers first · n + second of all pairs of neighbours, in both orders, ascending; without loops."""
    xp, n = device.xp, graph.num_vertices
    source, target = sources_of(device, rows), rows.neighbours.astype(np.int64)
    keys = source * n + target
    if graph.directed:
        keys = xp.concatenate([keys, target * n + source])
    keys = xp.unique(keys) if keys.size else keys
    return keys[keys // max(n, 1) != keys % max(n, 1)]


def rows_of_keys(device: Device, keys: Any, like: DeviceRows) -> DeviceRows:
    """The rows of ``pair_keys``."""
    n, arcs = like.num_vertices, int(keys.size)
    offsets = device.empty(n + 1, np.uint32 if arcs < 2**32 else np.int64)
    offsets[...] = device.xp.searchsorted(keys, device.xp.arange(n + 1) * n)
    neighbours = device.empty(arcs, like.neighbours.dtype)
    neighbours[...] = keys % max(n, 1)
    return DeviceRows(offsets, neighbours, None, n, arcs)


def _of_edges(device: Device, graph: Graph, pairs: Any, truss: Any) -> Any:
    """The numbers of the graph's edges, from those of ``pairs``; 0 for loops."""
    xp, n, rows = device.xp, graph.num_vertices, rows_on(device, graph.outgoing, weights=False)
    source, target = sources_of(device, rows), rows.neighbours.astype(np.int64)
    if not graph.directed:
        once = source <= target
        source, target = source[once], target[once]
    found = xp.zeros(source.size, np.int32)
    if pairs.size:
        keys = xp.minimum(source, target) * n + xp.maximum(source, target)
        place = xp.minimum(xp.searchsorted(pairs, keys), pairs.size - 1)
        found = xp.where(source == target, 0, truss[place]).astype(np.int32)
    return found


def _peeled(device: Device, rows: DeviceRows, defines: dict[str, Any]) -> Any:
    """The truss numbers of the edges of simple rows that have every arc in both directions."""
    n, arcs = rows.num_vertices, rows.num_arcs
    m = arcs // 2
    work = workspace_of(m, rows.neighbours.dtype).allocate(device)
    if m == 0:
        return work.truss
    numbers = device.empty(arcs, np.uint32)
    sizes, given = (np.uint64(n), np.uint64(arcs)), (rows.offsets, rows.neighbours)
    first = first_edges(device, rows, directed=False)
    launch_over(device, FILE, "number_arcs", defines, arcs, *sizes, *given, first, numbers, work.ends)
    links = Links(*given, numbers)
    most = _count_triangles(device, links, sizes, defines, work)
    work.mark.fill(~np.uint32(0))
    kernel = device.kernel(FILE, "peel_edges", defines)
    control = np.zeros(1, CONTROL)
    control["kept"] = m
    memory = device.upload(control.view(np.uint8))
    edges, lists = m, (work.ends, work.truss, work.mark, work.queue, work.left, work.other_left)
    while True:
        limits = (np.uint32(edges), np.int32(share_of(STEPS_PER_LAUNCH, rows)), np.uint32(most))
        device.launch_cooperative(kernel, THREADS, *links, *limits, *lists, memory)
        progress = device.download(memory).view(CONTROL)[0]  # waits, and then Python looks for signals
        if progress["done"]:
            work.truss += np.int32(2)
            return work.truss
        clear_steps(memory, CONTROL)
        if progress["thin"]:
            links = links.where(device, work.mark[links.numbers] >= progress["wave"])
            edges = int(links.neighbours.size) // 2


def _count_triangles(device: Device, links: Links, sizes: tuple[Any, Any], defines: dict[str, Any], work: Any) -> int:
    """Count the triangles of every edge, each from the edge between its first two vertices; the most of any edge."""
    later, m = device.empty(links.neighbours.size, np.bool_), int(work.truss.size)
    launch_over(device, FILE, "later_ends", defines, later.size, *sizes, links.offsets, links.neighbours, later)
    upward, pace = links.where(device, later), Pace(device)
    del later
    for begin in range(0, m, EDGES_PER_LAUNCH):
        end = min(m, begin + EDGES_PER_LAUNCH)
        part = (np.uint64(begin), np.uint64(end))
        launch_over(device, FILE, "supports", defines, (end - begin) * 32, *part, *upward, work.ends, work.truss)
        pace.launched()
    return int(work.truss.max())
