"""How kernels go over all rows: in blocks that depend on the graph alone, so that sums do too, and looking ahead."""

from __future__ import annotations

import numpy as np

from clew.adjacency import Adjacency
from clew.build.rows import blocks_of
from clew.dtypes import Array

GRAIN = 1 << 14  # arcs and rows to a block: some twenty microseconds of work
MOST = 1 << 10  # blocks; each member of a team adds up all of their sums after every round

AHEAD = 128  # edges; about as long as memory takes to answer
NEAR = 1 << 20  # bytes that a core's own cache may hold
MOSTLY_NEAR = 3 << 19  # bytes of which that cache still answers often enough for asking ahead not to pay
FAR = 4 << 20  # bytes from which on asking ahead pays for scattered values; below, a core has work for the time anyway
SAMPLES = 64
FEW = 8  # edges to a vertex; graphs with fewer, such as roads, mostly have neighbours with near ids


def fixed_blocks(rows: Adjacency) -> Array:
    """Boundaries of blocks of rows with about as many arcs each, the same for any number of threads."""
    return blocks_of(rows, max(1, min(MOST, (rows.num_arcs + rows.num_vertices) // GRAIN)))


def ahead_of(rows: Adjacency, values: Array) -> np.uint64:
    """How many edges ahead to ask for the neighbours' values: 0 where they are likely to be in the cache anyway."""
    if values.nbytes < MOSTLY_NEAR:
        return np.uint64(0)
    far = rows.num_arcs >= FEW * rows.num_vertices or is_scattered(rows, values)
    return np.uint64(AHEAD if far else 0)


def is_scattered(rows: Adjacency, values: Array) -> bool:
    """Whether the values at rows' neighbours lie all over more memory than the caches near a core hold.

    Looks at a few rows. A grid has as many vertices as a random graph, but its neighbours are near each other.
    """
    if values.nbytes < FAR or not rows.num_arcs:
        return False
    some = np.arange(SAMPLES) * rows.num_vertices // SAMPLES
    edges = (rows.indptr[some] + rows.indptr[some + 1]) // 2
    steps = np.abs(rows.indices[np.minimum(edges, rows.num_arcs - 1)] - some)
    return int(np.count_nonzero(steps * values.itemsize > NEAR // 4)) > SAMPLES // 4
