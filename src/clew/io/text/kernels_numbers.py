# mypy: ignore-errors
"""Parse one number from bytes, eight digits at a time.

The text always ends with a newline, so a scan needs no bound: every loop stops at a byte that is no digit. Only loads
of eight bytes check that there are eight.
"""

import numpy as np

from clew.io.text import status
from clew.io.text.kernels_doubles import (
    EXACT_INTEGER,
    EXACT_POWERS,
    INFINITY_BITS,
    SIGN_BIT,
    U,
    bits_of,
    byte_at,
    double_bits,
    fits_double,
    trailing_zeros,
    word_at,
)
from clew.jit import njit

ZEROS = U(0x3030303030303030)
NOT_A_DIGIT = U(0x7676767676767676)  # added to a byte with its '0' taken off, sets its top bit from 10 upwards
TOP_BITS = U(0x8080808080808080)
LARGEST_BEFORE_DIGIT = U((2**64 - 1) // 10)
POWERS_OF_TEN = np.array([10**k for k in range(20)], dtype=np.uint64)
NAN_BITS = U(0x7FF8000000000000)
PLUS, MINUS, POINT, ZERO, SMALL_E = 43, 45, 46, 48, 101

# What a literal turned out to be.
NOTHING, INTEGER, DECIMAL, INFINITE, NOT_A_NUMBER = 0, 1, 2, 3, 4


@njit(forceinline=True)
def _up_to_eight_digits(data, p):
    """The number that starts at p, of at most 8 digits, and where it ends. Reads 8 bytes."""
    word = word_at(data, p) ^ ZEROS
    others = ((word + NOT_A_DIGIT) | word) & TOP_BITS
    count = 8
    if others != U(0):
        count = np.int64(trailing_zeros(others) >> U(3))
        if count == 0:
            return U(0), p
        word <<= U(64 - 8 * count)  # as if zeros stood in front
    word = ((word * U(2561)) >> U(8)) & U(0x00FF00FF00FF00FF)
    word = ((word * U(6553601)) >> U(16)) & U(0x0000FFFF0000FFFF)
    return (word * U(42949672960001)) >> U(32), p + count


@njit(forceinline=True)
def short_digits_at(data, p):
    """The number of at most 16 digits that starts at p, and where it ends. Reads up to 16 bytes."""
    value, end = _up_to_eight_digits(data, p)
    if end - p == 8:
        more, last = _up_to_eight_digits(data, end)
        value = value * POWERS_OF_TEN[last - end] + more
        end = last
    return value, end


@njit
def signed_digits_at(data, p):
    """An integer: whether it is negative, its magnitude, where it ends (p: there is none), whether it fits 64 bits."""
    lead = byte_at(data, p)
    start = p + 1 if lead in (MINUS, PLUS) else p
    magnitude, end = U(0), start
    if start + 16 <= data.size:
        magnitude, end = short_digits_at(data, start)
    fits = True
    digit = byte_at(data, end) - 48
    while 0 <= digit <= 9:
        if magnitude > LARGEST_BEFORE_DIGIT or (magnitude == LARGEST_BEFORE_DIGIT and digit > 5):
            fits = False
        magnitude = magnitude * U(10) + U(digit)
        end += 1
        digit = byte_at(data, end) - 48
    return lead == MINUS and magnitude != U(0), magnitude, p if end == start else end, fits


@njit(forceinline=True)
def number_at(data, p, mode, lowest, highest):
    """A number in ``mode`` as 64 bits, where it ends, and what was found."""
    if mode in (status.INTEGERS, status.INTEGRAL):
        return _integer_at(data, p, mode, lowest, highest)
    negative, mantissa, places, end = _plain_decimal_at(data, p)
    if end == p:
        return _double_at(data, p, mode)
    if mantissa > EXACT_INTEGER:
        return double_bits(negative, mantissa, -places, False, p), end, status.FINE
    bits = bits_of(np.float64(mantissa) / EXACT_POWERS[places])
    return bits | (SIGN_BIT if negative else U(0)), end, status.FINE


@njit(forceinline=True)
def _plain_decimal_at(data, p):
    """A decimal such as -12.345, of at most 19 digits: whether negative, mantissa, places after the point, its end.

    The end is p where there is something else.
    """
    negative = byte_at(data, p) == MINUS
    start = p + 1 if negative else p
    if start + 48 > data.size:
        return negative, U(0), 0, p
    value, end = short_digits_at(data, start)
    whole = end - start
    if whole > 10 or byte_at(data, end) != POINT:
        return negative, U(0), 0, p
    fraction, last = short_digits_at(data, end + 1)
    if whole + last - end > 20:
        return negative, U(0), 0, p
    value = value * POWERS_OF_TEN[last - end - 1] + fraction
    digit = byte_at(data, last) - 48
    while 0 <= digit <= 9:
        if whole + last - end > 19:
            return negative, U(0), 0, p
        value = value * U(10) + U(digit)
        last += 1
        digit = byte_at(data, last) - 48
    count = last - end - 1
    if whole + count == 0 or (digit + 48) | 32 == SMALL_E:
        return negative, U(0), 0, p
    return negative, value, count, last


@njit
def _double_at(data, p, mode):
    kind, negative, mantissa, power, end, cut_off = _literal_at(data, p)
    sign = SIGN_BIT if negative else U(0)
    if kind == NOTHING:
        return U(0), p, status.NO_NUMBER
    if kind == INFINITE:
        return sign | INFINITY_BITS, end, status.FINE
    if kind == NOT_A_NUMBER:
        return NAN_BITS, end, status.FINE
    if mode == status.DOUBLES and kind == INTEGER and mantissa > EXACT_INTEGER and not fits_double(mantissa):
        return U(0), end, status.INEXACT
    return double_bits(negative, mantissa, power, cut_off, p), end, status.FINE


@njit
def _integer_at(data, p, mode, lowest, highest):
    kind, negative, mantissa, power, end, cut_off = _literal_at(data, p)
    if kind == NOTHING:
        return U(0), p, status.NO_NUMBER
    if kind != INTEGER:
        if mode == status.INTEGERS or kind != DECIMAL or cut_off:
            return U(0), end, status.FRACTION
        mantissa, outcome = _integral(mantissa, power)
        if outcome != status.FINE:
            return U(0), end, outcome
    if mantissa > (lowest if negative else highest):
        return U(0), end, status.NUMBER_OUT_OF_RANGE
    return (U(0) - mantissa if negative else mantissa), end, status.FINE


@njit
def _integral(mantissa, power):
    """The integer that a decimal such as 3.0 or 1e3 is."""
    while power < 0 and mantissa != U(0):
        if mantissa % U(10) != U(0):
            return U(0), status.FRACTION
        mantissa //= U(10)
        power += 1
    while power > 0 and mantissa != U(0):
        if mantissa > LARGEST_BEFORE_DIGIT:
            return U(0), status.NUMBER_OUT_OF_RANGE
        mantissa *= U(10)
        power -= 1
    return mantissa, status.FINE


@njit
def _special_at(data, p, negative):
    """``nan``, ``inf`` or ``infinity`` in letters of any size."""
    if _spells(data, p, b"nan"):
        return NOT_A_NUMBER, negative, U(0), 0, p + 3, False
    if _spells(data, p, b"infinity"):
        return INFINITE, negative, U(0), 0, p + 8, False
    if _spells(data, p, b"inf"):
        return INFINITE, negative, U(0), 0, p + 3, False
    return NOTHING, negative, U(0), 0, p, False


@njit
def _spells(data, p, word):
    # A newline ends the text and spells no letter, so this stops in time.
    for i in range(len(word)):  # noqa: SIM110
        if (byte_at(data, p + i) | 32) != word[i]:
            return False
    return True


@njit
def _decimal_at(data, p, negative):
    """A decimal of any length: its first 19 digits count, and whether any digit after them is not 0."""
    start = p
    mantissa = U(0)
    power = 0
    kept = 0
    seen = 0
    cut_off = False
    after_point = False
    while True:
        c = byte_at(data, p)
        if c == POINT and not after_point:
            after_point = True
            p += 1
            continue
        digit = c - 48
        if not 0 <= digit <= 9:
            break
        seen += 1
        if kept < 19:
            mantissa = mantissa * U(10) + U(digit)
            if mantissa != U(0):
                kept += 1
            if after_point:
                power -= 1
        else:
            cut_off |= digit != 0
            if not after_point:
                power += 1
        p += 1
    if seen == 0:
        return _special_at(data, start, negative)
    if (byte_at(data, p) | 32) == SMALL_E:
        q = p + 1
        minus = byte_at(data, q) == MINUS
        if minus or byte_at(data, q) == PLUS:
            q += 1
        exponent = 0
        digits = 0
        while 0 <= byte_at(data, q) - 48 <= 9:
            exponent = min(exponent * 10 + byte_at(data, q) - 48, 1 << 40)
            digits += 1
            q += 1
        if digits:
            power += -exponent if minus else exponent
            p = q
    return DECIMAL, negative, mantissa, power, p, cut_off


@njit
def _literal_at(data, p):
    """Any number: what it is, whether negative, mantissa, power of ten, where it ends, whether digits were cut off.

    An integer beyond 64 bits comes back as a decimal, to be rounded from all its digits.
    """
    lead = byte_at(data, p)
    negative = lead == MINUS
    start = p + 1 if negative or lead == PLUS else p
    _, magnitude, end, fits = signed_digits_at(data, p)
    follows = byte_at(data, end)
    if end > p and fits and follows != POINT and (follows | 32) != SMALL_E:
        return INTEGER, negative, magnitude, 0, end, False
    return _decimal_at(data, start, negative)


@njit(forceinline=True)
def id_at(data, p, negative_limit, lowest, highest):
    """An id, where it ends, and what was found."""
    negative, magnitude, end, fits = signed_digits_at(data, p)
    if end == p:
        return np.int64(0), end, status.NO_INTEGER
    if not fits:
        return np.int64(0), end, status.BEYOND_64_BITS
    if magnitude > negative_limit if negative else magnitude < lowest or magnitude > highest:
        return np.int64(0), end, status.OUT_OF_RANGE
    return -np.int64(magnitude) if negative else np.int64(magnitude), end, status.FINE


@njit(forceinline=True)
def is_plain_integer(data, p, end):
    """Whether an integer is written as integers are printed: without a plus sign, leading zeros, or -0."""
    c = byte_at(data, p)
    if c == ZERO:
        return end == p + 1
    return c != PLUS and (c != MINUS or byte_at(data, p + 1) != ZERO)


@njit(forceinline=True)
def are_plain_integers(data, start, middle, end):
    """The same of two that one byte separates. One test for both comes first, as ids that start with 0 are rare."""
    if (byte_at(data, start) != ZERO) & (byte_at(data, middle + 1) != ZERO):
        return True
    return is_plain_integer(data, start, middle) and is_plain_integer(data, middle + 1, end)
