"""Rows too long for one thread: left out by the loop over rows, then cut into parts that all threads share.

Which rows, and where they are cut, depends on the graph alone: so do the sums, to the last bit, whatever the number of
threads.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from clew import threads
from clew.adjacency import Adjacency
from clew.dtypes import Array, as_bits
from clew.engines.cpu.operands import frozen

HUB = 1 << 17  # edges: a row is cut if it has more, and more than a SHARE of all; some 0.2 ms of work
SHARE = 64
PART = 1 << 14  # edges to a part


def longest(rows: Adjacency) -> np.uint64:
    """How many edges a row may have that is left whole."""
    return np.uint64(max(HUB, (rows.num_arcs + rows.num_vertices) // SHARE))


def room(pieces: int) -> Array:
    """Where each piece of a loop lists the rows it left out: fewer than SHARE, each having more than that of all."""
    return np.empty((pieces, SHARE), np.int64)


def listed(skipped: Array, counts: list[int]) -> Iterator[int]:
    """The rows that were left out."""
    for piece, count in enumerate(counts):
        yield from skipped[piece, :count].tolist()


def parts_of(rows: Adjacency, hub: int) -> Array:
    """Where the parts of a long row start, and where the last ends: rows in their own right to a kernel."""
    start, end = int(rows.indptr[hub]), int(rows.indptr[hub + 1])
    parts: Array = frozen(as_bits(np.append(np.arange(start, end, PART), end)))
    return parts


def even_bounds(parts: int) -> Array:
    """Boundaries of blocks of parts for all threads."""
    pieces = min(parts, threads.pieces(parts * PART))
    return np.arange(pieces + 1) * parts // pieces
