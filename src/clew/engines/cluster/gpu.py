"""Products with the block of a worker on its GPU; vectors are on the host, where the messages are."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.adjacency import Adjacency
from clew.dtypes import Array
from clew.engines.base import Engine
from clew.engines.choice import EMULATED, gpu_for
from clew.engines.cluster.member import Member
from clew.engines.cpu import CpuEngine
from clew.engines.cuda.engine import CudaEngine
from clew.engines.cuda.toolchain.device import Device
from clew.errors import GraphError
from clew.operators import Monoid, Semiring
from clew.weak import WeakIdentityDict


class GpuBlocks(CpuEngine):
    """An engine for blocks: products over edges run on a GPU, the rest on the CPU. Arrays are in host memory."""

    name = "cuda"

    def __init__(self, device: Device) -> None:
        self._gpu = CudaEngine(device)

    def spmv(self, edges: Any, x: Array, semiring: Semiring, mask: Array | None, out: Array) -> None:
        """Pull along the edges of the block."""
        rows, memory = squared(edges), self._gpu.memory
        padded = np.zeros(rows.num_vertices, x.dtype)
        padded[: x.size] = x
        chosen = None if mask is None else memory.array(np.append(mask, np.zeros(rows.num_vertices - out.size, bool)))
        sums = memory.array(np.append(out, np.zeros(rows.num_vertices - out.size, out.dtype)))
        self._gpu.spmv(rows, memory.array(padded), semiring, chosen, sums)
        out[:] = _on_host(sums)[: out.size]

    def spmspv(
        self, rows: Adjacency, active: Array, values: Array, semiring: Semiring, mask: Array | None, merge: str
    ) -> tuple[Array, Array]:
        """Push along the edges of the active rows."""
        square, memory = squared(rows), self._gpu.memory
        active = memory.array(active.astype(square.indices.dtype))
        found, sums = self._gpu.spmspv(square, active, memory.array(values), semiring, None, merge)
        found, sums = _on_host(found), _on_host(sums)
        return (found, sums) if mask is None else (found[mask[found]], sums[mask[found]])

    def reduce_segments(self, values: Array, indptr: Array, monoid: Monoid, out: Array) -> None:
        """Reduce each segment."""
        memory = self._gpu.memory
        sums = memory.array(out)
        self._gpu.reduce_segments(memory.array(values), memory.array(indptr.astype(np.int64)), monoid, sums)
        out[:] = _on_host(sums)


#: The squares of blocks. A square's neighbours are a view of its own, which stands for it on the GPU.
_squares: WeakIdentityDict[tuple[Array, Array]] = WeakIdentityDict()


def squared(rows: Adjacency) -> Adjacency:
    """The block with at least as many rows as columns, as kernels of a GPU expect, and 64-bit offsets.

    It is the same square for as long as the block lives, so that its edges stay on the GPU from call to call.
    """
    square = _squares.get(rows.indptr)
    if square is None:
        missing = max(0, rows.num_columns - rows.num_vertices)
        indptr = np.append(rows.indptr.astype(np.int64), np.full(missing, rows.num_arcs, np.int64))
        square = _squares[rows.indptr] = indptr, rows.indices.view()
    return Adjacency(square[0], square[1], rows.weights)


def engine_for(device: str, member: Member) -> Engine:
    """The engine of a member: what the cluster was started with for "auto", and a GPU for "cuda"."""
    gpu = gpu_of_member(member, device)
    return CpuEngine() if gpu is None else GpuBlocks(gpu)


def gpu_of_member(member: Member, device: str) -> Device | None:
    """The GPU that a member uses; None for the CPU."""
    device = member.device if device == "auto" else device
    if device == "cpu":
        return None
    if device not in ("cuda", EMULATED):
        raise GraphError(f'device is {device!r}; on a cluster, use "auto", "cpu" or "cuda".')
    return gpu_for(device, 0)


def _on_host(array: Any) -> Array:
    return array if isinstance(array, np.ndarray) else np.asarray(array.get())
