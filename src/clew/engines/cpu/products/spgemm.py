"""Matrix times matrix on the CPU: blocks of rows with about as many products each, and long rows in parts."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew import threads
from clew.adjacency import Adjacency
from clew.dtypes import OFFSET, Array, as_bits
from clew.engines.base import weight_dtypes
from clew.engines.cpu.compiler import kernel
from clew.engines.cpu.products import frozen
from clew.operators import Semiring

GRAIN = 1 << 16  # products to a block, at least
SURE = 1 << 24  # entries that a block has room for from the start: what is not used takes no memory


def spgemm(a: Adjacency, b: Adjacency, semiring: Semiring, mask: Adjacency | None) -> Adjacency:
    """The product of two matrices, at the entries of ``mask`` where there is one."""
    from clew.engines.cpu.products import kernels_spgemm as kernels

    products = np.empty(a.num_vertices, dtype=np.uint64)
    pieces = threads.pieces(a.num_arcs)
    threads.each(kernels.count_products, pieces, pieces, *a.unsigned(), as_bits(b.indptr), products)
    units = units_of(products)

    left, right = weight_dtypes(a, b)
    dtype = semiring.result_dtype(left, right)
    absorbing = semiring.absorbing and right.kind in "iu"
    numbers = (semiring.add.identity(dtype), semiring.add.identity(right) if absorbing else right.type(0))
    weights = (_or_one(a.weights, left), _or_one(b.weights, right))
    steps = np.array([a.weights is not None, b.weights is not None], dtype=np.uint64)
    compiled = kernel(
        kernels.make_multiply, semiring.add.operator.function, semiring.multiply.function, absorbing=absorbing
    )
    rows = (a.unsigned(), b.unsigned(), None if mask is None else mask.unsigned())
    given = (units, products, *rows, *map(frozen, weights), steps, numbers)
    room = room_for(units, products, mask)

    def multiplied(piece: int) -> Any:
        lengths = np.empty(int(units[1, piece] - units[0, piece]), OFFSET)
        columns, sums = np.empty(room[piece], a.indices.dtype), np.empty(room[piece], dtype)
        return lengths, *compiled.dispatcher(piece, *given, lengths, as_bits(columns), sums)

    parts = compiled.run(multiplied, units.shape[1])
    return _joined(parts, units, a.num_vertices, a.indices.dtype, dtype)


def units_of(products: Array) -> Array:
    """First and last rows, first and last columns of the pieces of work, in the order of their results.

    A row with more products than a piece should have is in pieces of its own, each with some of the columns: every
    entry is computed by one thread, in the order of the edges, wherever the cuts are.
    """
    size = products.size
    work = np.cumsum(products) + np.arange(size, dtype=np.uint64)
    pieces = threads.pieces(int(work[-1]) if size else 0, GRAIN)
    if pieces == 1:
        return np.array([[0], [size], [0], [size]], dtype=np.uint64)
    goal = float(work[-1]) / pieces
    cuts = np.searchsorted(work, (np.arange(1, pieces) * goal).astype(np.uint64))
    hubs = np.unique(cuts[products[np.minimum(cuts, size - 1)] > 2 * goal])
    bounds = np.unique(np.concatenate(([0, size], cuts, hubs, hubs + 1)))
    units: list[tuple[int, int, int, int]] = []
    for first, last in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        parts = min(size, int(products[first] / goal) + 1) if last == first + 1 else 1
        units += [(first, last, size * part // parts, size * (part + 1) // parts) for part in range(parts)]
    return np.ascontiguousarray(np.array(units, dtype=np.uint64).T)


def room_for(units: Array, products: Array, mask: Adjacency | None) -> Array:
    """How many entries each piece of work gets room for: as many as it can have, fewer where these are very many.

    NumPy allocates it, not the kernel: NumPy puts large arrays into large pages, which takes a quarter of the time.
    """
    first, last, low, high = units
    if mask is not None:
        room: Array = mask.indptr[last] - mask.indptr[first]
        return room
    if last.size == 1 and (total := int(products.sum())) <= SURE:  # small products: nothing is worth a closer look
        return np.array([total])
    pieces = zip(first.tolist(), last.tolist(), high - low, strict=True)
    most = np.array([np.minimum(products[start:end], width).sum() for start, end, width in pieces], np.int64)
    return np.where(most > SURE, np.maximum(SURE, most >> 2), most)


def _joined(parts: list[Any], units: Array, size: int, index_dtype: np.dtype[Any], dtype: np.dtype[Any]) -> Adjacency:
    """One matrix from the parts of all pieces; the memory of each is freed as soon as it is copied."""
    indptr = np.zeros(size + 1, dtype=OFFSET)
    for (lengths, _, _), first, last in zip(parts, units[0].tolist(), units[1].tolist(), strict=True):
        indptr[first + 1 : last + 1] += lengths
    np.cumsum(indptr, out=indptr)
    if len(parts) == 1:
        return Adjacency(indptr, parts[0][1].view(index_dtype), parts[0][2])
    indices: Any = np.empty(int(indptr[-1]), index_dtype)
    sums = np.empty(indices.size, dtype)
    ends = np.cumsum([columns.size for _, columns, _ in parts])

    def copy(piece: int) -> None:
        _, columns, values = parts[piece]
        parts[piece] = None
        place = slice(int(ends[piece]) - columns.size, int(ends[piece]))
        indices[place], sums[place] = columns.view(index_dtype), values

    threads.each(copy, len(parts))
    return Adjacency(indptr, indices, sums)


def _or_one(weights: Array | None, dtype: np.dtype[Any]) -> Array:
    return np.ones(1, dtype) if weights is None else weights
