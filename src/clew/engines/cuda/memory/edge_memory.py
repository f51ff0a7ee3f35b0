"""Which edges of a graph are in which memory: a plan from the policy and the free bytes, and arrays placed by it.

Edges in two memories may be pairs: one array of 8-byte pairs, each a neighbour and its weight. The number of requests
limits kernels that read edges over the link, and a GPU does not cache host memory. A short row whose neighbours and
weights are in two arrays takes two requests. Tiered edges are copied anyway, so searches have them copied in pairs.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from clew import threads
from clew.build.on_device import device_copy
from clew.dtypes import Array
from clew.engines.cuda.toolchain.device import Device
from clew.errors import ResourceError
from clew.memory import Policy

#: Memory that is left for algorithms: bytes a vertex, and at most this part of what is free.
STATE_OF_A_VERTEX = 128
LARGEST_RESERVE = 4
#: The part of the memory for edges that the first neighbours of rows may take.
LARGEST_SPARE = 2 / 3
PAIR = np.dtype(np.uint64)
WORD = np.dtype(np.uint32)
WORD_BITS = np.uint64(32)  # the shift of the weight, the second word of a pair
BLOCK = 1 << 16  # pairs written at a time, one half after the other, small enough for the cache


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
        The number of edges, and the bytes of each: its neighbour and, if requested, its weight.
    why
        A sentence.
    copies
        Whether algorithms may keep a second copy in device memory in another order. False if the bytes of edges are
        limited.
    spare
        The bytes that edges leave to the first neighbours of their rows.
    with_directory
        Whether there is room for a directory of packed groups as well: all edges are in device memory.
    """

    mode: str
    cut: int
    num_arcs: int
    bytes_per_edge: int
    why: str
    copies: bool = True
    spare: int = 0
    with_directory: bool = False

    @cached_property
    def fast_bytes(self) -> int:
        """The bytes of neighbours and weights in GPU memory, or moving there if managed."""
        return (self.num_arcs - self.cut) * self.bytes_per_edge

    @cached_property
    def slow_bytes(self) -> int:
        """The bytes of edges on the host."""
        return self.cut * self.bytes_per_edge

    @cached_property
    def slow_share(self) -> float:
        """The part of the edges that kernels read over the link."""
        return self.cut / max(1, self.num_arcs)


@dataclass(frozen=True)
class Rows:
    """The inputs of a plan besides the policy.

    Parameters
    ----------
    num_vertices, num_arcs, bytes_per_edge
        Their size.
    free, free_on_host
        Bytes that can be allocated on the device and on the host.
    page
        Bytes of a page of an array in two memories.
    why_not_split
        Why the device cannot have an array in two memories; None if it can.
    first_fast
        The first edge of the rows that a placement puts in fast memory; None without one.
    parts
        Sets of rows of this size that share the memory: 2 where out-edges and in-edges are both needed. The weights of
        packed rows, which are placed by themselves, are a part of one.
    held
        Bytes of these edges that are in GPU memory already and would be freed.
    taken
        Bytes of the budget that other edges use.
    narrowest
        The bytes of an entry of the narrowest of their arrays.
    spare
        Bytes for the first neighbours of rows, which some searches read most. Other edges make room for them.
    directory
        Bytes of a directory of packed groups, which is made only if all edges fit besides it.
    """

    num_vertices: int
    num_arcs: int
    bytes_per_edge: int
    free: int
    free_on_host: int
    page: int
    why_not_split: str | None = None
    first_fast: int | None = None
    parts: float = 1
    held: int = 0
    taken: int = 0
    narrowest: int = 1
    spare: int = 0
    directory: int = 0

    @property
    def nbytes(self) -> int:
        """Of all edges."""
        return self.num_arcs * self.bytes_per_edge


def plan_edges(policy: Policy, rows: Rows, scale: float = 1.0) -> EdgePlan:
    """Where to put edges; ``scale`` is the part of the fast memory that "auto" takes, below 1 after a failure."""
    mode, size, spare, allowed = policy.edges, rows.nbytes, 0, 0

    def plan(chosen: str, cut: int, why: str) -> EdgePlan:
        left = spare if chosen in ("device", "tiered") else 0
        all_of_it = (size + spare + rows.directory) * rows.parts
        with_directory = chosen == "device" and scale == 1 and rows.directory > 0 and all_of_it <= allowed
        copies = policy.fast_memory is None
        return EdgePlan(chosen, cut, rows.num_arcs, rows.bytes_per_edge, why, copies, left, with_directory)

    if mode == "zero_copy":
        return plan(mode, rows.num_arcs, f"all {size:,} bytes of edges on the host, as requested")
    free = rows.free + rows.held
    allowed = _allowed(policy, rows, free)
    if mode in ("device", "managed", "managed+prefetch"):
        if size * rows.parts > (free if policy.fast_memory is None else allowed):
            raise _too_large(mode, policy, rows, free)
        return plan(mode, 0, f"all {size:,} bytes of edges, as requested; {free:,} bytes were free")
    if scale == 1 and rows.spare * rows.parts <= LARGEST_SPARE * allowed:
        spare = rows.spare
    share = int(min(allowed - spare * rows.parts, size * rows.parts) * scale / rows.parts)
    why = f"{share:,} of {size:,} bytes of edges in GPU memory, of which {free:,} bytes were free"
    if policy.fast_memory is not None:
        why += f" and {policy.fast_memory:,} allowed"
        if rows.taken:
            why += f", less {rows.taken:,} that other edges have"
    if spare:
        why += f", besides {spare:,} bytes for the first neighbours of rows"
    if scale < 1:
        why += ", and with more of them allocations failed"
    cut = rows.num_arcs - min(rows.num_arcs, share // max(1, rows.bytes_per_edge))
    if mode == "tiered" and rows.first_fast is not None and rows.first_fast > cut:
        cut = rows.first_fast
        why = f"the rows that the placement calls fast, {(rows.num_arcs - cut) * rows.bytes_per_edge:,} bytes"
    if cut == 0:
        return plan("device", 0, f"all {size:,} bytes of edges fit; {free:,} bytes were free")
    if (rows.num_arcs - cut) * rows.narrowest < rows.page:
        return plan("zero_copy", rows.num_arcs, f"{why}, which is less than a page of {rows.page:,} bytes")
    if rows.why_not_split is not None:
        return plan("zero_copy", rows.num_arcs, f"all {size:,} bytes of edges on the host: {rows.why_not_split}")
    copied, free = cut * rows.bytes_per_edge, rows.free_on_host
    if copied > free and mode == "tiered":
        raise ResourceError(
            f'edges="tiered" needs {copied:,} bytes of host memory for a copy of the edges that do not go to the GPU, '
            f"and {free:,} bytes are free.",
            remedy='Use clew.memory(edges="zero_copy") or "auto", which read the graph where it is, or free memory.',
        )
    if copied > free:
        why = f"the host has {free:,} bytes free, and a copy of what does not go to the GPU takes {copied:,}"
        return plan("zero_copy", rows.num_arcs, f"all {size:,} bytes of edges where they are: {why}")
    return plan("tiered", cut, why)


def put(device: Device, array: Array, plan: EdgePlan) -> Any:
    """An array with an entry per edge, in memory as planned. If it stays on the host, the caller keeps it alive."""
    if plan.mode == "device":
        copy = device_copy(array)  # sorted on the GPU when the graph was built
        return copy if isinstance(copy, device.xp.ndarray) else device.upload(array)
    if plan.mode == "zero_copy":
        return device.hosted(array)
    if plan.mode == "tiered":
        return device.split(array, plan.cut * array.itemsize)
    return device.managed(array, prefetch=plan.mode == "managed+prefetch")


def _allowed(policy: Policy, rows: Rows, free: int) -> int:
    """The bytes that all sets of rows together may use: the limit, or the free bytes less a reserve."""
    if policy.fast_memory is not None:
        return min(max(0, policy.fast_memory - rows.taken), free)
    offsets = int((rows.num_vertices + 1) * rows.parts) * (4 if rows.num_arcs < 2**32 else 8)
    needed = STATE_OF_A_VERTEX * rows.num_vertices + offsets
    return free - min(free // LARGEST_RESERVE, needed)


def _too_large(mode: str, policy: Policy, rows: Rows, free: int) -> ResourceError:
    size = int(rows.nbytes * rows.parts)
    which = "edges and in-edges" if rows.parts >= 2 else "edges"
    limit = "" if policy.fast_memory is None else f", of which they may have {policy.fast_memory - rows.taken:,},"
    return ResourceError(
        f'edges="{mode}" needs {size:,} bytes of GPU memory for the {which}, and {free:,} bytes{limit} are free.',
        remedy='Use clew.memory(edges="auto"), "tiered" or "zero_copy", which leave edges on the host, or '
        'device="cpu".',
    )


def can_pair(ids: np.dtype[Any], weights: np.dtype[Any] | None) -> bool:
    """Whether an edge is two words of 4 bytes."""
    return weights is not None and ids.itemsize == weights.itemsize == WORD.itemsize


def write_pairs(target: Array, start: int, first: Array, second: Array) -> None:
    """Fill a buffer of bytes with the pairs of two arrays from byte ``start`` on; whole pairs of them."""
    begin, count = start // PAIR.itemsize, target.size // PAIR.itemsize
    pairs = target.view(WORD).reshape(count, 2)
    halves = [half[begin : begin + count].view(WORD) for half in (first, second)]
    for low in range(0, count, BLOCK):
        for column, half in enumerate(halves):
            pairs[low : low + BLOCK, column] = half[low : low + BLOCK]


def write_pairs_on_all_cores(target: Array, first: Array, second: Array) -> None:
    """Fill a buffer of bytes with the first pairs of two arrays."""
    count = target.size // PAIR.itemsize
    pieces = threads.pieces(count, BLOCK)
    bounds = [count * k // pieces * PAIR.itemsize for k in range(pieces + 1)]
    threads.each(lambda k: write_pairs(target[bounds[k] : bounds[k + 1]], bounds[k], first, second), pieces)
