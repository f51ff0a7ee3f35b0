"""The waist: the few operations that every engine implements, and that all algorithms can be written in.

Notation: A is the n × n matrix of the edges, an entry A[i, j] = w for every edge i → j of weight w (several for several
edges; without weights, w is 1 in the dtype of the other operand). ⊕ and ⊗ are a semiring's add and multiply, 0 is the
identity of ⊕. A sum over nothing is 0. ⊕ is associative and commutative, so an engine adds in whatever order suits it;
for floats that order must be fixed by the graph alone, never by the number of threads.

Arguments reach an engine checked, converted and contiguous; ``clew.primitives`` sees to that, so that an engine is
memory and compiled code and nothing else.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from clew.adjacency import Adjacency
from clew.dtypes import Array
from clew.engines.memory import Memory
from clew.layouts import Layout
from clew.operators import Monoid, Operator, Semiring


class Engine(Protocol):
    """What computes the primitives on one kind of device."""

    name: str

    @property
    def memory(self) -> Memory:
        """Where the arrays that it takes and makes are."""

    def spmv(self, edges: Layout, x: Array, semiring: Semiring, wanted: Array | None, out: Array) -> None:
        """Pull: out[i] = ⊕ over edges i → j of w ⊗ x[j], for every i (where ``wanted[i]``; others stay as they are)."""

    def spmspv(
        self, rows: Adjacency, active: Array, values: Array, semiring: Semiring, wanted: Array | None, merge: str
    ) -> tuple[Array, Array]:
        """Push: y[j] = ⊕ over edges i → j, i in ``active``, of w ⊗ values[i], for every j such an edge leads to.

        ``active`` is ascending without repeats and values[k] belongs to active[k]. Returns the j, ascending and only
        where ``wanted[j]``, and the y[j]. ``merge`` says how products of the same j are brought together: "none"
        (scatter into a dense vector), "merge" or "radix" (sort), or "auto".
        """

    def spgemm(self, a: Adjacency, b: Adjacency, semiring: Semiring, mask: Adjacency | None) -> Adjacency:
        """C[i, j] = ⊕ over k with edges i → k of ``a`` and k → j of ``b`` of a[i, k] ⊗ b[k, j]; rows ascending.

        Entries are those that at least one such k makes and, with ``mask``, at which it has an edge too.
        """

    def reduce_segments(self, values: Array, indptr: Array, monoid: Monoid, out: Array) -> None:
        """out[i] = ⊕ of values[indptr[i]:indptr[i + 1]]."""

    def elementwise(self, operator: Operator, u: Array, v: Array, out: Array) -> None:
        """out[i] = operator(u[i], v[i]), for arrays of one shape."""

    def outer(self, operator: Operator, u: Array, v: Array, out: Array) -> None:
        """out[i, j] = operator(u[i], v[j])."""

    def compact(self, mask: Array) -> Array:
        """The i where mask[i] is true, ascending."""


def weight_dtypes(a: Adjacency, b: Adjacency) -> tuple[np.dtype[Any], np.dtype[Any]]:
    """The dtypes that the entries of a product's two matrices have; int64 where neither has weights."""
    left = None if a.weights is None else a.weights.dtype
    right = None if b.weights is None else b.weights.dtype
    return left or right or np.dtype(np.int64), right or left or np.dtype(np.int64)
