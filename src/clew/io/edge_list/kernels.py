# mypy: ignore-errors
"""Integers to their ranks: a bit for every integer that occurs, and how many bits are set before each word of 64."""

import numpy as np
from numba import types
from numba.extending import intrinsic

from clew.jit import njit

U = np.uint64


@intrinsic
def _set_bits(typing_context, words, index, bits):
    """words[index] |= bits, atomically."""

    def generate(context, builder, signature, arguments):
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        builder.atomic_rmw("or", builder.gep(array.data, [arguments[1]]), arguments[2], "monotonic")
        return context.get_dummy_value()

    return types.void(words, types.int64, types.uint64), generate


@intrinsic
def _count_bits(typing_context, word):
    def generate(context, builder, signature, arguments):
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate


@njit(cache=True, nogil=True)
def mark(piece, pieces, values, low, words):
    """Set the bit of every value of one piece."""
    for i in range(piece * values.size // pieces, (piece + 1) * values.size // pieces):
        place = np.int64(values[i]) - low
        bit = U(1) << U(place & 63)
        # Most values have occurred before: looking first spares the other threads' caches.
        if words[place >> 6] & bit == U(0):
            _set_bits(words, place >> 6, bit)


@njit(cache=True, nogil=True)
def rank_words(words, before):
    """before[i] = bits set in words[:i]. Returns how many there are in all."""
    total = 0
    for i in range(words.size):
        before[i] = total
        total += np.int64(_count_bits(words[i]))
    return total


@njit(cache=True, nogil=True)
def to_ranks(piece, pieces, values, low, words, before, ranks):
    """The rank of every value of one piece; ``ranks`` may be ``values``."""
    for i in range(piece * values.size // pieces, (piece + 1) * values.size // pieces):
        place = np.int64(values[i]) - low
        word = place >> 6
        below = words[word] & ((U(1) << U(place & 63)) - U(1))
        ranks[i] = before[word] + np.int64(_count_bits(below))


@njit(cache=True, nogil=True)
def to_values(words, low, values):
    """Every value whose bit is set, in ascending order."""
    count = 0
    for i in range(words.size):
        if words[i] != U(0):
            for bit in range(64):
                if (words[i] >> U(bit)) & U(1):
                    values[count] = low + 64 * i + bit
                    count += 1
