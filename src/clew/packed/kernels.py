# mypy: ignore-errors
"""Packing and unpacking of ascending rows; ``clew.packed.code`` describes the code.

Kernels take a packed array as the tuple (words, heads, bases, bits). Differences are taken with ``indptr``, which says
where rows start; None stands for one row. All numbers are uint64: Numba makes floats of signed and unsigned ones.
"""

import numpy as np

from clew.jit import njit
from clew.kernels_rows import PLACE_BITS, SHORT_BITS, WIDTH_BITS
from clew.kernels_search import first_above
from clew.packed.kernels_bits import leading_zeros, ones, word_at

GROUP = 64  # entries
GROUPS = 64  # to a block
BLOCK = GROUP * GROUPS
ZERO, ONE, SIX, LAST, WORD = np.uint64(0), np.uint64(1), np.uint64(6), np.uint64(63), np.uint64(64)
NARROW_AT, WIDE_AT = np.uint64(PLACE_BITS), np.uint64(PLACE_BITS + WIDTH_BITS)
PLACE, WIDTH = np.uint64((1 << PLACE_BITS) - 1), np.uint64((1 << WIDTH_BITS) - 1)
THREE, SEVEN, SHORT = np.uint64(3), np.uint64(7), np.uint64(SHORT_BITS)
SIZE = np.uint64(GROUP)


@njit(cache=True, nogil=True)
def _differences(indptr, row, values, first, last, differences):
    """The entries first…last-1 as they are packed; ``row`` is the first that starts after ``first``, and is advanced.

    An entry is the difference to the one before it. The first of a row, and of a group, is itself.
    """
    differences[0] = values[first]
    for k in range(first + ONE, last):
        differences[k - first] = np.uint64(values[k]) - np.uint64(values[k - ONE])
    if indptr is not None:
        rows = np.uint64(indptr.size - 1)
        while row < rows and indptr[row] < last:
            differences[indptr[row] - first] = values[indptr[row]]
            row += ONE
    return row


@njit(cache=True, nogil=True)
def _widths(differences, count, lengths):
    """The two widths for which entries 1…count-1 take the fewest bits, and how many bits that is."""
    lengths[:] = 0
    for i in range(1, count):
        lengths[WORD - leading_zeros(differences[i] | ONE) if differences[i] else ZERO] += 1
    wide = 63
    while wide > 0 and lengths[wide] == 0:
        wide -= 1
    narrow, least = wide, (count - 1) * wide
    below = 0
    for width in range(wide):
        below += lengths[width]
        bits = GROUP + below * width + (count - 1 - below) * wide
        if bits < least:
            narrow, least = width, bits
    return narrow, wide, least


@njit(cache=True, nogil=True)
def measure(piece, pieces, indptr, values, bits, heads, sizes):
    """Choose the widths of every group in one piece of the blocks, and note how many words each block takes."""
    found, lengths = np.empty(GROUP, np.uint64), np.empty(GROUP, np.int64)
    size = np.uint64(values.size)
    first_block, last_block = piece * sizes.size // pieces, (piece + 1) * sizes.size // pieces
    row = ZERO
    if indptr is not None:  # the first that starts after the first entry
        row = first_above(indptr, ZERO, np.uint64(indptr.size - 1), np.uint64(first_block * BLOCK))
    for block in range(first_block, last_block):
        place = 0
        for group in range(block * GROUPS, min((block + 1) * GROUPS, heads.size)):
            first = np.uint64(group) * SIZE
            last = min(first + SIZE, size)
            row = _differences(indptr, row, values, first, last, found)
            narrow, wide, taken = _widths(found, np.int64(last - first), lengths)
            heads[group] = np.uint32(place | narrow << PLACE_BITS | wide << (PLACE_BITS + WIDTH_BITS))
            place += taken + bits
        sizes[block] = (place + 63) // 64


@njit(cache=True, nogil=True, inline="always")
def _put(words, end, word, kept, filled, value, width):
    """Append ``width`` bits to the ``filled`` ones of the word ``kept``; without a branch that a core would miss.

    The word at ``end`` belongs to the next block, which another thread may write. Entries of no bits may follow a block
    that ends with its last word.
    """
    kept |= value << filled
    if word < end:
        words[word] = kept
    rest = (value >> ONE) >> (LAST - filled)
    filled += width
    full = filled >> SIX
    return word + full, rest if full else kept, filled & LAST


@njit(cache=True, nogil=True)
def write(piece, pieces, indptr, values, bits, heads, bases, words):
    """Write the groups of one piece of the blocks; each block starts at a word of its own."""
    found = np.empty(GROUP, np.uint64)
    size, blocks = np.uint64(values.size), bases.size - 1
    first_block, last_block = piece * blocks // pieces, (piece + 1) * blocks // pieces
    row = ZERO
    if indptr is not None:  # the first that starts after the first entry
        row = first_above(indptr, ZERO, np.uint64(indptr.size - 1), np.uint64(first_block * BLOCK))
    for block in range(first_block, last_block):
        word, end, kept, filled = bases[block], bases[block + 1], ZERO, ZERO
        for group in range(block * GROUPS, min((block + 1) * GROUPS, heads.size)):
            first = np.uint64(group) * SIZE
            last = min(first + SIZE, size)
            row = _differences(indptr, row, values, first, last, found)
            head = np.uint64(heads[group])
            narrow, wide = head >> NARROW_AT & WIDTH, head >> WIDE_AT & WIDTH
            mask = ZERO
            if narrow < wide:
                for i in range(ONE, last - first):
                    mask |= np.uint64((found[i] >> narrow) != ZERO) << i
                word, kept, filled = _put(words, end, word, kept, filled, mask, WORD)
            word, kept, filled = _put(words, end, word, kept, filled, found[0], bits)
            for i in range(ONE, last - first):
                width = wide if mask >> i & ONE else narrow
                word, kept, filled = _put(words, end, word, kept, filled, found[i], width)
        if filled:
            words[word] = kept


@njit(cache=True, nogil=True, inline="always")
def _bits(words, place, width):
    """``width`` bits, 63 at most, from bit ``place`` on."""
    word, shift = place >> SIX, place & LAST
    both = words[word] >> shift | (words[word + ONE] << ONE) << (LAST - shift)
    return both & ((ONE << width) - ONE)


@njit(cache=True, nogil=True, inline="always")
def decode(packed, group, first, last, starts, out, at):
    """Entries first…last-1 of a group into ``out`` from ``at`` on; a row starts at ``first`` unless it is 0.

    ``starts`` has a bit for every entry that is the first of its row.
    """
    words, heads, bases, bits = packed
    head = np.uint64(heads[group])
    place = (bases[group >> SIX] << SIX) + (head & PLACE)
    narrow, wide = head >> NARROW_AT & WIDTH, head >> WIDE_AT & WIDTH
    mask = ZERO
    if narrow < wide:
        mask = _bits(words, place, LAST) | (_bits(words, place + LAST, ONE) << LAST)
        place += WORD
    value = ZERO
    i = first
    if i == ZERO:
        value = _bits(words, place, bits)
        out[at] = value
        at += ONE
        i = ONE
    place += bits + (i - ONE) * narrow + ones(mask & ((ONE << i) - ONE)) * (wide - narrow)
    if wide > SHORT:
        for k in range(i, last):
            width = wide if mask >> k & ONE else narrow
            entry = _bits(words, place, width)
            place += width
            value = entry if starts >> k & ONE else value + entry
            out[at] = value
            at += ONE
        i = last
    mask >>= i
    starts >>= i
    for _ in range(last - i):
        width = wide if mask & ONE else narrow
        entry = (word_at(words, place >> THREE) >> (place & SEVEN)) & ((ONE << width) - ONE)
        place += width
        value = entry if starts & ONE else value + entry
        mask >>= ONE
        starts >>= ONE
        out[at] = value
        at += ONE


@njit(cache=True, nogil=True)
def unpack_rows(packed, indptr, first_row, last_row, out):
    """The entries of rows first_row…last_row-1 into ``out``; how many there are."""
    first, last, row = indptr[first_row], indptr[last_row], first_row
    k = first
    while k < last:
        group = k >> SIX
        end = min((group + ONE) << SIX, last)
        starts = ZERO
        while row < last_row and indptr[row] < end:
            starts |= ONE << (indptr[row] & LAST)
            row += ONE
        decode(packed, group, k & LAST, end - (group << SIX), starts, out, k - first)
        k = end
    return last - first


@njit(cache=True, nogil=True)
def unpack_row_blocks(piece, bounds, packed, indptr, base, out):
    """Rows bounds[piece]…bounds[piece + 1]-1, of which entry ``base`` goes to out[0]."""
    first, last = np.uint64(bounds[piece]), np.uint64(bounds[piece + 1])
    unpack_rows(packed, indptr, first, last, out[indptr[first] - base :])


@njit(cache=True, nogil=True)
def unpack_chosen(piece, pieces, packed, indptr, rows, places, out, weights, out_weights):
    """One piece of some rows, row rows[i] from places[i] on, and their weights if there are any."""
    for i in range(np.uint64(piece * rows.size // pieces), np.uint64((piece + 1) * rows.size // pieces)):
        row = np.uint64(rows[i])
        unpack_rows(packed, indptr, row, row + ONE, out[places[i] :])
        if weights is not None:
            for k in range(indptr[row], indptr[row + ONE]):
                out_weights[places[i] + k - indptr[row]] = weights[k]


@njit(cache=True, nogil=True)
def unpack_entries(piece, pieces, packed, indptr, rows, places, out):
    """One piece of some entries, entry places[i] of row rows[i] to out[i]; the groups before them are not read."""
    found = np.empty(GROUP, np.uint64)
    for i in range(np.uint64(piece * places.size // pieces), np.uint64((piece + 1) * places.size // pieces)):
        place, begin = places[i], indptr[rows[i]]
        group, last = place >> SIX, place & LAST
        starts = ONE << (begin & LAST) if begin >> SIX == group else ZERO
        decode(packed, group, ZERO, last + ONE, starts, found, ZERO)
        out[i] = found[last]


@njit(cache=True, nogil=True)
def unpack_groups(piece, pieces, packed, out):
    """One piece of the groups of an array that is one row."""
    groups = packed[1].size
    for group in range(piece * groups // pieces, (piece + 1) * groups // pieces):
        at = np.uint64(group) * SIZE
        decode(packed, np.uint64(group), ZERO, min(SIZE, np.uint64(out.size) - at), ZERO, out, at)


@njit(cache=True, nogil=True)
def fits(piece, pieces, packed, size):
    """Whether no group of one piece of the blocks reads outside its block's words."""
    words, heads, bases, bits = packed
    blocks = bases.size - 1
    for block in range(piece * blocks // pieces, (piece + 1) * blocks // pieces):
        if bases[block] > bases[block + 1] or bases[block + 1] + ONE >= np.uint64(words.size):
            return False
        room = (bases[block + 1] - bases[block]) << SIX
        for group in range(block * GROUPS, min((block + 1) * GROUPS, heads.size)):
            head, count = np.uint64(heads[group]), min(SIZE, size - np.uint64(group) * SIZE)
            place, narrow, wide = head & PLACE, head >> NARROW_AT & WIDTH, head >> WIDE_AT & WIDTH
            if narrow > wide or place + bits > room:
                return False
            wides = count - ONE if narrow == wide else ZERO
            if narrow < wide:
                if place + WORD + bits > room:
                    return False
                at = (bases[block] << SIX) + place
                mask = _bits(words, at, LAST) | (_bits(words, at + LAST, ONE) << LAST)
                wides = ones(mask & (((ONE << (count - ONE)) - ONE) << ONE))
                place += WORD
            if place + bits + narrow * (count - ONE) + (wide - narrow) * wides > room:
                return False
    return True


@njit(cache=True, nogil=True)
def unpack_some(packed, indptr, first, last, starts, buffer):
    """Unpack whole rows from ``first`` on, as many before ``last`` as there is room for, and one at least.

    Row first + i starts at buffer[starts[i]]. Returns the row after them, and the buffer, which may be a longer one.
    """
    base, stop = indptr[first], first + ONE
    most = min(last, first + np.uint64(starts.size - 1))
    while stop < most and indptr[stop + ONE] - base <= np.uint64(buffer.size):
        stop += ONE
    if indptr[stop] - base > np.uint64(buffer.size):
        buffer = np.empty(np.int64(indptr[stop] - base), np.uint64)
    unpack_rows(packed, indptr, first, stop, buffer)
    for row in range(first, stop + ONE):
        starts[row - first] = indptr[row] - base
    return stop, buffer
