"""Rows as kernels take them: unsigned, which is faster to index with."""

from __future__ import annotations

from clew.adjacency import Adjacency
from clew.dtypes import Array, as_bits


def rows_of(rows: Adjacency) -> tuple[Array, Array]:
    """(indptr, indices) as unsigned integers over the same memory."""
    return as_bits(rows.indptr), as_bits(rows.indices)
