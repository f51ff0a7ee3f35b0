# mypy: ignore-errors
"""A round of PageRank over a block of rows."""

import numpy as np

from clew.engines.cpu.kernels_rows import row_sums
from clew.jit import njit

ONE = np.uint64(1)


@njit(cache=True, nogil=True)
def begin(piece, bounds, outgoing, damping, first, rank, scale, now):
    """First ranks of a block, the part of them that goes over each edge, and what is passed on.

    Gives how much rank is where no edge leads on.
    """
    stranded = 0.0
    for v in range(np.uint64(bounds[piece]), np.uint64(bounds[piece + 1])):
        degree = outgoing[v + ONE] - outgoing[v]
        rank[v] = 1.0 / rank.size if first is None else first[v]
        scale[v] = damping / degree if degree > 0 else 0.0
        now[v] = rank[v] * scale[v]
        stranded += rank[v] if degree == 0 or damping == 0 else 0.0
    return stranded


@njit(cache=True, nogil=True)
def rank_rows(piece, bounds, ahead, into, passing, scale, jumps, jumping, rank, now, later):
    """New ranks of a block; by how much they changed, and how much rank is where no edge leads on.

    As in the CPU's own engine: ``now`` is what vertices pass on in this round, ``later`` in the next.
    """
    first, last = np.uint64(bounds[piece]), np.uint64(bounds[piece + 1])
    row_sums(first, last, into, ahead, passing, now, later)
    everywhere = jumping / rank.size
    change, stranded = 0.0, 0.0
    for v in range(first, last):
        new = later[v] + (everywhere if jumps is None else jumping * jumps[v])
        change += abs(new - rank[v])
        onward = scale[v]
        stranded += new if onward == 0 else 0.0
        rank[v] = new
        later[v] = new * onward
    return change, stranded
