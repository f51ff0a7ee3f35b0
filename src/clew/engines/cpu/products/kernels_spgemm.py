# mypy: ignore-errors
"""C[i, j] = ⊕ over k of a[i, k] ⊗ b[k, j], row by row, each in the table that suits it.

* short   rows with few products: each goes straight to its place among the entries, as a hand sorts cards; no table has
          to be looked up, cleared or read off, and equal columns meet in the order of the edges, as they do in tables
* dense   a total for every column, with a bitmap of the columns that have one and a bitmap of its words that have any:
          reading off the entries in order takes about as many steps as there are
* hash    for rows with few products in large matrices, whose totals would lie all over memory
* masked  at the entries of a mask alone: a bitmap has the columns that the mask allows in a row; products go to a total
          for every column. Where a row of b is much longer than the mask's, the mask's columns are looked up in it

Entries go to memory of the caller's, and to more where it does not do, so that nothing has to be counted first.
"""

import numpy as np
from numba.extending import register_jitable

from clew.engines.cpu.products.kernels_spmspv import part_of_row
from clew.engines.cpu.team.kernels_intrinsics import trailing_zeros
from clew.jit import njit
from clew.kernels_search import first_from

ZERO, ONE, SIX, LOW_SIX = np.uint64(0), np.uint64(1), np.uint64(6), np.uint64(63)
FREE = np.uint64(0xFFFFFFFFFFFFFFFF)
SPREAD = np.uint64(0x9E3779B97F4A7C15)  # 2^64 divided by the golden ratio: neighbours end up far apart
HALF = np.uint64(32)
SHORT = np.uint64(16)  # products up to which a row needs no table
LOOKED_UP = np.uint64(16)  # how many times longer a row of b must be for a lookup of the mask's columns in it
HASHED = np.uint64(1024)  # products up to which a row is hashed
MOST_HASHED = np.uint64(1 << 32)  # columns: half a word tells one from the others
NEAR = np.uint64(1 << 17)  # columns whose totals a core's own cache holds: then no row is


@njit(cache=True, nogil=True)
def count_products(piece, pieces, indptr, indices, other_indptr, products):
    """products[i] = how many products row i of the result is made of."""
    size = indptr.size - 1
    for i in range(np.uint64(piece * size // pieces), np.uint64((piece + 1) * size // pieces)):
        total = ZERO
        for k in range(indptr[i], indptr[i + ONE]):
            j = indices[k]
            total += other_indptr[j + ONE] - other_indptr[j]
        products[i] = total


@njit(cache=True, nogil=True)
def _mark(bits, j):
    bits[j >> SIX] |= ONE << (j & LOW_SIX)


@njit(cache=True, nogil=True)
def _longer(array, used, needed):
    """A copy of the array with room for ``needed`` entries and some to spare."""
    copy = np.empty(max(needed, np.uint64(2 * array.size)), array.dtype)
    copy[:used] = array[:used]
    return copy


def make_short_rows(add, product):
    """``short_rows`` over two functions."""

    @register_jitable
    def short_rows(i, first, last, products, a, b, a_weights, b_weights, steps, numbers, place, lengths, columns, sums):
        """Rows from i on, until one is not short or there is no room for it; that one, and how many entries there are.

        Many rows to a call, because a call counts references to every array.
        """
        indptr, indices = a
        b_indptr, b_indices = b
        step, other_step = steps[0], steps[1]
        kind = sums.dtype.type
        while i < last and products[i] <= SHORT and place + products[i] <= columns.size:
            before = place
            for k in range(indptr[i], indptr[i + ONE]):
                left = a_weights[k * step]
                for e in range(b_indptr[indices[k]], b_indptr[indices[k] + ONE]):
                    j = b_indices[e]
                    new = product(left, b_weights[e * other_step], numbers, sums)
                    here = place
                    while here > before and columns[here - ONE] > j:
                        here -= ONE
                    if here > before and columns[here - ONE] == j:
                        sums[here - ONE] = kind(add(sums[here - ONE], new))
                        continue
                    moved = place
                    while moved > here:
                        columns[moved] = columns[moved - ONE]
                        sums[moved] = sums[moved - ONE]
                        moved -= ONE
                    columns[here] = j
                    sums[here] = new
                    place += ONE
            lengths[i - first] = place - before
            i += ONE
        return i, place

    return short_rows


def make_masked_rows(add, product):
    """``masked_rows`` over two functions."""

    @register_jitable
    def masked_rows(unit, products, a, b, mask, a_weights, b_weights, steps, numbers, lengths, columns, sums):
        """Rows and columns of ``unit``; returns how many entries there are. There is room for all that the mask has."""
        first, last, low, high = unit
        size = np.uint64(products.size)
        whole = low == ZERO and high == size
        indptr, indices = a
        b_indptr, b_indices = b
        m_indptr, m_indices = mask
        step, other_step = steps[0], steps[1]
        totals = np.empty(size, sums.dtype)
        kind = totals.dtype.type
        filled = np.zeros(size, np.uint8)  # by column: faster to test than bits
        allowed = np.zeros((size >> SIX) + ONE, np.uint64)
        place = ZERO
        for i in range(first, last):
            before = place
            m_start, m_end = part_of_row(m_indptr, m_indices, i, low, high, whole)
            if m_start == m_end or products[i] == ZERO:
                lengths[i - first] = 0
                continue
            for m in range(m_start, m_end):
                j = np.uint64(m_indices[m])
                allowed[j >> SIX] |= ONE << (j & LOW_SIX)
            for k in range(indptr[i], indptr[i + ONE]):
                left = a_weights[k * step]
                start, end = part_of_row(b_indptr, b_indices, indices[k], low, high, whole)
                if (m_end - m_start) * LOOKED_UP < end - start:
                    for m in range(m_start, m_end):
                        j = np.uint64(m_indices[m])
                        start = first_from(b_indices, start, end, j)
                        while start < end and b_indices[start] == j:
                            new = product(left, b_weights[start * other_step], numbers, totals)
                            totals[j] = kind(add(totals[j], new)) if filled[j] else new
                            filled[j] = 1
                            start += ONE
                    continue
                for e in range(start, end):
                    j = np.uint64(b_indices[e])
                    if allowed[j >> SIX] & (ONE << (j & LOW_SIX)):
                        new = product(left, b_weights[e * other_step], numbers, totals)
                        totals[j] = kind(add(totals[j], new)) if filled[j] else new
                        filled[j] = 1
            for m in range(m_start, m_end):
                j = np.uint64(m_indices[m])
                allowed[j >> SIX] = ZERO
                if filled[j]:
                    filled[j] = 0  # the mask may have an edge twice
                    columns[place] = j
                    sums[place] = totals[j]
                    place += ONE
            lengths[i - first] = place - before
        return place

    return masked_rows


def make_multiply(add, multiply, mark, absorbing):
    """Rows units[0, piece]…units[1, piece]-1 in columns units[2, piece]…units[3, piece]-1; lengths, columns and sums.

    ``numbers`` are ⊕'s identity, and its identity in the dtype of b. Edge k has weight number k times ``steps``, which
    is 0 where all edges share one weight: fewer types, fewer compilations. ``columns`` and ``sums`` are room for the
    results, as much as there is likely to be need for.
    """

    @register_jitable
    def product(left, right, numbers, totals):
        if absorbing and right == numbers[1]:
            return numbers[0]
        return totals.dtype.type(multiply(left, right))

    short_rows, masked_rows = make_short_rows(add, product), make_masked_rows(add, product)

    @njit(cache=True, nogil=True, error_model="numpy")
    def multiplied(piece, units, products, a, b, mask, a_weights, b_weights, steps, numbers, lengths, columns, sums):
        mark  # noqa: B018, captured: see the compiler
        first, last, low, high = unit = (units[0, piece], units[1, piece], units[2, piece], units[3, piece])
        if mask is not None:
            place = masked_rows(
                unit, products, a, b, mask, a_weights, b_weights, steps, numbers, lengths, columns, sums
            )
            return columns[:place], sums[:place]
        size = np.uint64(products.size)
        whole = low == ZERO and high == size
        step, other_step = steps[0], steps[1]
        indptr, indices = a
        b_indptr, b_indices = b
        totals = np.empty(size, sums.dtype)
        kind = totals.dtype.type
        filled = np.zeros(size, np.uint8)  # by column: faster to test than bits
        touched = np.zeros((size >> SIX) + ONE, np.uint64)
        groups = np.zeros((size >> np.uint64(12)) + ONE, np.uint64)
        keys = np.full(2 * HASHED, FREE, np.uint64)
        hashed = np.empty(keys.size, totals.dtype)
        order = np.empty(HASHED, np.uint64)
        i, place = first, ZERO
        while i < last:
            if whole and products[i] <= SHORT:
                i, place = short_rows(
                    i, first, last, products, a, b, a_weights, b_weights, steps, numbers, place, lengths, columns, sums
                )
                if i == last:
                    break
            is_hashed = products[i] <= HASHED and NEAR < size <= MOST_HASHED
            count = ZERO
            for k in range(indptr[i], indptr[i + ONE]):
                left = a_weights[k * step]
                start, end = part_of_row(b_indptr, b_indices, indices[k], low, high, whole)
                if is_hashed:
                    for e in range(start, end):
                        j = np.uint64(b_indices[e])
                        new = product(left, b_weights[e * other_step], numbers, totals)
                        slot = (j * SPREAD) >> np.uint64(53)
                        while keys[slot] != j and keys[slot] != FREE:
                            slot = (slot + ONE) & np.uint64(2 * HASHED - 1)
                        if keys[slot] == j:
                            hashed[slot] = kind(add(hashed[slot], new))
                        else:
                            keys[slot] = j
                            hashed[slot] = new
                            order[count] = (j << HALF) | slot
                            count += ONE
                    continue
                for e in range(start, end):
                    j = np.uint64(b_indices[e])
                    new = product(left, b_weights[e * other_step], numbers, totals)
                    if filled[j]:
                        totals[j] = kind(add(totals[j], new))
                    else:
                        totals[j] = new
                        filled[j] = 1
                        _mark(touched, j)
                        _mark(groups, j >> SIX)
                        count += ONE
            if place + count > columns.size:
                columns = _longer(columns, place, place + count)
                sums = _longer(sums, place, place + count)
            lengths[i - first] = count
            i += ONE
            if is_hashed:
                _sort(order, count)
                for c in range(count):
                    slot = order[c] & np.uint64(0xFFFFFFFF)
                    columns[place] = order[c] >> HALF
                    sums[place] = hashed[slot]
                    keys[slot] = FREE
                    place += ONE
                continue
            for group in range(np.uint64(groups.size)):
                words = groups[group]
                groups[group] = ZERO
                while words:
                    word = (group << SIX) + np.uint64(trailing_zeros(words))
                    words &= words - ONE
                    bits = touched[word]
                    touched[word] = ZERO
                    while bits:
                        j = (word << SIX) + np.uint64(trailing_zeros(bits))
                        bits &= bits - ONE
                        columns[place] = j
                        sums[place] = totals[j]
                        filled[j] = 0
                        place += ONE
        return columns[:place], sums[:place]

    return multiplied


@njit(cache=True, nogil=True)
def _sort(numbers, count):
    """The first ``count`` numbers in ascending order: by insertion where they are few."""
    if count > np.uint64(48):
        numbers[:count].sort()
        return
    for k in range(ONE, count):
        number = numbers[k]
        place = k
        while place > ZERO and numbers[place - ONE] > number:
            numbers[place] = numbers[place - ONE]
            place -= ONE
        numbers[place] = number
