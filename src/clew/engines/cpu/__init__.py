"""The CPU engine: the waist in kernels that Numba compiles with the operators inlined.

``team`` runs one kernel on many threads, ``products`` has the primitives, ``program`` runs vertex programs.
"""

from __future__ import annotations

import numpy as np

from clew.engines.base import HOST
from clew.engines.cpu.products import spmv as dense
from clew.engines.cpu.products.spgemm import spgemm
from clew.engines.cpu.products.spmspv import spmspv


class CpuEngine:
    """Every primitive on all cores."""

    name = "cpu"
    memory = HOST
    spmv = staticmethod(dense.spmv)
    spmspv = staticmethod(spmspv)
    spgemm = staticmethod(spgemm)
    reduce_segments = staticmethod(dense.reduce_segments)
    elementwise = staticmethod(dense.elementwise)
    outer = staticmethod(dense.outer)
    compact = staticmethod(np.flatnonzero)  # at the speed of memory
