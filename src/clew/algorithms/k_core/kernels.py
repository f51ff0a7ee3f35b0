# mypy: ignore-errors
"""Core numbers by peeling: level after level, vertices with no more neighbours left than the level are taken away.

Every member scans its own share of the remaining vertices and removes those of the level. It also processes the
vertices that fall to the level by that, on a stack of links, which can hold any vertex. All meet twice a level. A share
keeps only remaining vertices, so all scans together read about as many vertices as the sum of all core numbers. That is
at most the number of arcs.

References
----------
H. Kabir, K. Madduri: "Parallel k-core decomposition on multicore platforms", IPDPS Workshops 2017.
"""

import numpy as np

from clew.engines.cpu.team import kernels_intrinsics as atomic
from clew.engines.cpu.team.kernels import barrier, counter, stopped
from clew.jit import njit
from clew.kernels_rows import neighbours_of

ONE = np.uint64(1)
HALTED = 0  # counter
NONE = np.int64(2**63 - 1)


@njit(cache=True, nogil=True)
def k_core(member, size, state, out, into, bounds, core, links, left, lowest, taken):
    """Fill ``core``, which is signed.

    ``out`` and, for a directed graph, ``into`` (else None) are rows, plain or packed. ``bounds`` cut the vertices
    into shares. ``links`` and ``left`` are room for n ids, ``lowest`` and ``taken`` for an entry per member.
    """
    parts = bounds.size - 1
    start, kept = np.uint64(bounds[member * parts // size]), np.uint64(bounds[(member + 1) * parts // size])
    for v in range(start, kept):
        left[v] = v
        core[v] = _degree(out, v)
        if into is not None:
            core[v] += _degree(into, v)
    barrier(size, state)
    nobody = np.uint64(core.size)
    level = np.int64(0)
    while True:
        # Vertices below the level were taken away before; no core changes while shares are scanned.
        head, low, end = nobody, NONE, start
        for i in range(start, kept):
            v = np.uint64(left[i])
            degree = np.int64(core[v])
            if degree > level:
                left[end] = v
                end += ONE
                low = min(low, degree)
            elif degree == level:
                links[v] = head
                head = v
        kept = end
        lowest[member] = low
        taken[member] = head != nobody
        if member == 0:
            state[counter(HALTED)] = stopped(state)
        barrier(size, state)
        low, any_taken = lowest[0], taken[0]
        for other in range(1, size):
            low = min(low, lowest[other])
            any_taken |= taken[other]
        if state[counter(HALTED)] or (not any_taken and low == NONE):
            return
        while head != nobody:
            v = head
            head = _peel(out, v, level, core, links, np.uint64(links[v]), size)
            if into is not None:
                head = _peel(into, v, level, core, links, head, size)
        barrier(size, state)
        level = level + 1 if any_taken else low


@njit(cache=True, nogil=True)
def _degree(rows, v):
    """The number of different neighbours but for the vertex itself."""
    degree = 0
    before = v
    for neighbour in neighbours_of(rows, v):
        w = np.uint64(neighbour)
        degree += w != before and w != v
        before = w
    return degree


@njit(cache=True, nogil=True)
def _peel(rows, v, level, core, links, head, size):
    """Take ``v`` from its neighbours; those that fall to the level go on the stack. Returns its new head."""
    before = v
    for neighbour in neighbours_of(rows, v):
        w = np.uint64(neighbour)
        if core[w] > level and w != before and w != v:
            if size == 1:
                core[w] -= 1
                fell = core[w] == level
            else:
                degree = atomic.add(core, w, -1)
                fell = degree == level + 1
                if degree <= level:  # others have taken it to the level meanwhile
                    atomic.add(core, w, 1)
            if fell:
                links[w] = head
                head = w
        before = w
    return head
