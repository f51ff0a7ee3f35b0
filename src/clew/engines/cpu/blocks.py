"""How kernels go over all rows: in blocks that depend on the graph alone, so that sums do too, and looking ahead."""

from __future__ import annotations

import numpy as np

from clew.adjacency import Adjacency
from clew.build.rows import blocks_of
from clew.dtypes import Array

GRAIN = 1 << 14  # arcs and rows to a block: some twenty microseconds of work
MOST = 1 << 10  # blocks; each member of a team adds up all of their sums after every round

AHEAD = 64  # edges; about as long as memory takes to answer
NEAR = 1 << 20  # bytes that a core's own cache may hold
FEW = 8  # edges to a vertex; graphs with fewer, such as roads, mostly have neighbours with near ids


def fixed_blocks(rows: Adjacency) -> Array:
    """Boundaries of blocks of rows with about as many arcs each, the same for any number of threads."""
    return blocks_of(rows, max(1, min(MOST, (rows.num_arcs + rows.num_vertices) // GRAIN)))


def ahead_of(rows: Adjacency, values: Array) -> np.uint64:
    """How many edges ahead to ask for the neighbours' values: 0 where they are likely to be in the cache anyway."""
    far = values.nbytes >= NEAR and rows.num_arcs >= FEW * rows.num_vertices
    return np.uint64(AHEAD if far else 0)
