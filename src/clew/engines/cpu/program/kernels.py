# mypy: ignore-errors
"""Vertex programs: send, process, reduce and apply fused into one loop, a masked product of the adjacency and a vector.

``program_kernel`` builds the loop from the program's Python functions, which Numba inlines. The kernel is cached on
disk.

The active vertices are a list. In a push, they fold their messages into the sums of their neighbours, atomically with
several threads. In a pull, every vertex reads the messages of its active neighbours, which have a bitmap then. A push
is chosen if few edges are active and the order of reduction does not matter. A pull always forms sums in the same
order. Member 0 alone processes a list while it is short: a road network has thousands of iterations too small to share.
"""

import numpy as np

from clew.engines.cpu.program.kernels_waiting import advance, keep_due, key_of, pour_first
from clew.engines.cpu.team import kernels_intrinsics as atomic
from clew.engines.cpu.team.kernels import (
    BEGUN_COLUMN,
    PULL,
    PUSH,
    SPARE,
    all_stop,
    append,
    barrier,
    collect,
    counter,
    note,
    stopped,
    take_chunk,
)
from clew.engines.cpu.team.kernels_intrinsics import WORTH_A_LOOK, nanoseconds
from clew.jit import njit
from clew.kernels_rows import edges_of, weight_of

ONE, TWO, SIX, LOW_SIX = np.uint64(1), np.uint64(2), np.uint64(6), np.uint64(63)
ALONE = 512  # active vertices up to which member 0 goes on alone
CHUNK = 64  # vertices of a list, or words of a bitmap, that a member takes at a time
ACTIVE, EDGES, ITERATIONS, REACHED, SENT, TAKEN = range(6)  # counters


def program_kernel(send, process, add, apply, accepts, matters, priority, mark, first_suffices, ordered):
    """The loop of a program, from plain Python functions.

    ``first_suffices`` means that one message is enough, ``ordered`` that vertices of lowest priority go first.
    """
    admit, find_keys = _admitting(priority, ordered)
    functions = (send, process, add, apply, accepts, matters)
    push_alone = _pushing_alone(*functions, admit, first_suffices)
    push_messages, apply_sums = _pushing(*functions)
    send_messages, pull_messages = sending(send), _pulling(*functions[1:], first_suffices)

    @njit(cache=True, nogil=True)
    def run(member, size, state, out, into, vertices, messages, sums, lists, bitmaps, waiting, keys, options, trace):
        """Iterate until no vertex is active; returns (iterations, whether it converged).

        ``out`` and ``into`` are rows and weights along and against the direction of messages. ``sums`` come
        twice, as numbers and as integers for compare-and-swap, and hold the identity between iterations. ``lists`` are
        two of vertices: the active ones, and room for those that messages reach. ``bitmaps`` are (active, reached), the
        latter empty between iterations. ``options``: the number of active vertices, the identity, the limit of
        iterations and whether all vertices apply. Then the most edges of a push and 1 / width of the priorities. With
        priorities, ``waiting`` has the lists of waiting vertices, and ``keys`` room for a key per vertex. ``trace``
        takes COLUMNS numbers of each iteration, and when the last one ended.
        """
        mark  # noqa: B018, captured: see the compiler
        count, identity, limit, everyone, most_pushed, scale = options
        active, touched = bitmaps
        frontier, reached = lists
        spare = np.empty(SPARE, frontier.dtype)
        if member == 0:
            if ordered and count > 0:
                find_keys(vertices, frontier, np.uint64(count), scale, keys)
                advance(waiting, keys, np.uint64(count))
            count, edges = admit(vertices, frontier, np.uint64(count), out[0], waiting, keys, scale)
            state[counter(ACTIVE)], state[counter(EDGES)] = np.int64(count), edges
        barrier(size, state)
        while state[counter(ACTIVE)] > 0 and state[counter(ITERATIONS)] < limit and not all_stop(state):
            count, edges = state[counter(ACTIVE)], state[counter(EDGES)]
            push = edges <= most_pushed
            barrier(size, state)  # all have seen the counters
            if push and (size == 1 or count <= ALONE):
                if member == 0:
                    arrays = (vertices, messages, sums[0], lists, touched, waiting, keys)
                    push_alone(size, state, out, arrays, options, trace)
                barrier(size, state)
                continue
            if member == 0:
                note(trace, state[counter(ITERATIONS)], count, edges, PUSH if push else PULL, nanoseconds())
                for number in (ACTIVE, EDGES, REACHED, SENT, TAKEN):
                    state[counter(number)] = 0
                state[counter(ITERATIONS)] += 1
            clear(member, size, state, active, push)
            if push:
                push_messages(state, out, vertices, sums, frontier, np.uint64(count), touched, reached, spare)
                barrier(size, state)
                apply_sums(state, out[0], vertices, sums[0], identity, reached, touched, frontier, spare)
            else:
                send_messages(state, vertices, messages, frontier, np.uint64(count), active)
                barrier(size, state)
                pull_messages(state, out[0], into, vertices, messages, active, identity, everyone, frontier, spare)
            barrier(size, state)
            if ordered:
                if member == 0:
                    count = np.uint64(state[counter(ACTIVE)])
                    count, edges = admit(vertices, frontier, count, out[0], waiting, keys, scale)
                    state[counter(ACTIVE)], state[counter(EDGES)] = np.int64(count), edges
                barrier(size, state)
        if member == 0 and state[counter(ITERATIONS)] < trace.shape[0]:
            trace[state[counter(ITERATIONS)], BEGUN_COLUMN] = nanoseconds()
        return state[counter(ITERATIONS)], state[counter(ACTIVE)] == 0

    return run


def _pushing_alone(send, process, add, apply, accepts, matters, admit, first_suffices):
    """Iterations of one member while few vertices are active."""

    @njit(nogil=True)
    def push_sums(out, vertices, sums, frontier, count, reached, touched):
        """Fold messages into the neighbours' sums, and list the vertices reached; returns their number."""
        weights = out[2]
        tail = np.uint64(0)
        for i in range(count):
            u = np.uint64(frontier[i])
            message = send(vertices[u])
            for j, neighbour in edges_of(out, u):
                v = np.uint64(neighbour)
                if not accepts(vertices[v]):
                    continue
                value = process(message, weight_of(weights, j), vertices[v])
                if not matters(value, vertices[v]):
                    continue
                sums[v] = add(sums[v], value)
                flag = ONE << (v & LOW_SIX)
                if touched[v >> SIX] & flag == 0:
                    touched[v >> SIX] |= flag
                    reached[tail] = v
                    tail += ONE
        return tail

    @njit(nogil=True)
    def push_first(out, vertices, messages, frontier, count, following, touched):
        """If one message is enough, apply the first that comes; returns the number of active vertices.

        All send before any applies. The end of ``following`` lists reached vertices that do not become active.
        """
        weights = out[2]
        for i in range(count):
            messages[i] = send(vertices[frontier[i]])
        tail, end = np.uint64(0), np.uint64(following.size)
        for i in range(count):
            u = np.uint64(frontier[i])
            for j, neighbour in edges_of(out, u):
                v = np.uint64(neighbour)
                if not accepts(vertices[v]):
                    continue
                flag = ONE << (v & LOW_SIX)
                if touched[v >> SIX] & flag:
                    continue
                value = process(messages[i], weight_of(weights, j), vertices[v])
                if not matters(value, vertices[v]):
                    continue
                touched[v >> SIX] |= flag
                if apply(value, vertices[v]):
                    following[tail] = v
                    tail += ONE
                else:
                    end -= ONE
                    following[end] = v
        for i in range(tail):
            touched[following[i] >> SIX] = np.uint64(0)
        for i in range(end, np.uint64(following.size)):
            touched[following[i] >> SIX] = np.uint64(0)
        return tail

    @njit(nogil=True)
    def push_alone(size, state, out, arrays, options, trace):
        """Iterations by one thread, without atomics, for as long as few vertices are active."""
        vertices, messages, sums, lists, touched, waiting, keys = arrays
        frontier, reached = lists
        _, identity, limit, _, most_pushed, scale = options
        count, edges = np.uint64(state[counter(ACTIVE)]), state[counter(EDGES)]
        done, unclocked = state[counter(ITERATIONS)], np.int64(WORTH_A_LOOK)
        while count > 0 and (size == 1 or count <= ALONE) and edges <= most_pushed and done < limit:
            if stopped(state):
                break
            look = unclocked >= WORTH_A_LOOK
            note(trace, done, count, edges, PUSH, nanoseconds() if look else 0)
            unclocked = np.int64(count) + edges + (0 if look else unclocked)
            if first_suffices:
                count = push_first(out, vertices, messages, frontier, count, reached, touched)
                frontier, reached = reached, frontier
            else:
                tail = push_sums(out, vertices, sums, frontier, count, reached, touched)
                count = np.uint64(0)
                for i in range(tail):
                    v = np.uint64(reached[i])
                    touched[v >> SIX] = np.uint64(0)  # its other bits are of vertices reached, too
                    total = sums[v]
                    sums[v] = identity
                    if apply(total, vertices[v]):
                        frontier[count] = v
                        count += ONE
            count, edges = admit(vertices, frontier, count, out[0], waiting, keys, scale)
            done += 1
        for i in range(count):
            lists[0][i] = frontier[i]
        state[counter(ACTIVE)], state[counter(EDGES)], state[counter(ITERATIONS)] = np.int64(count), edges, done

    return push_alone


def _pushing(send, process, add, apply, accepts, matters):
    """An iteration along the edges of the active vertices, by all members."""

    @njit(nogil=True)
    def fold(sums, v, value):
        """Fold ``value`` into the sum of ``v``, atomically."""
        numbers, words = sums
        while True:
            before = atomic.load(words, v)
            old = atomic.of_bits(before, numbers[v])
            after = atomic.to_bits(numbers.dtype.type(add(old, value)))
            if after == before or atomic.compare_and_swap(words, v, before, after):
                return

    @njit(nogil=True)
    def push_messages(state, out, vertices, sums, frontier, count, touched, reached, spare):
        """Fold messages into the neighbours' sums, and list the vertices reached."""
        # The loop is that of push_sums: a helper for both would make either slower.
        weights = out[2]
        filled = 0
        first, last = take_chunk(state, SENT, CHUNK, count)
        while first < count:
            for i in range(first, last):
                u = np.uint64(frontier[i])
                message = send(vertices[u])
                for j, neighbour in edges_of(out, u):
                    v = np.uint64(neighbour)
                    if not accepts(vertices[v]):
                        continue
                    value = process(message, weight_of(weights, j), vertices[v])
                    if not matters(value, vertices[v]):
                        continue
                    fold(sums, v, value)
                    flag = ONE << (v & LOW_SIX)
                    if touched[v >> SIX] & flag == 0 and atomic.bitwise_or(touched, v >> SIX, flag) & flag == 0:
                        filled = collect(state, counter(REACHED), reached, spare, filled, v)
            first, last = take_chunk(state, SENT, CHUNK, count)
        append(state, counter(REACHED), reached, spare, filled)

    @njit(nogil=True)
    def apply_sums(state, degrees, vertices, sums, identity, reached, touched, frontier, spare):
        """Apply the sums of the vertices reached; leaves sums at the identity and ``touched`` empty."""
        count = np.uint64(state[counter(REACHED)])
        edges, filled = np.int64(0), 0
        first, last = take_chunk(state, TAKEN, CHUNK, count)
        while first < count:
            for i in range(first, last):
                v = np.uint64(reached[i])
                touched[v >> SIX] = np.uint64(0)  # its other bits are of vertices reached, too
                total = sums[v]
                sums[v] = identity
                if apply(total, vertices[v]):
                    edges += np.int64(degrees[v + ONE] - degrees[v])
                    filled = collect(state, counter(ACTIVE), frontier, spare, filled, v)
            first, last = take_chunk(state, TAKEN, CHUNK, count)
        append(state, counter(ACTIVE), frontier, spare, filled)
        atomic.add(state, counter(EDGES), edges)

    return push_messages, apply_sums


def sending(send):
    """Store the messages of the active vertices, and set a bit for each of them."""

    @njit(nogil=True)
    def send_messages(state, vertices, messages, frontier, count, active):
        first, last = take_chunk(state, SENT, CHUNK, count)
        while first < count:
            for i in range(first, last):
                v = np.uint64(frontier[i])
                messages[v] = send(vertices[v])
                atomic.bitwise_or(active, v >> SIX, ONE << (v & LOW_SIX))
            first, last = take_chunk(state, SENT, CHUNK, count)

    return send_messages


def _pulling(process, add, apply, accepts, matters, first_suffices):
    """An iteration against the edges of all vertices."""

    @njit(nogil=True)
    def pull_messages(state, degrees, into, vertices, messages, active, identity, everyone, frontier, spare):
        weights = into[2]
        words, size = np.uint64(active.size), np.uint64(vertices.size)
        edges, filled = np.int64(0), 0
        first, last = take_chunk(state, TAKEN, CHUNK, words)
        while first < words:
            for v in range(first << SIX, min(last << SIX, size)):
                if not accepts(vertices[v]):
                    continue
                total = identity
                received = everyone
                for j, neighbour in edges_of(into, v):
                    u = np.uint64(neighbour)
                    if (active[u >> SIX] >> (u & LOW_SIX)) & ONE:
                        value = process(messages[u], weight_of(weights, j), vertices[v])
                        if matters(value, vertices[v]):
                            total = add(total, value)
                            received = True
                            if first_suffices:
                                break
                if received and apply(total, vertices[v]):
                    edges += np.int64(degrees[v + ONE] - degrees[v])
                    spare[filled] = v  # not by collect, which makes a pull 6 % slower
                    filled += 1
                    if filled == SPARE:
                        append(state, counter(ACTIVE), frontier, spare, filled)
                        filled = 0
            first, last = take_chunk(state, TAKEN, CHUNK, words)
        append(state, counter(ACTIVE), frontier, spare, filled)
        atomic.add(state, counter(EDGES), edges)

    return pull_messages


def _admitting(priority, ordered):
    """The next vertices by priority."""

    @njit(nogil=True)
    def find_keys(vertices, frontier, count, scale, keys):
        for i in range(count):
            keys[i] = key_of(priority(vertices[frontier[i]]), scale)

    @njit(nogil=True)
    def admit(vertices, frontier, count, indptr, waiting, keys, scale):
        """Keep the due vertices, or list the next waiting ones if none is due; returns their number and edges.

        One member's work, about as much as a few edges for every vertex that was activated.
        """
        if ordered:
            find_keys(vertices, frontier, count, scale, keys)
            count = keep_due(waiting, frontier, keys, count)
            if count == 0:
                count = pour_first(waiting, frontier)
                if count > 0:
                    find_keys(vertices, frontier, count, scale, keys)
                    advance(waiting, keys, count)
                    count = keep_due(waiting, frontier, keys, count)
        edges = np.int64(0)
        for i in range(count):
            v = np.uint64(frontier[i])
            edges += np.int64(indptr[v + ONE] - indptr[v])
        return count, edges

    return admit, find_keys


@njit(cache=True, nogil=True)
def clear(member, size, state, bitmap, keep):
    """Clear a bitmap together, unless it is not used next."""
    if not keep:
        for word in range(np.uint64(member * bitmap.size // size), np.uint64((member + 1) * bitmap.size // size)):
            bitmap[word] = np.uint64(0)
    barrier(size, state)
