# mypy: ignore-errors
"""Random numbers without a state: number ``i`` of a stream is a function of the stream's key and of ``i``.

The function is SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014). Its
state after ``i`` steps is ``key + i * GOLDEN``, so any thread can compute any number directly. Its output passes
BigCrush. Streams with different keys are pieces of one sequence of 2^64 numbers that start at random places; two
streams of 2^40 numbers overlap with a probability of 2^-23.

All arithmetic is on uint64: Numba would turn a mix of signed and unsigned into floats.
"""

import numpy as np

from clew.jit import njit

GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # 2^64 divided by the golden ratio, odd
FIRST_FACTOR = np.uint64(0xBF58476D1CE4E5B9)
SECOND_FACTOR = np.uint64(0x94D049BB133111EB)
U1, U11, U27, U30, U31, U32 = (np.uint64(n) for n in (1, 11, 27, 30, 31, 32))
LOW_HALF = np.uint64(0xFFFFFFFF)
TO_UNIT = 2.0**-53


@njit(cache=True, nogil=True)
def bits(key, counter):
    """64 random bits: number ``counter`` (a uint64) of the stream ``key``."""
    x = key + (counter + U1) * GOLDEN
    x = (x ^ (x >> U30)) * FIRST_FACTOR
    x = (x ^ (x >> U27)) * SECOND_FACTOR
    return x ^ (x >> U31)


@njit(cache=True, nogil=True)
def unit(x):
    """Random bits as a float in [0, 1), a multiple of 2^-53."""
    return np.float64(x >> U11) * TO_UNIT


@njit(cache=True, nogil=True)
def below(x, limit):
    """Random bits as an integer 0…limit-1: the high half of the 128-bit product, from 32-bit halves.

    No value is more likely than another by more than 2^-64, so nothing needs to be drawn again.
    """
    x_low, x_high = x & LOW_HALF, x >> U32
    low, high = limit & LOW_HALF, limit >> U32
    middle = x_high * low + ((x_low * low) >> U32)
    other = x_low * high + (middle & LOW_HALF)
    return x_high * high + (middle >> U32) + (other >> U32)


@njit(cache=True, nogil=True)
def scramble_ids(part, parts, width, rounds, ids):
    """Replace ids 0…2^width-1 by where a random permutation puts them.

    Each round is invertible: xor, multiplication by an odd number, xor with the own high bits. So different ids stay
    different without a table of the permutation. ``rounds`` has a row (mask, odd factor) for each.
    """
    size = ids.size
    mask = (U1 << width) - U1
    shift = (width + U1) >> U1
    for i in range(part * size // parts, (part + 1) * size // parts):
        x = np.uint64(ids[i])
        for j in range(rounds.shape[0]):
            x = ((x ^ rounds[j, 0]) * rounds[j, 1]) & mask
            x ^= x >> shift
        ids[i] = x


@njit(cache=True, nogil=True)
def fill_units(part, parts, key, values):
    """Random floats in [0, 1)."""
    size = values.size
    for i in range(part * size // parts, (part + 1) * size // parts):
        values[i] = unit(bits(key, np.uint64(i)))
