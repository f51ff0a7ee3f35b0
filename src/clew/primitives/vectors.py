"""Operators over vectors and tables, and bit vectors.

A bit vector has 32-bit words. The first vertex is the lowest bit of the first word.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from clew.dtypes import OFFSET, Array
from clew.engines.base import Memory
from clew.errors import GraphError
from clew.graph import Graph
from clew.layouts import Layout, csr
from clew.operators import Monoid, Operator, Semiring, monoids
from clew.primitives.arguments import array_of, engine_of, layout_of, selection_of

WORD = 32  # bits


def elementwise(operator: Operator | Any, u: npt.ArrayLike, v: npt.ArrayLike, *, device: str = "auto") -> Array:
    """``operator(u[i], v[i])`` for every i, for arrays of the same shape or a scalar.

    The dtype is the one NumPy gives the operator's result (``Operator.result_dtype``).

    Examples
    --------
    >>> import clew
    >>> clew.elementwise(clew.operators.max, [1, 5, 3], [2, 4, 3]).tolist()
    [2, 5, 3]
    """
    engine, operator = engine_of(device, 0, u, v), Operator(operator)
    memory, xp = engine.memory, engine.memory.xp
    left, right = array_of(u, "u", (0, 1, 2), memory), array_of(v, "v", (0, 1, 2), memory)
    if left.shape != right.shape and left.ndim and right.ndim:
        raise GraphError(f"u and v have shapes {left.shape} and {right.shape}; expected the same shape.")
    shape = np.broadcast_shapes(left.shape, right.shape)
    left, right = (xp.ascontiguousarray(xp.broadcast_to(array, shape)) for array in (left, right))
    out = memory.empty(left.shape, operator.result_dtype(left.dtype, right.dtype))
    engine.elementwise(operator, left, right, out)
    return out


def outer(operator: Operator | Any, u: npt.ArrayLike, v: npt.ArrayLike, *, device: str = "auto") -> Array:
    """``operator(u[i], v[j])`` for every i and j: with plus, the outer sum.

    Examples
    --------
    >>> import clew
    >>> clew.outer(clew.operators.plus, [1, 2], [10, 20, 30]).tolist()
    [[11, 21, 31], [12, 22, 32]]
    """
    engine, operator = engine_of(device, 0, u, v), Operator(operator)
    memory = engine.memory
    left, right = array_of(u, "u", memory=memory), array_of(v, "v", memory=memory)
    out = memory.empty((left.size, right.size), operator.result_dtype(left.dtype, right.dtype))
    engine.outer(operator, left, right, out)
    return out


def reduce_segments(
    edges: Graph | Layout | tuple[npt.ArrayLike, npt.ArrayLike], monoid: Monoid = monoids.plus, *, device: str = "auto"
) -> Array:
    """Reduce the values of every segment, such as the weights of every vertex's out-edges.

    Parameters
    ----------
    edges
        A graph or layout (without weights, every edge counts as the integer 1). Or (values, indptr): segment i is
        ``values[indptr[i]:indptr[i + 1]]``.
    monoid
        The reduction. Empty segments give its identity.
    device
        "auto", "cpu", "cuda" or "reference".

    Examples
    --------
    >>> import clew
    >>> g = clew.Graph.from_edges([0, 0, 1], [1, 2, 2], [3, 4, 5])
    >>> clew.reduce_segments(g, clew.monoids.max).tolist()[:2]
    [4, 5]
    >>> clew.reduce_segments(([1.0, 2.0, 4.0], [0, 2, 2, 3])).tolist()
    [3.0, 0.0, 4.0]
    """
    if isinstance(edges, tuple):
        engine = engine_of(device, 0, *edges)
        memory = engine.memory
        values = array_of(edges[0], "values", memory=memory)
        indptr = memory.xp.ascontiguousarray(memory.array(edges[1]))
        if indptr.ndim != 1 or indptr.size < 1 or indptr.dtype.kind not in "iu":
            raise GraphError("indptr must be a list of integers: the start of each segment, and the end of the last.")
        if indptr[0] < 0 or indptr[-1] > values.size or (indptr[1:] < indptr[:-1]).any():
            raise GraphError(f"indptr must ascend from 0 or more to at most {values.size:,}, the number of values.")
        indptr = indptr.astype(OFFSET, copy=False)
    else:
        rows = csr(edges)
        engine = engine_of(device, rows.num_arcs)
        memory = engine.memory
        values, indptr = memory.segments(rows)
        values = memory.full(rows.num_arcs, 1, np.int64) if values is None else values
    out = memory.empty(indptr.size - 1, monoid.operator.result_dtype(values.dtype, values.dtype))
    engine.reduce_segments(values, indptr, monoid, out)
    return out


def compact(mask: npt.ArrayLike, *, device: str = "auto") -> Array:
    """The indices where ``mask`` is true, ascending.

    Examples
    --------
    >>> import clew
    >>> clew.compact([False, True, True]).tolist()
    [1, 2]
    """
    engine = engine_of(device, 0, mask)
    return engine.compact(_booleans(mask, engine.memory))


def pack_bits(mask: npt.ArrayLike, *, device: str = "auto") -> Array:
    """Pack booleans into a bit vector for ``spvisit(..., bits=True)``: an eighth of the bytes.

    Parameters
    ----------
    mask
        Booleans.
    device
        "auto", "cpu" or "cuda".

    Returns
    -------
    ndarray
        Words of 32 bits (uint32). The first boolean is in the lowest bit of the first word. Bits past the end are 0.

    Examples
    --------
    >>> import clew
    >>> clew.pack_bits([True, False, True]).tolist()
    [5]
    """
    engine = engine_of(device, 0, mask)
    return _packed(engine, _booleans(mask, engine.memory))


def _booleans(mask: npt.ArrayLike, memory: Memory) -> Any:
    array = memory.xp.ascontiguousarray(memory.array(mask))
    if array.ndim != 1 or array.dtype != np.bool_:
        raise GraphError(f"the mask is {array.dtype}{array.shape}; expected booleans in one dimension.")
    return array


def unpack_bits(words: npt.ArrayLike, count: int, *, device: str = "auto") -> Array:
    """Unpack the first ``count`` bits of a bit vector into booleans: the inverse of ``pack_bits``.

    Parameters
    ----------
    words
        A bit vector from ``pack_bits`` or ``spvisit(..., bits=True)``.
    count
        The number of bits, usually the number of vertices.
    device
        "auto", "cpu" or "cuda".

    Examples
    --------
    >>> import clew
    >>> clew.unpack_bits(clew.pack_bits([True, False, True]), 3).tolist()
    [True, False, True]
    """
    engine = engine_of(device, 0, words)
    return _unpacked(engine, _words_of(words, count, engine.memory), count)


def visit_bits(
    edges: Graph | Layout,
    words: npt.ArrayLike,
    semiring: Semiring,
    *,
    transpose: bool = False,
    mask: npt.ArrayLike | None = None,
    complement: bool = False,
    device: str = "auto",
) -> Array:
    """Spmv from a bit vector into a new one, over a Boolean semiring."""
    rows = csr(layout_of(edges, transpose=transpose))
    n = rows.num_vertices
    engine: Any = engine_of(device, rows.num_arcs, words, hybrid=True)
    memory = engine.memory
    given = _words_of(words, n, memory)
    selection = selection_of(mask, complement, n, memory)
    if engine.name == "cuda":
        found: Array = memory.full(given.shape, 0, np.uint32)
        engine.spmv_bits(rows, given, semiring, selection, found)
        return found
    visited = memory.full(n, False, np.bool_)
    engine.spmv(rows, _unpacked(engine, given, n), semiring, selection, visited)
    return _packed(engine, visited)


def _words_of(words: npt.ArrayLike, count: int, memory: Memory) -> Any:
    array, expected = memory.array(words), -(-count // WORD)
    if array.dtype != np.uint32 or array.shape != (expected,):
        raise GraphError(
            f"the bit vector is {array.dtype}{array.shape}; expected {expected:,} words of uint32, for {count:,} bits.",
            remedy="Create it with clew.pack_bits(mask).",
        )
    return memory.xp.ascontiguousarray(array)


def _packed(engine: Any, array: Any) -> Array:
    if engine.name == "cuda":
        from clew.engines.cuda.products.vectors import packed

        words: Array = packed(engine.device, array)
        return words
    octets = np.zeros(-(-array.size // WORD) * 4, np.uint8)
    octets[: -(-array.size // 8)] = np.packbits(array, bitorder="little")
    return octets.view("<u4").astype(np.uint32, copy=False)


def _unpacked(engine: Any, words: Any, count: int) -> Array:
    if engine.name == "cuda":
        from clew.engines.cuda.products.vectors import unpacked

        values: Array = unpacked(engine.device, words, count)
        return values
    octets = words.astype("<u4", copy=False).view(np.uint8)
    return np.unpackbits(octets, count=count, bitorder="little").view(np.bool_)
