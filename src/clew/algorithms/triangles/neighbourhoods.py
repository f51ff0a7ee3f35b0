"""Every vertex's distinct neighbours on a GPU, the ones of higher degree first: what triangles are counted on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from clew.engines.cuda.device import Device, blocks_for
from clew.engines.cuda.rows import DeviceRows, into_of, rows_on
from clew.graph import Graph

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


def neighbourhoods(device: Device, graph: Graph, *, with_times: bool = False) -> Neighbourhoods:
    """Neighbours over edges of either direction; ``with_times`` says of each how many directions there are."""
    out = rows_on(device, graph.outgoing, weights=False, parts=2 if graph.directed else 1)
    into = rows_on(device, into_of(graph), weights=False, parts=2) if graph.directed else None
    n, arcs = out.num_vertices, out.num_arcs * (1 if into is None else 2)
    index = np.dtype(out.neighbours.dtype)
    items = device.empty(arcs, index)
    times = device.empty(arcs, np.uint8) if with_times else None
    sizes = device.zeros(2 * n + 1, np.uint32)
    found = Neighbourhoods(out, into, items, times, sizes[:n], sizes[n : 2 * n])
    if arcs == 0:
        return found
    cuts = room_for_cuts(device, 2 * (arcs // PIECE) + 2, index)
    edges = (out.offsets, out.neighbours, *((None, None) if into is None else (into.offsets, into.neighbours)))
    put = (*edges, items, times, found.up, found.down, cuts, sizes[2 * n :])
    first = device.kernel("neighbourhoods.cuh", "neighbourhoods", found.defines)
    device.launch(first, blocks_for(device, n * WARP, THREADS), THREADS, index.type(n), *put)
    rest = device.kernel("neighbourhoods.cuh", "cut_neighbourhoods", found.defines)
    device.launch(rest, blocks_for(device, -(-arcs // PIECE) * WARP, THREADS), THREADS, *put)
    return found


def room_for_cuts(device: Device, number: int, index: np.dtype[Any]) -> Any:
    """Memory for so many parts of rows: a vertex and a number each."""
    return device.empty(number * (8 if index.itemsize == 4 else 16), np.uint8)
