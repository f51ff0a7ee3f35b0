# mypy: ignore-errors
"""Vertex programs: send, process, reduce and apply fused into one loop, a masked product of the adjacency and a vector.

``program_kernel`` makes the loop from the program's own Python functions, which Numba inlines; the kernel is kept on
disk, so the next process finds it there.

An iteration either pulls (every vertex looks at the messages of its active neighbours) or pushes (active vertices add
to the sums of their neighbours, atomically). Pushing is chosen where few edges are active and the order of reduction
does not matter; the sums of a pull are always formed in the same order.
"""

import numpy as np
from numba import njit

from clew.engines.cpu import kernels_atomic as atomic
from clew.engines.cpu.kernels_team import all_stop, barrier, counter

ONE, SIX, LOW_SIX = np.uint64(1), np.uint64(6), np.uint64(63)
CHUNK = 64  # words of a bitmap, that is 4,096 vertices, that a member takes at a time
PUSH_BELOW = 16  # push where fewer than 1/PUSH_BELOW of the edges are active
PUSH, PULL = 0, 1
TAKEN, ACTIVE, EDGES, CHANGED = range(4)  # counters


def program_kernel(send, process, add, apply, accepts, mark, first_suffices):
    """The loop of a program whose functions are given as plain Python functions.

    ``accepts`` says whether a vertex takes messages at all; ``first_suffices`` that one message is as good as many.
    """

    @njit(cache=True, nogil=True)
    def run(member, size, state, out, into, vertices, messages, sums, bitmaps, options, trace):
        """Iterate until no vertex is active; returns (iterations, whether it converged).

        ``out`` and ``into`` are (indptr, indices, weights) along and against the messages' way; ``sums`` come twice, as
        numbers and as integers for compare-and-swap, and hold the identity between iterations; ``bitmaps`` are
        (active, touched, next active), the last two empty between iterations.
        """
        mark  # noqa: B018, captured: see the compiler
        identity, limit, everyone, steady, pushable = options
        active, touched, following = bitmaps
        iterations = 0
        _count(member, size, state, out[0], active)
        while state[counter(ACTIVE)] > 0 and iterations < limit and not all_stop(state):
            edges = state[counter(EDGES)]
            push = pushable and not everyone and edges < into[1].size // PUSH_BELOW
            barrier(size, state)
            if member == 0:
                if iterations < trace.shape[0]:
                    trace[iterations, 0] = state[counter(ACTIVE)]
                    trace[iterations, 1] = edges
                    trace[iterations, 2] = PUSH if push else PULL
                if not steady:
                    state[counter(ACTIVE)] = 0
                    state[counter(EDGES)] = 0
                state[counter(CHANGED)] = 0
                state[counter(TAKEN)] = 0
            barrier(size, state)
            if push:
                push_messages(state, out, vertices, sums, active, touched, steady)
                _start_again(member, size, state)
                apply_sums(state, out[0], vertices, sums, identity, touched, following, steady)
            else:
                send_messages(state, vertices, messages, active)
                _start_again(member, size, state)
                pull_messages(state, out[0], into, vertices, messages, active, following, identity, everyone, steady)
                if not steady:
                    _start_again(member, size, state)
                    _clear(state, active)
            barrier(size, state)
            iterations += 1
            if steady and state[counter(CHANGED)] == 0:
                return iterations, True
            if not steady:
                active, following = following, active
        return iterations, state[counter(ACTIVE)] == 0

    @njit(cache=True, nogil=True)
    def send_messages(state, vertices, messages, active):
        words = np.uint64(active.size)
        while True:
            first = np.uint64(atomic.add(state, counter(TAKEN), np.int64(CHUNK)))
            if first >= words:
                break
            for word in range(first, min(first + np.uint64(CHUNK), words)):
                left = active[word]
                while left != 0:
                    v = (word << SIX) + atomic.trailing_zeros(left)
                    messages[v] = send(vertices[v])
                    left &= left - ONE

    @njit(cache=True, nogil=True)
    def pull_messages(state, degrees, into, vertices, messages, active, following, identity, everyone, steady):
        indptr, indices, weights = into
        words, count = np.uint64(active.size), np.uint64(vertices.size)
        changed, edges = np.int64(0), np.int64(0)
        while True:
            first = np.uint64(atomic.add(state, counter(TAKEN), np.int64(CHUNK)))
            if first >= words:
                break
            for word in range(first, min(first + np.uint64(CHUNK), words)):
                found = np.uint64(0)
                for v in range(word << SIX, min((word + ONE) << SIX, count)):
                    if not accepts(vertices[v]):
                        continue
                    total = identity
                    received = everyone
                    for j in range(indptr[v], indptr[v + ONE]):
                        u = np.uint64(indices[j])
                        if steady or (active[u >> SIX] >> (u & LOW_SIX)) & ONE:
                            total = add(total, process(messages[u], weights[j], vertices[v]))
                            received = True
                            if first_suffices:
                                break
                    if received and apply(total, vertices[v]):
                        found |= ONE << (v & LOW_SIX)
                        changed += 1
                        edges += np.int64(degrees[v + ONE] - degrees[v])
                if not steady:
                    following[word] = found
        _report(state, changed, edges, steady)

    @njit(cache=True, nogil=True)
    def push_messages(state, out, vertices, sums, active, touched, steady):
        """Fold messages into the neighbours' sums; leaves ``active`` empty."""
        indptr, indices, weights = out
        words = np.uint64(active.size)
        while True:
            first = np.uint64(atomic.add(state, counter(TAKEN), np.int64(CHUNK)))
            if first >= words:
                break
            for word in range(first, min(first + np.uint64(CHUNK), words)):
                left = active[word]
                if left == 0:
                    continue
                if not steady:
                    active[word] = np.uint64(0)
                while left != 0:
                    u = (word << SIX) + atomic.trailing_zeros(left)
                    left &= left - ONE
                    message = send(vertices[u])
                    for j in range(indptr[u], indptr[u + ONE]):
                        v = np.uint64(indices[j])
                        if not accepts(vertices[v]):
                            continue
                        fold(sums, v, process(message, weights[j], vertices[v]))
                        flag = ONE << (v & LOW_SIX)
                        if touched[v >> SIX] & flag == 0:
                            atomic.bitwise_or(touched, v >> SIX, flag)

    @njit(cache=True, nogil=True)
    def fold(sums, v, value):
        """Fold ``value`` into the sum of ``v``, whoever else does the same at this moment."""
        numbers, words = sums
        while True:
            before = atomic.load(words, v)
            old = atomic.of_bits(before, numbers[v])
            after = atomic.to_bits(numbers.dtype.type(add(old, value)))
            if after == before or atomic.compare_and_swap(words, v, before, after):
                return

    @njit(cache=True, nogil=True)
    def apply_sums(state, degrees, vertices, sums, identity, touched, following, steady):
        """Apply the sums of touched vertices; leaves sums at the identity and ``touched`` empty."""
        words = np.uint64(touched.size)
        changed, edges = np.int64(0), np.int64(0)
        numbers = sums[0]
        while True:
            first = np.uint64(atomic.add(state, counter(TAKEN), np.int64(CHUNK)))
            if first >= words:
                break
            for word in range(first, min(first + np.uint64(CHUNK), words)):
                left = touched[word]
                if left == 0:
                    continue
                touched[word] = np.uint64(0)
                found = np.uint64(0)
                while left != 0:
                    place = atomic.trailing_zeros(left)
                    left &= left - ONE
                    v = (word << SIX) + place
                    total = numbers[v]
                    numbers[v] = identity
                    if apply(total, vertices[v]):
                        found |= ONE << place
                        changed += 1
                        edges += np.int64(degrees[v + ONE] - degrees[v])
                if not steady:
                    following[word] = found
        _report(state, changed, edges, steady)

    return run


@njit(cache=True, nogil=True)
def _report(state, changed, edges, steady):
    """Add what one member found; where everyone stays active, only whether anything changed counts."""
    atomic.add(state, counter(CHANGED), changed)
    if not steady:
        atomic.add(state, counter(ACTIVE), changed)
        atomic.add(state, counter(EDGES), edges)


@njit(cache=True, nogil=True)
def _start_again(member, size, state):
    """All members are done with the bitmap; hand it out from the start."""
    barrier(size, state)
    if member == 0:
        state[counter(TAKEN)] = 0
    barrier(size, state)


@njit(cache=True, nogil=True)
def _clear(state, bitmap):
    words = np.uint64(bitmap.size)
    while True:
        first = np.uint64(atomic.add(state, counter(TAKEN), np.int64(CHUNK)))
        if first >= words:
            break
        for word in range(first, min(first + np.uint64(CHUNK), words)):
            bitmap[word] = np.uint64(0)


@njit(cache=True, nogil=True)
def _count(member, size, state, indptr, active):
    """Count active vertices and their edges."""
    vertices, edges = np.int64(0), np.int64(0)
    for word in range(member * active.size // size, (member + 1) * active.size // size):
        left = active[word]
        while left != 0:
            v = (np.uint64(word) << SIX) + atomic.trailing_zeros(left)
            left &= left - ONE
            vertices += 1
            edges += np.int64(indptr[v + ONE] - indptr[v])
    atomic.add(state, counter(ACTIVE), vertices)
    atomic.add(state, counter(EDGES), edges)
    barrier(size, state)
