# mypy: ignore-errors
"""PageRank by pulling: all rounds in one call, one barrier to a round, the same numbers from any number of threads.

A round sums, for every vertex, what its in-neighbours pass on. The share that a vertex passes to each (its rank times
its ``scale``) is computed with its rank, for the next round. No other thread reads a rank itself.
"""

import numpy as np

from clew.engines.cpu.team.kernels import barrier, counter, row_sums, stopped, take_block
from clew.engines.cpu.team.kernels_intrinsics import nanoseconds
from clew.jit import njit

ONE = np.uint64(1)
TAKEN, LEAVE = 0, 1  # counters; LEAVE is two of them
CHANGE, STRANDED = 0, 1  # columns of the sums


@njit(cache=True, nogil=True)
def pagerank(member, size, state, bounds, ahead, edges, scale, jumps, damping, limits, rank, flows, sums, noted):
    """Change ``rank`` round by round; returns the number of rounds and whether the last one changed little enough.

    ``edges`` is (outgoing, into, passing). ``into`` is (indptr, indices) of the in-edges, unsigned. With weights,
    ``passing`` has each edge's share of its source's rank, ``scale`` the part of the rank that a vertex passes on.
    ``outgoing`` is None then. Without weights, ``passing`` is None, ``outgoing`` is the indptr of the out-edges, and
    ``scale`` is room for the share per edge. ``jumps`` is the distribution of jumps, None for a uniform one.

    ``limits`` is (tolerance, most rounds). ``flows`` are two arrays: what vertices pass on in this round and the next.
    ``sums`` has shape (2, blocks, 2). ``noted`` is (trace, begun): the change of every round, and when it began; begun
    has one entry more, for the end.
    """
    outgoing, into, passing = edges
    tolerance, most_rounds = limits
    now, later = flows
    trace, begun = noted
    blocks = bounds.size - 1
    for block in range(member, blocks, size):
        first, last = np.uint64(bounds[block]), np.uint64(bounds[block + 1])
        sums[1, block, STRANDED] = _begin(first, last, outgoing, damping, scale, rank, now)
    barrier(size, state)
    stranded = _total(sums, 1, STRANDED)
    if begun[0] == 0:  # by the first to leave the barrier: others may be asleep in it
        begun[0] = nanoseconds()
    for step in range(most_rounds):
        turn = step & 1  # sums of this round are still read while others write those of the next
        if member == 0:  # one member decides for all: the answer may change between two reads
            state[counter(LEAVE + turn)] = np.int64(stopped(state))
        jumping = 1.0 - damping + damping * stranded
        block = take_block(size, state, TAKEN, step, blocks)
        while block < blocks:
            first, last = np.uint64(bounds[block]), np.uint64(bounds[block + 1])
            moved, ended = _pull(first, last, ahead, into, passing, scale, jumps, jumping, rank, now, later)
            sums[turn, block, CHANGE] = moved
            sums[turn, block, STRANDED] = ended
            block = take_block(size, state, TAKEN, step, blocks)
        barrier(size, state)
        change, stranded = _total(sums, turn, CHANGE), _total(sums, turn, STRANDED)
        if step < trace.size:
            if member == 0:
                trace[step] = change
            if begun[step + 1] == 0:
                begun[step + 1] = nanoseconds()
        if change < tolerance or state[counter(LEAVE + turn)]:
            return step + 1, change < tolerance
        now, later = later, now
    return most_rounds, False


@njit(cache=True, nogil=True)
def _begin(first, last, outgoing, damping, scale, rank, now):
    """What the vertices of one block pass on at first; returns how much rank is where no edge leads on."""
    stranded = 0.0
    for v in range(first, last):
        if outgoing is not None:
            degree = outgoing[v + ONE] - outgoing[v]
            scale[v] = damping / degree if degree > 0 else 0.0
        now[v] = rank[v] * scale[v]
        stranded += rank[v] if scale[v] == 0 else 0.0
    return stranded


@njit(cache=True, nogil=True)
def _pull(first, last, ahead, into, passing, scale, jumps, jumping, rank, now, later):
    """New ranks of one block of rows; by how much they changed, and how much rank is where no edge leads on."""
    row_sums(first, last, into, ahead, passing, now, later)
    part = None if jumps is None else jumps[first:last]
    return settle(jumping, jumping / rank.size, part, scale[first:last], rank[first:last], later[first:last])


# The sums may be vectorized. The compiler fixes the order of additions, so it is the same in every run.
@njit(cache=True, nogil=True, fastmath={"reassoc", "nsz"})
def settle(jumping, everywhere, jumps, scale, rank, later):
    """Turn the sums of a block, in ``later``, into ranks and what these pass on."""
    change, stranded = 0.0, 0.0
    for i in range(rank.size):
        new = later[i] + (everywhere if jumps is None else jumping * jumps[i])
        change += abs(new - rank[i])
        stranded += new if scale[i] == 0 else 0.0
        rank[i] = new
        later[i] = new * scale[i]
    return change, stranded


@njit(cache=True, nogil=True)
def _total(sums, turn, column):
    total = 0.0
    for block in range(sums.shape[1]):
        total += sums[turn, block, column]
    return total
