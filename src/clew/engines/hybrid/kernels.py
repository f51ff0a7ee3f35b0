# mypy: ignore-errors
"""The CPU's kernels: sparse vectors packed and unpacked for an exchange, and its part of a vertex program.

Vectors are bitmaps (``words`` of 64 vertices each) and values. ``bounds`` are blocks of words, ``starts`` the number of
bits before each block. ``first`` is the block of piece 0, since large vectors travel in several batches.

``pipeline_kernels`` makes the kernels of a program from its Python functions, which Numba inlines. Their pieces are
blocks of vertices. ``bounds`` are multiples of 64 there, so that no two pieces share a word of a bitmap.
"""

from typing import NamedTuple

import numpy as np

from clew.engines.cpu.program.kernels_waiting import key_of
from clew.engines.cpu.team import kernels_intrinsics as atomic
from clew.jit import njit

ONE, SIX, LOW_SIX = np.uint64(1), np.uint64(6), np.uint64(63)
LAST_KEY = np.uint64(2**64 - 1)


@njit(cache=True, nogil=True)
def count_bits(piece, bounds, words):
    """How many bits of a block are set."""
    found = np.uint64(0)
    for word in range(np.uint64(bounds[piece]), np.uint64(bounds[piece + 1])):
        found += atomic.ones(words[word])
    return np.int64(found)


@njit(cache=True, nogil=True)
def gather_bits(piece, first, bounds, words, starts, values, packed):
    """The values of a block's vertices, side by side; without values the vertices themselves, ascending."""
    place = np.uint64(starts[first + piece])
    for word in range(np.uint64(bounds[first + piece]), np.uint64(bounds[first + piece + 1])):
        bits = words[word]
        while bits != 0:
            v = (word << SIX) + atomic.trailing_zeros(bits)
            if values is None:
                packed[place] = v
            else:
                packed[place] = values[v]
            place += ONE
            bits &= bits - ONE


@njit(cache=True, nogil=True)
def scatter_bits(piece, first, bounds, words, starts, packed, values):
    """Packed values to the places of a block's vertices."""
    place = np.uint64(starts[first + piece])
    for word in range(np.uint64(bounds[first + piece]), np.uint64(bounds[first + piece + 1])):
        bits = words[word]
        while bits != 0:
            values[(word << SIX) + atomic.trailing_zeros(bits)] = packed[place]
            place += ONE
            bits &= bits - ONE


@njit(cache=True, nogil=True)
def set_bits(piece, bounds, ids, words):
    """Set the bits of some of the listed vertices, atomically: others may be in the same word."""
    for k in range(np.uint64(bounds[piece]), np.uint64(bounds[piece + 1])):
        v = np.uint64(ids[k])
        atomic.bitwise_or(words, v >> SIX, ONE << (v & LOW_SIX))


@njit(cache=True, nogil=True)
def scatter_list(piece, bounds, ids, packed, values):
    """Values of some of the listed vertices to their places."""
    for k in range(np.uint64(bounds[piece]), np.uint64(bounds[piece + 1])):
        values[np.uint64(ids[k])] = packed[k]


@njit(cache=True, nogil=True)
def copy(piece, first, bounds, source, target):
    """A share of an array."""
    for k in range(np.uint64(bounds[first + piece]), np.uint64(bounds[first + piece + 1])):
        target[k] = source[k]


@njit(cache=True, nogil=True)
def fill(piece, bounds, array, number):
    """Set a share of an array."""
    for k in range(np.uint64(bounds[piece]), np.uint64(bounds[piece + 1])):
        array[k] = number


class Kernels(NamedTuple):
    """What a pipeline calls."""

    select: object
    send_all: object
    push: object
    pull: object
    apply: object


def pipeline_kernels(send, process, add, apply, accepts, matters, priority, mark, first_suffices, ordered):
    """The kernels of a program whose functions are given as plain Python functions."""
    select, send_all = _sending(send, priority, mark, ordered)
    push, pull = _products(process, add, accepts, matters, mark, first_suffices)
    return Kernels(select, send_all, push, pull, _applying(add, apply, accepts, mark, first_suffices))


def _sending(send, priority, mark, ordered):
    """The senders, and their messages."""

    @njit(cache=True, nogil=True)
    def select(piece, bounds, vertices, active, frontier, messages, degrees, present, scale):
        """Move those whose turn it is from ``active`` to ``frontier``, and let them send.

        Gives their number, that of their edges, and the lowest key of those that wait.
        """
        mark  # noqa: B018, captured: see the compiler
        count, edges, lowest = np.int64(0), np.int64(0), LAST_KEY
        for word in range(np.uint64(bounds[piece]) >> SIX, (np.uint64(bounds[piece + 1]) + LOW_SIX) >> SIX):
            bits = active[word]
            due = np.uint64(0)
            while bits != 0:
                v = (word << SIX) + atomic.trailing_zeros(bits)
                flag = bits & (~bits + ONE)
                bits &= bits - ONE
                if ordered:
                    key = key_of(priority(vertices[v]), scale)
                    if key > present:
                        lowest = min(lowest, key)
                        continue
                due |= flag
                messages[v] = send(vertices[v])
                count += 1
                edges += np.int64(degrees[v + ONE] - degrees[v])
            frontier[word] = due
            active[word] &= ~due
        return count, edges, lowest

    @njit(cache=True, nogil=True)
    def send_all(piece, bounds, vertices, messages):
        """All vertices send."""
        mark  # noqa: B018
        for v in range(np.uint64(bounds[piece]), np.uint64(bounds[piece + 1])):
            messages[v] = send(vertices[v])

    return select, send_all


def _products(process, add, accepts, matters, mark, first_suffices):
    """The sums of messages along rows, and against them."""

    @njit(
        nogil=True
    )  # not kept by itself: what tells users' functions apart on disk is known for what is returned only
    def fold(sums, v, value):
        numbers, words = sums
        while True:
            before = atomic.load(words, v)
            if first_suffices:
                after = atomic.to_bits(numbers.dtype.type(value))
            else:
                after = atomic.to_bits(numbers.dtype.type(add(atomic.of_bits(before, numbers[v]), value)))
            if after == before or atomic.compare_and_swap(words, v, before, after):
                return

    @njit(cache=True, nogil=True)
    def push(piece, bounds, rows, vertices, messages, frontier, sums, reached):
        """Fold the messages of a block's vertices into the sums of their neighbours, atomically.

        ``sums`` come twice, as numbers and as integers for compare-and-swap, and are the identity before.
        """
        mark  # noqa: B018
        indptr, indices, weights = rows
        for word in range(np.uint64(bounds[piece]) >> SIX, (np.uint64(bounds[piece + 1]) + LOW_SIX) >> SIX):
            bits = frontier[word]
            while bits != 0:
                u = (word << SIX) + atomic.trailing_zeros(bits)
                bits &= bits - ONE
                message = messages[u]
                for j in range(indptr[u], indptr[u + ONE]):
                    v = np.uint64(indices[j])
                    if not accepts(vertices[v]):
                        continue
                    flag = ONE << (v & LOW_SIX)
                    if first_suffices and reached[v >> SIX] & flag:
                        continue
                    value = process(message, weights[j], vertices[v])
                    if not matters(value, vertices[v]):
                        continue
                    fold(sums, v, value)
                    if reached[v >> SIX] & flag == 0:
                        atomic.bitwise_or(reached, v >> SIX, flag)

    @njit(cache=True, nogil=True)
    def pull(piece, bounds, rows, vertices, messages, frontier, everyone_sends, identity, sums, reached):
        """The sums of a block's vertices over their rows, in row order; returns the edges read."""
        mark  # noqa: B018
        indptr, indices, weights = rows
        looked = np.uint64(0)
        for word in range(np.uint64(bounds[piece]) >> SIX, (np.uint64(bounds[piece + 1]) + LOW_SIX) >> SIX):
            bits = np.uint64(0)
            first = word << SIX
            for v in range(first, min(first + np.uint64(64), np.uint64(bounds[piece + 1]))):
                if not accepts(vertices[v]):
                    continue
                total = identity
                received = False
                begin = indptr[v]
                for j in range(begin, indptr[v + ONE]):
                    u = np.uint64(indices[j])
                    if everyone_sends or (frontier[u >> SIX] >> (u & LOW_SIX)) & ONE:
                        value = process(messages[u], weights[j], vertices[v])
                        if matters(value, vertices[v]):
                            total = value if first_suffices else add(total, value)
                            received = True
                            if first_suffices:
                                looked += j + ONE - indptr[v + ONE]  # less than all, modulo 2^64
                                break
                looked += indptr[v + ONE] - begin
                if received:
                    sums[v] = total
                    bits |= ONE << (v - first)
            reached[word] = bits
        return np.int64(looked)

    return push, pull


def _applying(add, apply, accepts, mark, first_suffices):
    """What vertices do with the sums."""

    @njit(cache=True, nogil=True)
    def apply_sums(piece, bounds, vertices, identity, everyone, ours, theirs, active, changed):
        """Apply the sums of both sides; resets our sums to the identity and clears the reached bits.

        ``ours`` and ``theirs`` are (words, sums). Gives how many became active.
        """
        mark  # noqa: B018
        reached, sums = ours
        others, other_sums = theirs
        count = np.int64(0)
        size = np.uint64(bounds[piece + 1])
        for word in range(np.uint64(bounds[piece]) >> SIX, (size + LOW_SIX) >> SIX):
            first = word << SIX
            here, there = reached[word], others[word]
            bits = here | there
            if everyone:
                left = size - first
                bits = ~np.uint64(0) if left >= 64 else (ONE << left) - ONE
            if bits == 0:
                continue
            reached[word] = np.uint64(0)
            changed[word] |= bits
            while bits != 0:
                v = first + atomic.trailing_zeros(bits)
                flag = bits & (~bits + ONE)
                bits &= bits - ONE
                total = identity
                if here & flag:
                    total = sums[v]
                    sums[v] = identity
                    if there & flag and not first_suffices:
                        total = add(total, other_sums[v])
                elif there & flag:
                    total = other_sums[v]
                elif not accepts(vertices[v]):
                    continue
                if apply(total, vertices[v]):
                    count += 1
                    active[word] |= flag
        return count

    return apply_sums
