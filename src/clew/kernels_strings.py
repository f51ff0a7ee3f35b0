# mypy: ignore-errors
"""Strings to numbers, by a hash table over Arrow's offsets and bytes.

A slot of the table has the number of a distinct string, plus one, in its lower half. Its upper half has a part of the
hash. The distinct strings themselves are copied, one after the other, into a text of their own.

Almost every string is in the table already, at a random place. A core that waits for one place could load dozens
meanwhile. So strings are processed in blocks. Hash all of a block and prefetch their slots. Then prefetch what the
slots refer to, and look them up last.
"""

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

from clew.jit import njit

BLOCK = 32  # strings that are hashed before the first of them is looked up; 16 to 256 were equally fast
ONE, EIGHT, HALF = np.uint64(1), np.uint64(8), np.uint64(32)
LOW = np.uint64(0xFFFFFFFF)
FACTOR = np.uint64(0x9E3779B97F4A7C15)  # odd, its bits at random: the golden ratio


def _at(context, builder, signature, args):
    """The address of a byte of an array."""
    return builder.gep(make_array(signature.args[0])(context, builder, args[0]).data, [args[1]])


def _load(bits):
    """An intrinsic ``load(data, place)``: an integer of that many bits at any byte."""

    @intrinsic
    def load(typing_context, data, place):
        def generate(context, builder, signature, args):
            kind = ir.IntType(bits)
            address = builder.bitcast(_at(context, builder, signature, args), kind.as_pointer())
            loaded = builder.load(address, align=1)
            return loaded if bits == 64 else builder.zext(loaded, ir.IntType(64))

        return types.uint64(data, types.uint64), generate

    return load


_word, _half_word = _load(64), _load(32)


@intrinsic
def _prefetch(typing_context, array, index):
    """Start to bring ``array[index]`` into the cache; nothing else happens."""

    def generate(context, builder, signature, args):
        address = builder.bitcast(_at(context, builder, signature, args), cgutils.voidptr_t)
        number = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [address.type, number, number, number])
        builder.call(
            cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0"),
            [address, number(0), number(3), number(1)],
        )
        return context.get_dummy_value()

    return types.void(array, types.uint64), generate


@njit(cache=True, nogil=True)
def _short(data, start, length):
    """The bytes of a string of fewer than eight, in one number that no other string of this length has."""
    if length >= np.uint64(4):
        return _half_word(data, start) | (_half_word(data, start + length - np.uint64(4)) << HALF)
    if length == np.uint64(0):
        return np.uint64(0)
    middle = np.uint64(data[start + (length >> ONE)])
    return np.uint64(data[start]) | (middle << EIGHT) | (np.uint64(data[start + length - ONE]) << np.uint64(16))


@njit(cache=True, nogil=True)
def _hash(data, start, length):
    """64 bits that depend on every byte."""
    mixed = length * FACTOR
    if length < EIGHT:
        mixed = (mixed ^ _short(data, start, length)) * FACTOR
    else:
        last = start + length - EIGHT
        while start < last:
            mixed = (mixed ^ _word(data, start)) * FACTOR
            mixed ^= mixed >> HALF
            start += EIGHT
        mixed = (mixed ^ _word(data, last)) * FACTOR  # may overlap the word before
    mixed ^= mixed >> HALF
    mixed *= FACTOR
    return mixed ^ (mixed >> np.uint64(29))


@njit(cache=True, nogil=True)
def _equal(data, start, text, place, length):
    """Whether two strings of one length are the same."""
    if length < EIGHT:
        return _short(data, start, length) == _short(text, place, length)
    last = length - EIGHT
    done = np.uint64(0)
    while done < last:
        if _word(data, start + done) != _word(text, place + done):
            return False
        done += EIGHT
    return _word(data, start + last) == _word(text, place + last)


@njit(cache=True, nogil=True)
def number_strings(offsets, data, first, table, count, ends, text, numbers):
    """Number the strings from ``first`` on; returns how many are done and how many distinct ones there are.

    It stops before the table is half full, so that the caller can enlarge it. Distinct string ``i`` is
    ``text[ends[i] : ends[i + 1]]``.
    """
    mask = np.uint64(table.size - 1)
    hashes = np.empty(BLOCK, np.uint64)
    total = offsets.size - 1
    while first < total:
        if 2 * (count + BLOCK) > table.size:
            break
        here = min(BLOCK, total - first)
        for i in range(here):
            start = offsets[first + i]
            hashes[i] = _hash(data, start, offsets[first + i + 1] - start)
            _prefetch(table, hashes[i] & mask)
        for i in range(here):
            slot = table[hashes[i] & mask]
            if slot:
                _prefetch(ends, (slot & LOW) - ONE)
        for i in range(here):
            slot = table[hashes[i] & mask]
            if slot:
                _prefetch(text, ends[(slot & LOW) - ONE])
        for i in range(here):
            start = offsets[first + i]
            length = offsets[first + i + 1] - start
            tag = hashes[i] >> HALF << HALF
            place = hashes[i] & mask
            while True:
                slot = table[place]
                if slot == np.uint64(0):
                    table[place] = tag | np.uint64(count + 1)
                    begin = ends[count]
                    for byte in range(length):
                        text[begin + byte] = data[start + byte]
                    ends[count + 1] = begin + length
                    numbers[first + i] = count
                    count += 1
                    break
                if slot & ~LOW == tag:
                    known = (slot & LOW) - ONE
                    begin = ends[known]
                    if ends[known + ONE] - begin == length and _equal(data, start, text, begin, length):
                        numbers[first + i] = known
                        break
                place = (place + ONE) & mask
        first += here
    return first, count


@njit(cache=True, nogil=True)
def enter(table, count, ends, text):
    """Enter the distinct strings into an empty table."""
    mask = np.uint64(table.size - 1)
    for number in range(count):
        mixed = _hash(text, ends[number], ends[number + 1] - ends[number])
        place = mixed & mask
        while table[place]:
            place = (place + ONE) & mask
        table[place] = (mixed >> HALF << HALF) | np.uint64(number + 1)
