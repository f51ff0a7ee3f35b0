"""Triangles on a GPU: of rows that are short throughout by merging them, else by tables in shared memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from clew.algorithms.registry import Answer
from clew.engines.cuda.balance.launches import Pace, launch_over
from clew.engines.cuda.memory.device_graph import rows_on
from clew.engines.cuda.memory.device_rows import DeviceRows, form_of
from clew.engines.cuda.memory.packed_rows import both_directions_on, edges_on
from clew.engines.cuda.toolchain.device import Device, blocks_for
from clew.graph import Graph
from clew.workspace import Space, Workspace, result, scratch

SHORT = 16  # neighbours that a neighbour has on average; up to here, rows are merged as they are
SMALL_SLOTS = 1024  # of a warp's table, in a power of two: for lists of up to a quarter as many
LARGE_SLOTS = 8192  # of a block's
OWNED = 8192  # neighbours that are searched with one table
SMALL_THREADS, LARGE_THREADS = 256, 512
WARP = 32
PIECE = 1024  # as in neighbourhoods.cuh
EDGES_PER_LAUNCH = 1 << 28  # about; then the host checks for Ctrl-C
TOTAL, COUNTS, LINKS, CODES = range(4)  # what is counted, as in triangles.cuh


def workspace(graph: Graph, per_vertex: bool) -> Workspace:
    """The arrays of a count. Rows that are short throughout are merged and need no lists."""
    count = result(graph.num_vertices, np.uint64, 0) if per_vertex else None
    return Workspace(count=count, **list_space(graph).deferred())


def triangles(device: Device, graph: Graph, per_vertex: bool) -> Answer:
    """The number of triangles and, unless the total will do, how many every vertex is in."""
    if not per_vertex:
        return Answer({}, {"total": total(device, graph)})
    counts = count(device, graph)
    return Answer({"count": counts}, {"total": int(counts.sum()) // 3})


def total(device: Device, graph: Graph, **constants: int) -> int:
    """The number of triangles. ``constants`` (SHORT, OWNED, …) replace this module's, to measure them."""
    found = device.zeros(1, np.uint64)
    if rows_are_short(device, graph, constants.pop("SHORT", SHORT)):
        by_merging(device, graph, None, found)
    else:
        by_tables(device, neighbourhoods(device, graph), TOTAL, None, found, **constants)
    return int(device.download(found)[0])


def count(device: Device, graph: Graph, **constants: int) -> Any:
    """How many triangles every vertex is in (int64)."""
    counts = workspace(graph, per_vertex=True).allocate(device).count
    if rows_are_short(device, graph, constants.pop("SHORT", SHORT)):
        by_merging(device, graph, counts, None)
    else:
        by_tables(device, neighbourhoods(device, graph), COUNTS, counts, None, **constants)
    return counts.view(np.int64)


def rows_are_short(device: Device, graph: Graph, short: int = SHORT) -> bool:
    """Whether to merge rows as they are; a directed graph's would have to be made undirected first.

    Packed rows are unpacked into lists, once. Merging would unpack them again and again.
    """
    if graph.directed or graph.num_arcs == 0 or graph.num_arcs > short * graph.num_vertices:
        return False  # the average of squares is at least the square of the average
    rows = edges_on(device, graph.outgoing, weights=False)
    degrees = device.xp.diff(rows.offsets).astype(np.float64)
    return rows.packed is None and bool((degrees * degrees).sum() <= short * graph.num_arcs)


def by_merging(device: Device, graph: Graph, counts: Any, total: Any) -> None:
    """Add to ``counts``, if it is an array, or to ``total``."""
    rows = rows_on(device, graph.outgoing, weights=False)
    n = rows.num_vertices
    wide = {name: rows.defines[name] for name in ("index_t", "offset_t")}
    defines = {**wide, "COUNTED": int(counts is not None)}
    given = (rows.neighbours.dtype.type(n), rows.offsets, rows.neighbours, counts, total)
    launch_over(device, "triangles_short.cuh", "triangles_by_merging", defines, n, *given)


def by_tables(device: Device, near: Neighbourhoods, counted: int, counts: Any, total: Any, **constants: int) -> None:
    """Add to ``counts`` of vertices or codes, or to ``total`` where the total alone is ``counted``."""
    n, index = near.out.num_vertices, np.dtype(near.items.dtype)
    if near.items.size == 0:
        return
    small_memory = index.itemsize == 8 or device.architecture == "sm_75"  # the latter has 64 KiB of shared memory
    small_slots, large = SMALL_SLOTS, LARGE_SLOTS // 2 if small_memory else LARGE_SLOTS
    if near.weighed:  # more bytes per slot
        small_slots, large = small_slots // 4, large // 2
    chosen = {"SMALL_SLOTS": small_slots, "LARGE_SLOTS": large, "OWNED": OWNED, **constants}
    defines = {**near.defines, "COUNTED": counted, **chosen}
    # A vertex that is too much for a warp has a list of more than SMALL_SLOTS / 4, or a row of more than OWNED.
    most = near.items.size * 4 // chosen["SMALL_SLOTS"] + 2 * (near.items.size // chosen["OWNED"]) + 2
    cuts = space_for_cuts(most, index).allocate(device)
    parts = -(-near.items.size // EDGES_PER_LAUNCH)
    taken = device.zeros(parts, np.uint64)
    numbers = device.zeros(1 + parts, np.uint32)  # how many cuts there are, and how many of a part were taken
    pace = Pace(device)
    small = device.kernel("triangles.cuh", "triangles_of_small", defines)
    shared = _shared(chosen["SMALL_SLOTS"] * (SMALL_THREADS // WARP), SMALL_THREADS, index, counted, near.weighed)
    blocks = min(device.resident_blocks(small, SMALL_THREADS, shared), blocks_for(device, n, 8))
    for part in range(parts):
        vertices = (index.type(n * part // parts), index.type(n * (part + 1) // parts))
        given = (*near.lists, counts, total, taken[part : part + 1], cuts, numbers[:1])
        device.launch(small, blocks, SMALL_THREADS, *vertices, *given, shared=shared)
        if parts > 1:
            pace.launched()
    large_kernel = device.kernel("triangles.cuh", "triangles_of_large", defines)
    shared = _shared(chosen["LARGE_SLOTS"], LARGE_THREADS, index, counted, near.weighed)
    blocks = min(device.resident_blocks(large_kernel, LARGE_THREADS, shared), most)
    for part in range(parts):
        given = (*near.lists, counts, total, numbers[1 + part : 2 + part], cuts, numbers[:1])
        which = (np.uint32(part), np.uint32(parts))
        device.launch(large_kernel, blocks, LARGE_THREADS, *given, *which, shared=shared)
        if parts > 1:
            pace.launched()


def _shared(slots: int, threads: int, index: np.dtype[Any], counted: int, weighed: bool) -> int:
    """Bytes of shared memory of a block by its slots: keys, hits, hits of neighbours, and labels."""
    hit, label = (8, 8) if weighed else (4, 1)
    bytes_of_hits = (slots + threads) * hit if counted in (COUNTS, LINKS) else 0
    return slots * index.itemsize + bytes_of_hits + (slots * label if counted >= LINKS or weighed else 0)


@dataclass(frozen=True, eq=False)
class Neighbourhoods:
    """Rows as neighbourhoods.cuh describes them; ``into`` and ``labels`` are None where they are not needed."""

    out: DeviceRows
    into: DeviceRows | None
    items: Any
    labels: Any
    up: Any
    down: Any

    @property
    def weighed(self) -> bool:
        """Whether labels are weights."""
        return self.labels is not None and self.labels.dtype == np.float64

    @property
    def defines(self) -> dict[str, Any]:
        """The macros of kernels that run over them."""
        wide = {"index_t": self.out.defines["index_t"], "offset_t": self.out.defines["offset_t"]}
        weighed = {"WEIGHED": 1} if self.weighed else {}
        return {**wide, "DIRECTED": int(self.into is not None), **weighed}

    @property
    def lists(self) -> tuple[Any, ...]:
        """The arguments of those kernels."""
        into = None if self.into is None else self.into.offsets
        return self.out.offsets, into, self.items, self.labels, self.up, self.down


def list_space(graph: Graph, *, with_sides: bool = False, with_weights: bool = False) -> Workspace:
    """The arrays of the lists of neighbours."""
    n, ids = graph.num_vertices, graph.outgoing.id_dtype
    arcs = graph.num_arcs * (2 if graph.directed else 1)
    return Workspace(
        items=scratch(arcs, ids),
        labels=scratch(arcs, np.float64 if with_weights else np.uint8, 0) if with_sides or with_weights else None,
        sizes=scratch(2 * n + 1, np.uint32, 0),
        cuts=space_for_cuts(2 * (arcs // PIECE) + 2, ids),
    )


def neighbourhoods(
    device: Device, graph: Graph, *, with_sides: bool = False, with_weights: bool = False
) -> Neighbourhoods:
    """Neighbours over edges of either direction; ``with_sides`` says of each which directions there are.

    ``with_weights`` says the weights of the edges instead; the graph is simple and undirected then.
    """
    if with_weights:
        out = against = rows_on(device, graph.outgoing)
    else:
        out, against = both_directions_on(device, graph, least=0.0)
    into = against if graph.directed else None
    work = list_space(graph, with_sides=with_sides, with_weights=with_weights).allocate(device)
    items, labels, sizes, arcs = work.items, work.labels, work.sizes, int(work.items.size)
    n, index = out.num_vertices, out.id_dtype
    near = Neighbourhoods(out, into, items, labels, sizes[:n], sizes[n : 2 * n])
    if arcs == 0:
        return near
    edges = (out.offsets, out.ids, *((None, None) if into is None else (into.offsets, into.ids)))
    put = (*edges, items, labels, out.weights if with_weights else None, near.up, near.down, work.cuts, sizes[2 * n :])
    first, rest = n * WARP, -(-arcs // PIECE) * WARP
    defines = {**near.defines, **form_of(out, against)}
    launch_over(device, "neighbourhoods.cuh", "neighbourhoods", defines, first, index.type(n), *put)
    launch_over(device, "neighbourhoods.cuh", "cut_neighbourhoods", defines, rest, *put)
    return near


def space_for_cuts(number: int, index: np.dtype[Any]) -> Space:
    """Memory for this many parts of rows: a vertex and a number each."""
    return scratch(number * (8 if index.itemsize == 4 else 16), np.uint8)
