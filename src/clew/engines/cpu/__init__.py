"""The CPU engine: the waist in kernels that Numba compiles with the operators inlined.

``team`` runs one kernel on many threads, ``products`` has the primitives, ``program`` runs vertex programs.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.dtypes import Array
from clew.engines.base import HOST, columns_of
from clew.engines.cpu import products
from clew.graph import Graph


class CpuEngine:
    """Every primitive on all cores."""

    name = "cpu"
    memory = HOST
    spmv = staticmethod(products.spmv)
    spmspv = staticmethod(products.spmspv)
    spgemm = staticmethod(products.spgemm)
    reduce_segments = staticmethod(products.reduce_segments)
    elementwise = staticmethod(products.elementwise)
    outer = staticmethod(products.outer)
    compact = staticmethod(np.flatnonzero)  # at the speed of memory

    def run_program(self, program: Any, graph: Graph, state: Array, active: Array) -> tuple[Any, dict[str, Array]]:
        """Run a vertex program on ``state``, a record per vertex; returns how it ended, and the fields."""
        from clew.engines.cpu.program import run_program

        return run_program(program, graph, state, active), columns_of(state)
