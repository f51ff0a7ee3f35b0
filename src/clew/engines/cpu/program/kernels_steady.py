# mypy: ignore-errors
"""Vertex programs in which all vertices stay active, such as PageRank: a pull over all edges, with one barrier per
iteration.

The next message of a vertex is computed right after apply, while its state is cached, into a second array.
"""

import numpy as np

from clew.engines.cpu.team import kernels_intrinsics as atomic
from clew.engines.cpu.team.kernels import UNPACKED, barrier, counter, stopped, take_block
from clew.engines.cpu.team.kernels_intrinsics import nanoseconds, prefetch
from clew.jit import njit
from clew.kernels_rows import weight_of
from clew.packed.kernels import unpack_some

ZERO, ONE, TWO = np.uint64(0), np.uint64(1), np.uint64(2)
TAKEN, CHANGED, LEAVE = 0, 1, 4  # counters; three of CHANGED, two of LEAVE


def steady_kernel(send, process, add, apply, accepts, matters, mark, packed):
    """The loop of such a program; see ``kernels.program_kernel``. ``packed`` says that rows are."""

    @njit(cache=True, nogil=True)
    def run(member, size, state, bounds, ahead, into, vertices, now, later, options, changes, begun):
        """Iterate until nothing changes; returns (iterations, whether it converged).

        ``bounds`` are the bounds of blocks of rows. Messages are prefetched ``ahead`` edges early (0: not at all).
        ``now`` and ``later`` are room for messages. ``options`` are the identity, the limit of iterations, and whether
        vertices without edges apply too. ``changes`` takes the number of vertices that changed in each iteration,
        ``begun`` when it began, and when the last one ended.
        """
        mark  # noqa: B018, captured: see the compiler
        identity, limit, everyone = options
        blocks = bounds.size - 1
        for v in range(np.uint64(member * now.size // size), np.uint64((member + 1) * now.size // size)):
            now[v] = send(vertices[v])
        barrier(size, state)
        if begun[0] == 0:  # by the first member to leave the barrier: others may be asleep
            begun[0] = nanoseconds()
        for step in range(limit):
            turn = step % 3  # the counter of the next iteration is cleared while that of the last may still be read
            if member == 0:  # one member decides for all: the answer may change between two reads
                state[counter(LEAVE + (step & 1))] = np.int64(stopped(state))
                state[counter(CHANGED + (step + 1) % 3)] = 0
            changed = np.int64(0)
            block = take_block(size, state, TAKEN, step, blocks)
            while block < blocks:
                first, last = np.uint64(bounds[block]), np.uint64(bounds[block + 1])
                changed += pull_block(first, last, ahead, into, vertices, now, later, identity, everyone)
                block = take_block(size, state, TAKEN, step, blocks)
            atomic.add(state, counter(CHANGED + turn), changed)
            barrier(size, state)
            changed = state[counter(CHANGED + turn)]
            if step < changes.size:
                if member == 0:
                    changes[step] = changed
                if begun[step + 1] == 0:
                    begun[step + 1] = nanoseconds()
            if changed == 0 or state[counter(LEAVE + (step & 1))]:
                return step + 1, changed == 0
            now, later = later, now
        return limit, False

    @njit(nogil=True)
    def pull_packed(first, last, ahead, into, vertices, now, later, identity, everyone):
        """The same for packed rows: some are unpacked into a buffer, and pulled as plain ones."""
        indptr, neighbours, weights = into
        buffer, starts = np.empty(UNPACKED, np.uint64), np.empty(UNPACKED, np.uint64)
        changed = np.int64(0)
        while first < last:
            stop, buffer = unpack_some(neighbours, indptr, first, last, starts, buffer)
            base = indptr[first]
            some, here = (starts, buffer[: indptr[stop] - base], weights), vertices[first:stop]
            changed += pull(ZERO, stop - first, ahead, some, here, now, later[first:stop], identity, everyone, base)
            first = stop
        return changed

    @njit(nogil=True)
    def pull(first, last, ahead, into, vertices, now, later, identity, everyone, base=ZERO):
        """One block of rows: what every vertex receives, applies, and sends next; how many changed.

        ``base`` is the number of the first edge of ``into``, whose weights are those of all edges.
        """
        indptr, indices, weights = into
        end = np.uint64(max(indices.size, 1) - 1)
        changed = np.int64(0)
        j = indptr[first]
        for v in range(first, last):
            stop = indptr[v + ONE]
            # Two totals, because an addition has to wait for the one before it.
            even, odd = identity, identity
            received, both = everyone, False
            if accepts(vertices[v]):
                while j + TWO <= stop:
                    if ahead > 0:
                        prefetch(now, np.uint64(indices[min(j + ahead, end)]))
                        prefetch(now, np.uint64(indices[min(j + ahead + ONE, end)]))
                    value = process(now[indices[j]], weight_of(weights, base + j), vertices[v])
                    if matters(value, vertices[v]):
                        even = add(even, value)
                        received = True
                    value = process(now[indices[j + ONE]], weight_of(weights, base + j + ONE), vertices[v])
                    if matters(value, vertices[v]):
                        odd = add(odd, value)
                        received = both = True
                    j += TWO
                if j < stop:
                    value = process(now[indices[j]], weight_of(weights, base + j), vertices[v])
                    if matters(value, vertices[v]):
                        even = add(even, value)
                        received = True
                if received:
                    changed += apply(add(even, odd) if both else even, vertices[v])
            j = stop
            later[v] = send(vertices[v])
        return changed

    pull_block = pull_packed if packed else pull
    return run
