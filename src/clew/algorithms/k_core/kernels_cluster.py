# mypy: ignore-errors
"""Core numbers by members of a cluster: a round peels vertices at their owners, and counts what neighbours lose.

Every member tells its row which of its vertices it peels. A block counts, for every column, the edges to peeled rows,
and tells the owners in its column. The heads of the messages say how many were peeled, and how few neighbours a vertex
has left. They are combined along the row, then along the column.
"""

import numpy as np

from clew.engines.cluster.kernels_pause import pauses
from clew.engines.cluster.kernels_sockets import DONE, WAITING
from clew.engines.cluster.kernels_superstep import (
    FIRST,
    HEAD,
    PATIENCE,
    SECOND,
    add,
    finish,
    message_from,
    message_to,
    pack,
    post,
    refuse,
    take,
    unpack,
)
from clew.engines.cpu.team.kernels_intrinsics import nanoseconds
from clew.jit import njit

PHASE, LEVEL, ROUNDS, FRESH, KEPT, NUMBERS = range(6)  # of the state
PEEL, EXPANDING, FOLDING = range(3)  # phases
NONE = np.int64(2**62)  # neighbours left, where no vertex is
ONE = np.uint64(1)


@njit(nogil=True, cache=True)
def k_core(row, column, rows, owned, block, state):
    """Rounds, until no vertex is left or PATIENCE is over; DONE, or why it stopped before.

    ``owned`` has the neighbours left and the cores (-1 at first) of this member's vertices. Then those that are left,
    the set to peel, and room for a list. ``block`` has the losses of columns, the columns that have some, and a list.
    """
    began = nanoseconds()
    while nanoseconds() - began < PATIENCE * 1_000_000:
        if state[PHASE] == PEEL:
            _peel(row, owned, state)
            state[PHASE] = EXPANDING
        if state[PHASE] == EXPANDING:
            code = finish(row)
            if code == DONE:
                code = _step(row, column, rows, block)
            if code != DONE:
                return code
            state[PHASE] = FOLDING
        code = finish(column)
        if code != DONE:
            return code
        code, peeled, lowest = _apply(column, owned, state)
        if code != DONE:
            return code
        state[PHASE] = PEEL
        state[ROUNDS] += 1
        if peeled == 0:
            if lowest == NONE:
                return DONE
            state[LEVEL], state[FRESH] = lowest, 1
        if pauses(state, peeled):
            return DONE
    return WAITING


@njit(nogil=True, cache=True)
def _peel(row, owned, state):
    """Send the vertices to peel along the row. At a new level, all that are left are scanned, and the list shrinks."""
    left, core, others, peeled, listed = owned
    lowest = NONE
    if state[FRESH]:
        kept = 0
        for i in range(state[KEPT]):
            v = np.uint64(others[i])
            if core[v] >= 0:
                continue
            if left[v] <= state[LEVEL]:
                core[v] = state[LEVEL]
                add(peeled, v)
            else:
                others[kept] = others[i]
                kept += 1
        state[KEPT], state[FRESH] = kept, 0
    count = take(peeled, 0, left.size, listed)
    if count == 0:
        for i in range(state[KEPT]):
            if core[others[i]] < 0:
                lowest = min(lowest, np.int64(left[others[i]]))
    message = message_to(row, row.position)
    row.lengths[row.position] = pack(listed, count, left.size, message)
    head = message[:HEAD].view(np.int64)
    head[FIRST], head[SECOND] = count, lowest
    post(row, True)


@njit(nogil=True, cache=True)
def _step(row, column, rows, block):
    """Count the edges from peeled rows to every column, and send the counts along the column."""
    indptr, indices = rows
    losses, losing, listed = block
    peeled, lowest, count = np.int64(0), NONE, 0
    for position in range(row.sizes.size):
        message = message_from(row, position)
        arrived, _ = unpack(message, row.sizes[position], row.starts[position], listed[count:])
        if arrived < 0:
            return refuse(row, position)
        count += arrived
        head = message[:HEAD].view(np.int64)
        peeled += head[FIRST]
        lowest = min(lowest, head[SECOND])
    for i in range(count):
        u = np.uint64(listed[i])
        for j in range(np.uint64(indptr[u]), np.uint64(indptr[u + ONE])):
            v = np.uint64(indices[j])
            if losses[v] == 0:
                add(losing, v)
            losses[v] += 1
    for position in range(column.sizes.size):
        size, start = column.sizes[position], column.starts[position]
        message = message_to(column, position)
        found = take(losing, start, size, listed)
        end = pack(listed, found, size, message)
        column.lengths[position] = end + 4 * found
        lost = message[end : end + 4 * found].view(np.int32)
        for i in range(found):
            lost[i] = losses[start + listed[i]]
            losses[start + listed[i]] = 0
        head = message[:HEAD].view(np.int64)
        head[FIRST], head[SECOND] = peeled, lowest
    post(column, False)
    return DONE


@njit(nogil=True, cache=True)
def _apply(column, owned, state):
    """Subtract what vertices lose; returns the state, how many were peeled, and how few are left if none were."""
    left, core, _, peeled, listed = owned
    total, lowest = np.int64(0), NONE
    for position in range(column.sizes.size):
        message = message_from(column, position)
        count, end = unpack(message, left.size, 0, listed)
        if count < 0 or message.size != end + 4 * count:
            return refuse(column, position), total, lowest
        lost = message[end:].view(np.int32)
        for i in range(count):
            v = np.uint64(listed[i])
            left[v] -= lost[i]
            if core[v] < 0 and left[v] <= state[LEVEL]:
                core[v] = state[LEVEL]
                add(peeled, v)
        head = message[:HEAD].view(np.int64)
        total += head[FIRST]
        lowest = min(lowest, head[SECOND])
    return DONE, total, lowest
