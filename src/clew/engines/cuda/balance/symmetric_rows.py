"""Rows of both directions: those that messages go along and against, and those with all neighbours of a vertex."""

from __future__ import annotations

import weakref
from typing import Any, NamedTuple

import numpy as np

from clew.adjacency import Adjacency
from clew.engines.cpu.program import directions_of
from clew.engines.cuda.balance.launches import clear_steps, share_of
from clew.engines.cuda.memory.device_graph import graph_on, incoming_on, rows_on
from clew.engines.cuda.memory.device_rows import DeviceRows, form_of
from clew.engines.cuda.memory.packed_rows import both_directions_on, packed_on
from clew.engines.cuda.toolchain.device import Device, index_defines
from clew.engines.cuda.toolchain.failures import USE_CPU
from clew.engines.cuda.toolchain.source import Macros
from clew.errors import ResourceError
from clew.graph import Graph

THREADS = 512


class Directions(NamedTuple):
    """The rows along the direction of messages and against it."""

    along: DeviceRows
    against: DeviceRows

    @property
    def weight(self) -> np.dtype[Any] | None:
        """The dtype of the weights, if there are any."""
        return None if self.against.weights is None else self.against.weight_dtype


def directions_on(device: Device, graph: Graph, direction: str, *, weights: bool, packed: bool = False) -> Directions:
    """The rows of a vertex program's direction on the device, ``weights`` where the graph has them.

    ``packed`` says that the caller's kernels read both forms.
    """
    weights = weights and graph.outgoing.weight_dtype is not None
    if direction == "both" and graph.directed:
        rows = _doubled(device, graph, weights)
        there = (packed_on(device, rows, weights=weights) if packed else None) or rows_on(device, rows, weights=weights)
        return Directions(there, there)
    if packed:
        along, against = both_directions_on(device, graph, weights=weights, least=0.0)
    else:
        along = rows_on(device, graph.outgoing, weights=weights, parts=2 if graph.directed else 1)
        against = incoming_on(device, graph, weights=weights)
    return Directions(against, along) if direction == "in" else Directions(along, against)


def _doubled(device: Device, graph: Graph, weights: bool) -> Adjacency:
    """Every edge in both directions, made once for a graph and its weights."""
    rows, whose = graph.outgoing, graph.outgoing.stored_weights if weights else None
    derived = graph_on(device, rows.identity).derived
    of, doubled = derived.get("doubled", (None, None))
    if doubled is None or (None if of is None else of()) is not whose:
        doubled = directions_of(graph, "both").along
        derived["doubled"] = (None if whose is None else weakref.ref(whose), doubled)
    both: Adjacency = doubled
    return both


class SymmetricRows(NamedTuple):
    """Offsets and neighbours of the out-edges, and of the in-edges if they differ (``Rows`` in rows_by_size.cuh)."""

    arguments: tuple[Any, Any, Any, Any]
    defines: dict[str, Any]
    ids: np.dtype[Any]
    rows: tuple[DeviceRows, ...]

    def launch_until_done(
        self, device: Device, file: str, name: str, defines: Macros, control: np.dtype[Any], steps: int, *args: Any
    ) -> Any:
        """Launch ``kernel(n, rows…, steps, args…, control)`` until it reports ``done``; returns its progress then.

        ``steps`` limits a launch, as steps.cuh counts them, so that the host can check for Ctrl-C.
        """
        kernel = device.kernel(file, name, {**self.defines, **defines})
        n = int(self.arguments[0].size) - 1
        given = (np.uint64(n), *self.arguments, np.int32(share_of(steps, *self.rows)), *args)
        memory = device.zeros(control.itemsize, np.uint8)
        most = max(1, -(-n // 32))  # more blocks would have nothing to do, and with fewer they meet sooner
        while True:
            device.launch_cooperative(kernel, THREADS, *given, memory, most=most)
            progress = device.download(memory).view(control)[0]  # waits, and then Python looks for signals
            if progress["done"]:
                return progress
            clear_steps(memory, control)

    def largest_degree(self) -> int:
        """The most edges at a vertex; there must be one."""
        offsets, _, in_offsets, _ = self.arguments
        degrees = offsets[1:] - offsets[:-1]
        if in_offsets is not None:
            degrees = degrees.astype(np.int64) + (in_offsets[1:] - in_offsets[:-1])
        return int(degrees.max())


def symmetric_rows(device: Device, graph: Graph, *, directory: bool = False) -> SymmetricRows:
    """The out-edges and, of a directed graph, the in-edges; ``directory`` as in ``form_of``."""
    if graph.num_vertices >= 2**32:
        raise ResourceError(
            f"this graph has {graph.num_vertices:,} vertices; this algorithm can count {2**32 - 1:,} of them on a GPU.",
            **USE_CPU,
        )
    out, into = both_directions_on(device, graph)
    rows = (out, into) if graph.directed else (out,)
    others = (into.offsets, into.ids) if graph.directed else (None, None)
    defines = {**index_defines(out.id_dtype, graph.num_arcs), **form_of(*rows, directory=directory)}
    return SymmetricRows((out.offsets, out.ids, *others), defines, out.id_dtype, rows)
