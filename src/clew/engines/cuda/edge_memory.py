"""Which edges of a graph are in which memory: a plan made from the policy and what is free, and arrays put so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from clew.build.on_device import made_here
from clew.dtypes import Array
from clew.engines.cuda.device import Device
from clew.errors import GraphError, ResourceError
from clew.memory import MODES, Policy

#: Memory that is left for algorithms: bytes a vertex, and at most this part of what is free.
STATE_OF_A_VERTEX = 128
LARGEST_RESERVE = 4
#: The fast memory in the tries of "auto", one after the other, where allocations fail; then nothing.
SMALLER = (1.0, 0.5, 0.25, 0.125, 0.0)


@dataclass(frozen=True)
class EdgePlan:
    """Where a set of rows is.

    Parameters
    ----------
    mode
        One of ``clew.memory``'s modes other than "auto".
    cut
        The number of the first edge in fast memory; those before are on the host.
    num_arcs, bytes_per_edge
        How many edges there are, and what each takes: its neighbour and, where it has been asked for, its weight.
    why
        A sentence.
    """

    mode: str
    cut: int
    num_arcs: int
    bytes_per_edge: int
    why: str

    @property
    def fast_bytes(self) -> int:
        """Of neighbours and weights in GPU memory (or on their way there, if managed)."""
        return (self.num_arcs - self.cut) * self.bytes_per_edge

    @property
    def slow_bytes(self) -> int:
        """Of those on the host."""
        return self.cut * self.bytes_per_edge

    @property
    def slow_share(self) -> float:
        """The part of the edges that kernels read over the link."""
        return self.cut / max(1, self.num_arcs)


@dataclass(frozen=True)
class Rows:
    """What a plan depends on beside the policy.

    Parameters
    ----------
    num_vertices, num_arcs, bytes_per_edge
        Their size.
    first_fast
        The first edge of the rows that a placement wants in fast memory; None without one.
    parts
        Sets of rows of this size that share the memory: 2 where out-edges and in-edges are both needed.
    held
        Bytes of these edges that are in GPU memory already and would be freed.
    """

    num_vertices: int
    num_arcs: int
    bytes_per_edge: int
    first_fast: int | None = None
    parts: int = 1
    held: int = 0

    @property
    def nbytes(self) -> int:
        """Of all edges."""
        return self.num_arcs * self.bytes_per_edge


def plan_edges(device: Device, policy: Policy, rows: Rows, scale: float = 1.0) -> EdgePlan:
    """Where to put edges; ``scale`` is the part of the fast memory that "auto" takes, below 1 after a failure."""
    mode, size = policy.edges, rows.nbytes
    if mode == "stream":
        others = ", ".join(repr(name) for name in MODES if name != "stream")
        raise GraphError(f'edges="stream" is not to be had for this algorithm; expected one of {others}.')

    def plan(chosen: str, cut: int, why: str) -> EdgePlan:
        return EdgePlan(chosen, cut, rows.num_arcs, rows.bytes_per_edge, why)

    if mode == "zero_copy":
        return plan(mode, rows.num_arcs, f"all {size:,} bytes of edges on the host, as asked")
    free = device.free_memory() + rows.held
    allowed = _allowed(policy, rows, free)
    if mode in ("device", "managed", "managed+prefetch"):
        if size * rows.parts > (free if policy.fast_memory is None else allowed):
            raise _too_large(mode, policy, rows, free)
        return plan(mode, 0, f"all {size:,} bytes of edges, as asked; {free:,} bytes were free")
    share = int(min(allowed, size * rows.parts) * scale) // rows.parts
    told = f"{share:,} of {size:,} bytes of edges in GPU memory, of which {free:,} bytes were free"
    if policy.fast_memory is not None:
        told += f" and {policy.fast_memory:,} allowed"
    if scale < 1:
        told += ", and with more of them allocations failed"
    cut = rows.num_arcs - min(rows.num_arcs, share // max(1, rows.bytes_per_edge))
    if mode == "tiered" and rows.first_fast is not None and rows.first_fast > cut:
        cut = rows.first_fast
        told = f"the rows that the placement calls fast, {(rows.num_arcs - cut) * rows.bytes_per_edge:,} bytes"
    if cut == 0:
        return plan("device", 0, f"all {size:,} bytes of edges fit; {free:,} bytes were free")
    smallest = (rows.num_arcs - cut) * _narrowest(rows.bytes_per_edge)
    if smallest < device.page:
        return plan("zero_copy", rows.num_arcs, f"{told}, which is less than a page of {device.page:,} bytes")
    if (problem := device.why_not_split()) is not None:
        return plan("zero_copy", rows.num_arcs, f"all {size:,} bytes of edges on the host: {problem}")
    return plan("tiered", cut, told)


def put(device: Device, array: Array, plan: EdgePlan) -> Any:
    """An array with an entry per edge, in memory as planned. Where it stays on the host, the caller keeps it alive."""
    if plan.mode == "device":
        made = made_here(array)  # sorted on the GPU when the graph was built
        return made if isinstance(made, device.xp.ndarray) else device.upload(array)
    if plan.mode == "zero_copy":
        return device.hosted(array)
    if plan.mode == "tiered":
        return device.split(array, plan.cut * array.itemsize)
    return device.managed(array, prefetch=plan.mode == "managed+prefetch")


def _allowed(policy: Policy, rows: Rows, free: int) -> int:
    """The bytes that all sets of rows together may have: what was asked for, or what is free less a reserve."""
    if policy.fast_memory is not None:
        return min(policy.fast_memory, free)
    offsets = (rows.num_vertices + 1) * rows.parts * (4 if rows.num_arcs < 2**32 else 8)
    needed = STATE_OF_A_VERTEX * rows.num_vertices + offsets
    return free - min(free // LARGEST_RESERVE, needed)


def _narrowest(bytes_per_edge: int) -> int:
    """Of the arrays that the bytes of an edge are in, the narrowest's: ids have 4 or 8 bytes, weights 1 to 8."""
    weight = bytes_per_edge - (8 if bytes_per_edge > 12 else 4)
    return min(4, weight) if weight > 0 else 4


def _too_large(mode: str, policy: Policy, rows: Rows, free: int) -> ResourceError:
    size = rows.nbytes * rows.parts
    which = "edges and in-edges" if rows.parts > 1 else "edges"
    limit = "" if policy.fast_memory is None else f", of which they may have {policy.fast_memory:,},"
    return ResourceError(
        f'edges="{mode}" needs {size:,} bytes of GPU memory for the {which}, and {free:,} bytes{limit} are free. Use '
        'clew.memory(edges="auto"), "tiered" or "zero_copy", which leave edges on the host, or device="cpu".'
    )


def bytes_per_edge(indices: Array, weights: Array | None) -> int:
    """What an edge takes: its neighbour and its weight."""
    return int(np.dtype(indices.dtype).itemsize) + (0 if weights is None else int(weights.itemsize))
