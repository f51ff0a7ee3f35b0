"""The reference engine: every primitive as its definition reads, in plain Python loops. Slow, and the oracle."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from clew.adjacency import Adjacency
from clew.dtypes import OFFSET, Array
from clew.engines.base import HOST, weight_dtypes
from clew.layouts import Layout, csr
from clew.operators import Monoid, Operator, Semiring


class ReferenceEngine:
    """What the other engines are compared with."""

    name = "reference"
    memory = HOST

    def spmv(self, edges: Layout, x: Array, semiring: Semiring, mask: Array | None, out: Array) -> None:
        """out[i] = ⊕ over edges i → j of w ⊗ x[j]."""
        rows = csr(edges)
        for i in range(rows.num_vertices):
            if mask is None or mask[i]:
                products = (_product(semiring, w, x[j], out.dtype) for j, w in row(rows, i, x.dtype))
                out[i] = _sum(semiring.add, products, out.dtype)

    def spmspv(
        self, rows: Adjacency, active: Array, values: Array, semiring: Semiring, mask: Array | None, merge: str
    ) -> tuple[Array, Array]:
        """y[j] = ⊕ over edges i → j, i active, of w ⊗ values[i]; ``merge`` makes no difference here."""
        del merge
        dtype = semiring.result_dtype(_weight_dtype(rows, values.dtype), values.dtype)
        products: dict[int, list[Any]] = {}
        for i, value in zip(active, values, strict=True):
            for j, w in row(rows, i, values.dtype):
                if mask is None or mask[j]:
                    products.setdefault(int(j), []).append(_product(semiring, w, value, dtype))
        found = sorted(products)
        sums = [_sum(semiring.add, products[j], dtype) for j in found]
        return np.array(found, dtype=rows.indices.dtype), np.array(sums, dtype=dtype)

    def spgemm(self, a: Adjacency, b: Adjacency, semiring: Semiring, mask: Adjacency | None) -> Adjacency:
        """C[i, j] = ⊕ over k of a[i, k] ⊗ b[k, j]."""
        left, right = weight_dtypes(a, b)
        dtype = semiring.result_dtype(left, right)
        indptr = np.zeros(a.num_vertices + 1, dtype=OFFSET)
        columns: list[int] = []
        weights: list[Any] = []
        for i in range(a.num_vertices):
            products: dict[int, list[Any]] = {}
            allowed = None if mask is None else {int(j) for j, _ in row(mask, i, right)}
            for k, w in row(a, i, left):
                for j, x in row(b, k, right):
                    if allowed is None or int(j) in allowed:
                        products.setdefault(int(j), []).append(_product(semiring, w, x, dtype))
            for j in sorted(products):
                columns.append(j)
                weights.append(_sum(semiring.add, products[j], dtype))
            indptr[i + 1] = len(columns)
        indices: Any = np.array(columns, dtype=a.indices.dtype)
        return Adjacency(indptr, indices, np.array(weights, dtype=dtype))

    def reduce_segments(self, values: Array, indptr: Array, monoid: Monoid, out: Array) -> None:
        """out[i] = ⊕ of values[indptr[i]:indptr[i + 1]]."""
        for i in range(out.size):
            out[i] = _sum(monoid, values[indptr[i] : indptr[i + 1]], out.dtype)

    def elementwise(self, operator: Operator, u: Array, v: Array, out: Array) -> None:
        """out[i] = operator(u[i], v[i])."""
        with np.errstate(all="ignore"):
            for place in np.ndindex(out.shape):
                out[place] = cast(operator(u[place], v[place]), out.dtype)

    def outer(self, operator: Operator, u: Array, v: Array, out: Array) -> None:
        """out[i, j] = operator(u[i], v[j])."""
        with np.errstate(all="ignore"):
            for i, j in np.ndindex(out.shape):
                out[i, j] = cast(operator(u[i], v[j]), out.dtype)

    def compact(self, mask: Array) -> Array:
        """The i where mask[i] is true."""
        return np.array([i for i in range(mask.size) if mask[i]], dtype=OFFSET)


def row(rows: Adjacency, i: Any, dtype: np.dtype[Any]) -> Iterable[tuple[Any, Any]]:
    """The (column, weight) of every edge of row i; the weight is 1 of ``dtype`` where there are none."""
    for k in range(rows.indptr[i], rows.indptr[i + 1]):
        yield rows.indices[k], dtype.type(1) if rows.weights is None else rows.weights[k]


def _weight_dtype(rows: Adjacency, dtype: np.dtype[Any]) -> np.dtype[Any]:
    return dtype if rows.weights is None else rows.weights.dtype


def _product(semiring: Semiring, weight: Any, x: Any, dtype: np.dtype[Any]) -> Any:
    if semiring.absorbing and x.dtype.kind in "iu" and x == semiring.add.identity(x.dtype):
        return semiring.add.identity(dtype)
    with np.errstate(all="ignore"):
        return cast(semiring.multiply(weight, x), dtype)


def _sum(monoid: Monoid, values: Iterable[Any], dtype: np.dtype[Any]) -> Any:
    total = None
    with np.errstate(all="ignore"):
        for value in values:
            total = value if total is None else cast(monoid(total, value), dtype)
    return monoid.identity(dtype) if total is None else total


def cast(value: Any, dtype: np.dtype[Any]) -> Any:
    """A number as a scalar of ``dtype``."""
    return np.asarray(value).astype(dtype)[()]
