"""Booleans as bit vectors: 32-bit words, the first vertex in the lowest bit of the first word."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from clew.dtypes import Array
from clew.engines.memory import Memory
from clew.errors import GraphError
from clew.graph import Graph
from clew.layouts import Layout, csr
from clew.operators import Semiring
from clew.primitives.arguments import engine_of, layout_of, selection_of

WORD = 32


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
    array = engine.memory.xp.ascontiguousarray(engine.memory.array(mask))
    if array.ndim != 1 or array.dtype != np.bool_:
        raise GraphError(f"the mask is {array.dtype}{array.shape}; expected booleans in one dimension.")
    return _packed(engine, array)


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
    wanted = selection_of(mask, complement, n, memory)
    if engine.name == "cuda":
        found: Array = memory.full(given.shape, 0, np.uint32)
        engine.spmv_bits(rows, given, semiring, wanted, found)
        return found
    visited = memory.full(n, False, np.bool_)
    engine.spmv(rows, _unpacked(engine, given, n), semiring, wanted, visited)
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
