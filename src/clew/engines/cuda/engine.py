"""The CUDA engine: the waist over arrays on a device, in kernels with the operators linked in."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from clew.adjacency import Adjacency
from clew.dtypes import OFFSET, WEIGHT_DTYPES, Array, is_on_gpu
from clew.engines.base import columns_of
from clew.engines.cuda.memory.device_graph import rows_on
from clew.engines.cuda.products import spmv, vectors
from clew.engines.cuda.products.spgemm import spgemm
from clew.engines.cuda.products.spmspv import spmspv
from clew.engines.cuda.products.spmv import AUTO, SpmvMethod
from clew.engines.cuda.products.vectors import true_places
from clew.engines.cuda.toolchain.device import Device
from clew.engines.cuda.toolchain.failures import clean
from clew.engines.retry import retried
from clew.graph import Graph
from clew.layouts import Layout
from clew.operators import Monoid, Operator, Semiring


class DeviceMemory:
    """The memory of a GPU, or that of its emulation, which is the host's."""

    def __init__(self, device: Device) -> None:
        self.device, self.xp = device, device.xp
        self.empty, self.full = device.empty, device.full

    def array(self, values: npt.ArrayLike | Any) -> Any:
        """Arrays on the GPU as they are, others copied there; dtypes that kernels do not take stay on the host."""
        if isinstance(values, self.xp.ndarray):
            return values
        if is_on_gpu(values):
            return self.xp.asarray(values)
        host = np.asarray(values)
        native = host.dtype.newbyteorder("=")
        return self.device.upload(host.astype(native, copy=False)) if native in WEIGHT_DTYPES else host

    def segments(self, rows: Adjacency) -> tuple[Any, Any]:
        """The weights and offsets of the rows on the device."""
        held = rows_on(self.device, rows)
        return held.weights, held.offsets.astype(np.int64)


class CudaEngine:
    """Every primitive on a GPU, or on its emulation.

    Parameters
    ----------
    device
        Where the arrays are and the kernels run.
    method
        How spmv goes through compressed rows; by default what suits their degrees.
    """

    name = "cuda"

    def __init__(self, device: Device, method: SpmvMethod = AUTO) -> None:
        self.device, self.method, self.memory = device, method, DeviceMemory(device)

    @clean("spmv cannot be computed on the GPU")
    def spmv(self, edges: Layout, x: Any, semiring: Semiring, mask: Any, out: Any) -> None:
        """Pull along every edge."""
        spmv.spmv(self.device, edges, x, semiring, mask, out, self.method)

    @clean("spmv cannot be computed on the GPU")
    def spmv_bits(self, rows: Adjacency, words: Any, semiring: Semiring, mask: Any, out: Any) -> None:
        """Pull from a bit vector into a bit vector of zeros, over a semiring of truth values."""
        if rows.num_vertices:
            spmv.spmv_bits(self.device, rows_on(self.device, rows), words, semiring, mask, out, self.method)

    @clean("spmspv cannot be computed on the GPU")
    def spmspv(
        self, rows: Adjacency, active: Any, values: Any, semiring: Semiring, mask: Any, merge: str
    ) -> tuple[Any, Any]:
        """Push along the edges of the active vertices."""
        return spmspv(self.device, rows, active, values, semiring, mask, merge)

    @clean("spgemm cannot be computed on the GPU")
    def spgemm(self, a: Adjacency, b: Adjacency, semiring: Semiring, mask: Adjacency | None) -> Adjacency:
        """Matrix times matrix, row by row."""
        return spgemm(self.device, a, b, semiring, mask)

    @clean("reduce_segments cannot be computed on the GPU")
    def reduce_segments(self, values: Any, indptr: Any, monoid: Monoid, out: Any) -> None:
        """Reduce each segment."""
        spmv.reduce_segments(self.device, values, indptr, monoid, out)

    @clean("elementwise cannot be computed on the GPU")
    def elementwise(self, operator: Operator, u: Any, v: Any, out: Any) -> None:
        """Combine element by element."""
        vectors.elementwise(self.device, operator, u, v, out)

    @clean("outer cannot be computed on the GPU")
    def outer(self, operator: Operator, u: Any, v: Any, out: Any) -> None:
        """Combine every pair."""
        vectors.outer(self.device, operator, u, v, out)

    @clean("compact cannot be computed on the GPU")
    def compact(self, mask: Any) -> Any:
        """Where the mask is true."""
        return true_places(self.device, mask, mask.size, OFFSET)[0]

    @retried
    def run_program(self, program: Any, graph: Graph, state: Array, active: Array) -> tuple[Any, dict[str, Any]]:
        """Run a vertex program from ``state``, a record per vertex; returns how it ended, and the fields on the GPU."""
        from clew.engines.cuda.program.program import run_program

        values = {name: self.device.upload(column) for name, column in columns_of(state).items()}
        return run_program(self.device, program, graph, values, active), values
