# mypy: ignore-errors
"""Decimals to doubles, correctly rounded.

There are three roads. Up to 2^53 with a small power of ten, one exact multiplication or division does it (Clinger).
Then a 128-bit product with a power of five decides nearly everything else (Eisel and Lemire). What that cannot decide
is marked as hard and left to Python's own ``float``.
"""

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from clew.jit import njit

U = np.uint64
ALL_ONES = U(0xFFFFFFFFFFFFFFFF)
EXACT_INTEGER = U(2**53)
EXACT_POWERS = np.array([10.0**k for k in range(23)], dtype=np.float64)
SMALLEST_POWER, LARGEST_POWER = -342, 308
INFINITY_BITS = U(0x7FF0000000000000)
SIGN_BIT = U(1 << 63)
# A signalling NaN that no arithmetic makes: "the number at this byte of the block is too hard".
HARD_BITS = U(0x7FF4000000000000)
HARD_PLACE = U(0x0003FFFFFFFFFFFF)


@intrinsic
def byte_at(typing_context, data, index):
    """data[index] as an int64, without the test for a negative index."""

    def generate(context, builder, signature, arguments):
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        loaded = builder.load(builder.gep(array.data, [arguments[1]]))
        return builder.zext(loaded, ir.IntType(64))

    return types.int64(data, types.int64), generate


@intrinsic
def class_at(typing_context, classes, data, index):
    """classes[data[index]] as an int64, where ``classes`` has an entry for every byte."""

    def generate(context, builder, signature, arguments):
        table = context.make_array(signature.args[0])(context, builder, arguments[0])
        array = context.make_array(signature.args[1])(context, builder, arguments[1])
        byte = builder.zext(builder.load(builder.gep(array.data, [arguments[2]])), ir.IntType(64))
        return builder.zext(builder.load(builder.gep(table.data, [byte])), ir.IntType(64))

    return types.int64(classes, data, types.int64), generate


@intrinsic
def word_at(typing_context, data, index):
    """data[index:index + 8] as one little-endian number."""

    def generate(context, builder, signature, arguments):
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        place = builder.bitcast(builder.gep(array.data, [arguments[1]]), ir.IntType(64).as_pointer())
        loaded = builder.load(place)
        loaded.align = 1
        return loaded

    return types.uint64(data, types.int64), generate


@intrinsic
def product(typing_context, first, second):
    """The high and the low 64 bits of a product."""

    def generate(context, builder, signature, arguments):
        wide = ir.IntType(128)
        whole = builder.mul(builder.zext(arguments[0], wide), builder.zext(arguments[1], wide))
        high = builder.trunc(builder.lshr(whole, ir.Constant(wide, 64)), ir.IntType(64))
        low = builder.trunc(whole, ir.IntType(64))
        return context.make_tuple(builder, signature.return_type, [high, low])

    return types.UniTuple(types.uint64, 2)(types.uint64, types.uint64), generate


@intrinsic
def leading_zeros(typing_context, value):
    """The number of zero bits above the highest set one; ``value`` is not 0."""

    def generate(context, builder, signature, arguments):
        return builder.ctlz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.uint64(types.uint64), generate


@intrinsic
def trailing_zeros(typing_context, value):
    """The number of zero bits below the lowest set one; ``value`` is not 0."""

    def generate(context, builder, signature, arguments):
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.uint64(types.uint64), generate


@intrinsic
def bits_of(typing_context, value):
    """The bits of a double."""

    def generate(context, builder, signature, arguments):
        return builder.bitcast(arguments[0], ir.IntType(64))

    return types.uint64(types.float64), generate


def _powers_of_five():
    """The leading 128 bits of 5^q for every q a double can need, as high and low halves."""
    table = np.empty((LARGEST_POWER - SMALLEST_POWER + 1, 2), dtype=np.uint64)
    for power in range(SMALLEST_POWER, LARGEST_POWER + 1):
        if power >= 0:
            bits = 5**power
            bits = bits << 128 - bits.bit_length() if bits.bit_length() < 128 else bits >> bits.bit_length() - 128
        else:
            # Rounded up, as the proof asks; down to 5^-27 at the last of the 128 bits, since ties occur there.
            divisor = 5**-power
            length = divisor.bit_length()
            bits = (1 << (length + 127 if power >= -27 else 2 * length + 128)) // divisor + 1
            bits >>= bits.bit_length() - 128
        table[power - SMALLEST_POWER] = bits >> 64, bits & (2**64 - 1)
    return table


POWERS_OF_FIVE = _powers_of_five()


@njit(forceinline=True)
def is_hard(bits):
    """Whether these bits are the mark of a number that is left to Python."""
    return bits & ~HARD_PLACE == HARD_BITS


@njit
def double_bits(negative, mantissa, power, cut_off, place):
    """The bits of the nearest double; for the few that are too hard, a mark that says where the text is."""
    sign = SIGN_BIT if negative else U(0)
    if mantissa <= EXACT_INTEGER and not cut_off and -22 <= power <= 22:
        value = np.float64(mantissa)
        value = value * EXACT_POWERS[power] if power >= 0 else value / EXACT_POWERS[-power]
        return sign | bits_of(value)
    bits, sure = _nearest(mantissa, power)
    if sure and cut_off:  # the dropped digits lie between this mantissa and the next
        above, sure = _nearest(mantissa + U(1), power)
        sure = sure and above == bits
    return sign | bits if sure else HARD_BITS | U(place)


@njit
def _nearest(mantissa, power):
    """mantissa·10^power as the bits of a double, and whether they are certain."""
    if mantissa == U(0) or power < SMALLEST_POWER:
        return U(0), True
    if power > LARGEST_POWER:
        return INFINITY_BITS, True
    shift = leading_zeros(mantissa)
    factor = mantissa << shift
    high, low = product(factor, POWERS_OF_FIVE[power - SMALLEST_POWER, 0])
    if high & U(0x1FF) == U(0x1FF):  # too close to call with 64 bits of the power of five
        carried, _ = product(factor, POWERS_OF_FIVE[power - SMALLEST_POWER, 1])
        low += carried
        if carried > low:
            high += U(1)
    if low == ALL_ONES and not -27 <= power <= 55:
        return U(0), False
    top = high >> U(63)
    bits = high >> (top + U(9))
    exponent = ((217706 * power) >> 16) + 63 + np.int64(top) - np.int64(shift) + 1023
    if exponent <= 0:  # subnormal
        if exponent <= -63:
            return U(0), True
        bits >>= U(1 - exponent)
        bits += bits & U(1)
        return bits >> U(1), True  # a carry into bit 52 is the smallest normal number, as it should be
    if low <= U(1) and -4 <= power <= 23 and bits & U(3) == U(1) and bits << (top + U(9)) == high:
        bits ^= U(1)  # exactly half way: to even
    bits += bits & U(1)
    bits >>= U(1)
    if bits >= U(1 << 53):
        bits = U(1 << 52)
        exponent += 1
    if exponent >= 0x7FF:
        return INFINITY_BITS, True
    return U(exponent) << U(52) | bits & U((1 << 52) - 1), True


@njit
def fits_double(integer):
    """Whether a double holds an integer (not 0) exactly."""
    while integer & U(1) == U(0):
        integer >>= U(1)
    return integer <= EXACT_INTEGER
