"""The waist: the few operations that every engine implements, and that all algorithms can be written in.

Notation: A is the n × n matrix of the edges, with an entry A[i, j] = w for every edge i → j of weight w. Several edges
are several entries. Without weights, w is 1 in the dtype of the other operand. ⊕ and ⊗ are a semiring's add and
multiply, 0 is the identity of ⊕. A sum over nothing is 0. ⊕ is associative and commutative, so an engine may add in any
order. For floats that order must be fixed by the graph alone, never by the number of threads.

Arguments reach an engine checked, converted and contiguous; ``clew.primitives`` sees to that, so that an engine is
memory and compiled code and nothing else.

``Memory`` is where an engine's arrays are, the host's memory or a GPU's. The primitives make arrays through it.
"""

from __future__ import annotations

import ctypes
import sys
from importlib.abc import MetaPathFinder
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from clew.adjacency import Adjacency
from clew.dtypes import Array, is_on_gpu
from clew.errors import GraphError, ResourceError
from clew.free_memory import available_bytes
from clew.layouts import Layout
from clew.operators import Monoid, Operator, Semiring

UNCHECKED = 1 << 24  # bytes that are allocated without a check, which takes up to 0.5 ms
TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3  # M_TRIM_THRESHOLD and M_MMAP_THRESHOLD of <malloc.h>


class Engine(Protocol):
    """What computes the primitives on one kind of device."""

    name: str

    @property
    def memory(self) -> Memory:
        """Where the arrays that it takes and makes are."""

    def spmv(self, edges: Layout, x: Array, semiring: Semiring, mask: Array | None, out: Array) -> None:
        """Pull: out[i] = ⊕ over edges i → j of w ⊗ x[j], for every i (where ``mask[i]``; others stay as they are)."""

    def spmspv(
        self, rows: Adjacency, active: Array, values: Array, semiring: Semiring, mask: Array | None, merge: str
    ) -> tuple[Array, Array]:
        """Push: y[j] = ⊕ over edges i → j, i in ``active``, of w ⊗ values[i], for every j such an edge leads to.

        ``active`` is ascending without repeats and values[k] belongs to active[k]. Returns the j, ascending and only
        where ``mask[j]``, and the y[j]. ``merge`` says how products of the same j are brought together: "none"
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


class Memory(Protocol):
    """Arrays of one memory; ``xp`` is the module that computes with them."""

    xp: Any

    def array(self, values: npt.ArrayLike | Any) -> Any:
        """Values as an array in this memory, without a copy where they are there."""

    def empty(self, shape: int | tuple[int, ...], dtype: npt.DTypeLike) -> Array:
        """An array to be filled."""

    def full(self, shape: int | tuple[int, ...], value: Any, dtype: npt.DTypeLike) -> Array:
        """An array of one value."""

    def segments(self, rows: Adjacency) -> tuple[Any, Any]:
        """The weights of rows (None without) and where the rows start and end."""


class HostMemory:
    """NumPy's."""

    xp: Any = np

    def array(self, values: npt.ArrayLike | Any) -> Any:
        """NumPy's ``asarray``; a GPU's arrays are not fetched behind the user's back."""
        if is_on_gpu(values):
            raise GraphError('an array is in GPU memory; use device="cuda", or fetch it first (array.get()).')
        return np.asarray(values)

    def empty(self, shape: int | tuple[int, ...], dtype: npt.DTypeLike) -> Array:
        """NumPy's ``empty``."""
        return np.empty(shape, dtype)

    def full(self, shape: int | tuple[int, ...], value: Any, dtype: npt.DTypeLike) -> Array:
        """NumPy's ``full``."""
        return np.full(shape, value, dtype)

    def segments(self, rows: Adjacency) -> tuple[Any, Any]:
        """The rows' own arrays."""
        return rows.weights, rows.indptr


HOST = HostMemory()


def columns_of(state: Array) -> dict[str, Array]:
    """The fields of records, one array each."""
    return {name: np.ascontiguousarray(state[name]) for name in state.dtype.names or ()}


def keep_little_memory() -> None:
    """Prepare a process of clew's own, so that it keeps little memory that it does not use.

    By default, glibc soon takes arrays of up to 32 MB from its heaps, where holes remain. Here arrays of 4 MB and more
    have pages of their own, and freeing the array returns them to the system. Smaller arrays come and go too often: to
    map them each time took 20 % more time for reading files.

    Arrow imports pandas when it first makes an array, because it looks for pandas' objects. That takes 30 MB.
    """
    import pyarrow as pa

    libc = ctypes.CDLL(None)
    if hasattr(libc, "mallopt"):  # of glibc
        libc.mallopt(MMAP_THRESHOLD, 4 << 20)
        libc.mallopt(TRIM_THRESHOLD, 16 << 20)
    sys.meta_path.insert(0, _NoPandas)
    try:
        pa.array([0])
    finally:
        sys.meta_path.remove(_NoPandas)


class _NoPandas(MetaPathFinder):
    """A finder with which an import of pandas fails."""

    @classmethod
    def find_spec(cls, name: str, *_: object) -> None:
        if name == "pandas":
            raise ImportError(name=name)


def return_free_memory() -> None:
    """Give back to the system what is free inside this process: later arrays have other sizes."""
    arrow, libc = sys.modules.get("pyarrow"), ctypes.CDLL(None)
    if arrow is not None:
        arrow.default_memory_pool().release_unused()
    if hasattr(libc, "malloc_trim"):  # of glibc
        libc.malloc_trim(0)


def check_available(needed: int, what: str, remedy: str) -> None:
    """Refuse ``what`` where it takes more bytes than are available. Small allocations are not checked."""
    if needed <= UNCHECKED:
        return
    present = available_bytes()
    if needed > present:
        raise ResourceError(f"{what} needs {needed:,} bytes, but {present:,} bytes are available; {remedy}.")
