"""The CPU engine: the waist in kernels that Numba compiles with the operators inlined.

``team`` runs one kernel on many threads, ``products`` has the primitives, ``program`` runs vertex programs.
"""

from __future__ import annotations

import numpy as np

from clew.engines.base import HOST
from clew.engines.cpu import products


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
