"""Vertex ids as a file has them to 0…n-1: kept where they are that already, else numbered in ascending order.

Where the integers lie close enough together, one bit for each of them is enough to number them, in place; otherwise
they are hashed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clew import threads
from clew.dtypes import MAX_INT32_VERTICES, Array
from clew.names import encode

if TYPE_CHECKING:
    import pyarrow as pa

BITS_PER_VALUE = 32  # up to this many bits for every integer there is: with their ranks, 6 bytes
SMALL_SPAN = 1 << 20


class Numbered(NamedTuple):
    """Columns of vertex ids 0…n-1, how many vertices there are, and their names where those are not the same."""

    columns: tuple[Array, ...]
    num_vertices: int
    names: pa.Array[Any] | None


def numbered(*columns: Array, always: bool = False) -> Numbered:
    """Number the integers in the columns from 0 to n-1 in ascending order.

    Parameters
    ----------
    columns
        Integers of one dtype. They are overwritten.
    always
        Name the vertices even where the integers are 0…n-1, all of them used.
    """
    size = sum(column.size for column in columns)
    if size == 0:
        return Numbered(columns, 0, None)
    low, high = _extent(columns)
    if columns[0].dtype == np.uint64 or high - low >= max(SMALL_SPAN, BITS_PER_VALUE * size):
        ids, names = encode(*columns)
        return Numbered(tuple(ids), len(names), names.array)
    return _by_bits(columns, low, high, always=always)


def _extent(columns: tuple[Array, ...]) -> tuple[int, int]:
    from clew.build import kernels

    ends = []
    for column in columns:
        if column.size:
            pieces = threads.pieces(column.size)
            ends += threads.each(kernels.extent, pieces, pieces, column)
    return min(int(end[0]) for end in ends), max(int(end[1]) for end in ends)


def _by_bits(columns: tuple[Array, ...], low: int, high: int, *, always: bool) -> Numbered:
    import pyarrow as pa

    from clew.io import kernels_numbering as kernels

    words = np.zeros((high - low) // 64 + 1, dtype=np.uint64)
    for column in columns:
        pieces = threads.pieces(column.size)
        threads.each(kernels.mark, pieces, pieces, column, low, words)
    before = np.empty(words.size, dtype=np.int32 if high - low < MAX_INT32_VERTICES else np.int64)
    count = int(kernels.rank_words(words, before))
    if low == 0 and count == high + 1 and not always:
        return Numbered(columns, count, None)
    ranked = []
    for column in columns:
        # 64-bit ids whose ranks fit 32 bits get an array of their own: half of the old one goes free.
        ranks = column if column.dtype == np.int32 or count > MAX_INT32_VERTICES else np.empty(column.size, np.int32)
        pieces = threads.pieces(column.size)
        threads.each(kernels.to_ranks, pieces, pieces, column, low, words, before, ranks)
        ranked.append(ranks)
    names = np.empty(count, dtype=np.int64)
    kernels.to_values(words, low, names)
    return Numbered(tuple(ranked), count, pa.array(names))
