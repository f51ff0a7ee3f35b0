"""CPU and GPU together: products with vectors on the host, and vertex programs whose state stays on the CPU."""

from __future__ import annotations

from typing import Any

from clew.dtypes import Array
from clew.engines.cpu import CpuEngine
from clew.engines.cuda.engine import CudaEngine
from clew.engines.cuda.products.spmv import AUTO, SpmvMethod
from clew.engines.cuda.toolchain.device import Device
from clew.graph import Graph
from clew.layouts import Layout
from clew.operators import Semiring


class HybridEngine(CpuEngine):
    """The CPU's engine, but for spmv and vertex programs."""

    name = "hybrid"

    def __init__(self, device: Device, method: SpmvMethod = AUTO) -> None:
        self.device, self.other = device, CudaEngine(device, method)

    def spmv(self, edges: Layout, x: Array, semiring: Semiring, mask: Array | None, out: Array) -> None:
        """Pull along every edge, on the GPU; x goes there and the result comes back."""
        device = self.device
        selection = None if mask is None else device.upload(mask)
        result = device.upload(out) if mask is not None else device.empty(out.shape, out.dtype)
        self.other.spmv(edges, device.upload(x), semiring, selection, result)
        out[...] = device.download(result)

    def run_program(self, program: Any, graph: Graph, state: Array, active: Array) -> tuple[Any, dict[str, Array]]:
        """Run a vertex program on the GPU where possible, else on both, else on the CPU."""
        from clew.engines.hybrid.program import run_hybrid

        return run_hybrid(self.device, program, graph, state, active)
