"""The CPU engine: the waist in kernels that Numba compiles with the operators inlined."""

from __future__ import annotations

import numpy as np

from clew.adjacency import Adjacency
from clew.dtypes import Array
from clew.engines.cpu import products
from clew.engines.memory import HOST
from clew.layouts import Layout
from clew.operators import Monoid, Operator, Semiring


class CpuEngine:
    """Every primitive on all cores."""

    name = "cpu"
    memory = HOST

    def spmv(self, edges: Layout, x: Array, semiring: Semiring, wanted: Array | None, out: Array) -> None:
        """Pull along every edge."""
        products.spmv(edges, x, semiring, wanted, out)

    def spmspv(
        self, rows: Adjacency, active: Array, values: Array, semiring: Semiring, wanted: Array | None, merge: str
    ) -> tuple[Array, Array]:
        """Push along the edges of the active vertices."""
        from clew.engines.cpu.spmspv import spmspv

        return spmspv(rows, active, values, semiring, wanted, merge)

    def spgemm(self, a: Adjacency, b: Adjacency, semiring: Semiring, mask: Adjacency | None) -> Adjacency:
        """Matrix times matrix, row by row."""
        from clew.engines.cpu import spgemm

        return spgemm.spgemm(a, b, semiring, mask)

    def reduce_segments(self, values: Array, indptr: Array, monoid: Monoid, out: Array) -> None:
        """Reduce each segment."""
        products.reduce_segments(values, indptr, monoid, out)

    def elementwise(self, operator: Operator, u: Array, v: Array, out: Array) -> None:
        """Combine element by element."""
        products.elementwise(operator, u, v, out)

    def outer(self, operator: Operator, u: Array, v: Array, out: Array) -> None:
        """Combine every pair."""
        products.outer(operator, u, v, out)

    def compact(self, mask: Array) -> Array:
        """Where the mask is true; NumPy does this at the speed of memory."""
        return np.flatnonzero(mask)
