"""Every vertex's distinct neighbours on a GPU, the ones of higher degree first: what triangles are counted on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from clew.engines.cuda.memory.device_graph import into_of, rows_on
from clew.engines.cuda.memory.device_rows import DeviceRows
from clew.engines.cuda.toolchain.device import Device, blocks_for
from clew.graph import Graph
from clew.workspace import Space, Workspace, scratch

THREADS = 256
WARP = 32
PIECE = 1024  # as in neighbourhoods.cuh


@dataclass(frozen=True, eq=False)
class Neighbourhoods:
    """Rows as neighbourhoods.cuh describes them; ``into`` and ``times`` are None where they are not needed."""

    out: DeviceRows
    into: DeviceRows | None
    items: Any
    times: Any
    up: Any
    down: Any

    @property
    def defines(self) -> dict[str, Any]:
        """The macros of kernels that run over them."""
        wide = {"index_t": self.out.defines["index_t"], "offset_t": self.out.defines["offset_t"]}
        return {**wide, "DIRECTED": int(self.into is not None)}

    @property
    def lists(self) -> tuple[Any, ...]:
        """The arguments of those kernels."""
        into = None if self.into is None else self.into.offsets
        return self.out.offsets, into, self.items, self.times, self.up, self.down


def list_space(graph: Graph, *, with_times: bool = False) -> Workspace:
    """The arrays of the lists of neighbours."""
    n, ids = graph.num_vertices, graph.indices.dtype
    arcs = graph.num_arcs * (2 if graph.directed else 1)
    return Workspace(
        items=scratch(arcs, ids),
        times=scratch(arcs, np.uint8) if with_times else None,
        sizes=scratch(2 * n + 1, np.uint32, 0),
        cuts=space_for_cuts(2 * (arcs // PIECE) + 2, ids),
    )


def neighbourhoods(device: Device, graph: Graph, *, with_times: bool = False) -> Neighbourhoods:
    """Neighbours over edges of either direction; ``with_times`` says of each how many directions there are."""
    out = rows_on(device, graph.outgoing, weights=False, parts=2 if graph.directed else 1)
    into = rows_on(device, into_of(device, graph), weights=False, parts=2) if graph.directed else None
    work, n, index = list_space(graph, with_times=with_times).allocate(device), out.num_vertices, out.neighbours.dtype
    items, times, sizes, arcs = work.items, work.times, work.sizes, int(work.items.size)
    found = Neighbourhoods(out, into, items, times, sizes[:n], sizes[n : 2 * n])
    if arcs == 0:
        return found
    edges = (out.offsets, out.neighbours, *((None, None) if into is None else (into.offsets, into.neighbours)))
    put = (*edges, items, times, found.up, found.down, work.cuts, sizes[2 * n :])
    first = device.kernel("neighbourhoods.cuh", "neighbourhoods", found.defines)
    device.launch(first, blocks_for(device, n * WARP, THREADS), THREADS, index.type(n), *put)
    rest = device.kernel("neighbourhoods.cuh", "cut_neighbourhoods", found.defines)
    device.launch(rest, blocks_for(device, -(-arcs // PIECE) * WARP, THREADS), THREADS, *put)
    return found


def space_for_cuts(number: int, index: np.dtype[Any]) -> Space:
    """Memory for this many parts of rows: a vertex and a number each."""
    return scratch(number * (8 if index.itemsize == 4 else 16), np.uint8)
