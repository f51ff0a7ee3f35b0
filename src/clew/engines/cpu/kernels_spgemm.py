# mypy: ignore-errors
"""C[i, j] = ⊕ over k of a[i, k] ⊗ b[k, j], row by row, each in the table that suits it.

* dense   a total for every column, with a bitmap of the columns that have one and a bitmap of its words that have any:
          reading off the entries in order takes about as many steps as there are
* hash    for rows with few products in large matrices, whose totals would lie all over memory
* masked  dense, with a bitmap of the columns allowed; where a row of b is much longer than the mask's, the columns of
          the mask are looked up in it instead

Entries go to memory that grows with them, so that nothing has to be counted first.
"""

import numpy as np
from numba.extending import register_jitable

from clew.engines.cpu.kernels_atomic import trailing_zeros
from clew.engines.cpu.kernels_spmspv import first_from
from clew.jit import njit

ZERO, ONE, TWO, SIX, LOW_SIX = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(6), np.uint64(63)
FREE = np.uint64(0xFFFFFFFFFFFFFFFF)
SPREAD = np.uint64(0x9E3779B97F4A7C15)  # 2^64 divided by the golden ratio: neighbours end up far apart
HALF = np.uint64(32)
HASHED = np.uint64(1024)  # products up to which a row is hashed
MOST_HASHED = np.uint64(1 << 32)  # columns: half a word tells one from the others
NEAR = np.uint64(1 << 17)  # columns whose totals a core's own cache holds: then no row is
SURE = np.uint64(1 << 22)  # entries that there is room for from the start
LOOKED_UP = np.uint64(16)  # so many times longer a row of b has to be for the mask's columns to be looked up in it


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
def _has(bits, j):
    return bits[j >> SIX] & (ONE << (j & LOW_SIX)) != ZERO


@njit(cache=True, nogil=True)
def _mark(bits, j):
    bits[j >> SIX] |= ONE << (j & LOW_SIX)


@njit(cache=True, nogil=True)
def _longer(array, used, needed):
    """The array itself where it has room for ``needed`` entries, else a copy that has, and some to spare."""
    if needed <= array.size:
        return array
    copy = np.empty(max(needed, np.uint64(2 * array.size)), array.dtype)
    copy[:used] = array[:used]
    return copy


def make_multiply(add, multiply, mark, absorbing):
    """Rows units[0, piece]…units[1, piece]-1 in columns units[2, piece]…units[3, piece]-1; lengths, columns and sums.

    ``numbers`` are ⊕'s identity, and its identity in the dtype of b. Edge k has weight number k times ``steps``, which
    is 0 where all edges share one weight: fewer types, fewer compilations. ``empty`` are arrays of the results' dtypes.
    """

    @register_jitable
    def product(left, right, numbers, totals):
        if absorbing and right == numbers[1]:
            return numbers[0]
        return totals.dtype.type(multiply(left, right))

    @njit(cache=True, nogil=True, error_model="numpy")
    def multiplied(piece, units, products, a, b, mask, a_weights, b_weights, steps, numbers, empty):
        mark  # noqa: B018, captured: see the compiler
        first, last, low, high = units[0, piece], units[1, piece], units[2, piece], units[3, piece]
        size = np.uint64(products.size)
        whole = low == ZERO and high == size
        step, other_step = steps[0], steps[1]
        totals = np.empty(size, empty[1].dtype)
        kind = totals.dtype.type
        filled = np.zeros(size, np.uint8)  # by column: quicker to look at than bits
        touched = np.zeros((size >> SIX) + ONE, np.uint64)
        groups = np.zeros((size >> np.uint64(12)) + ONE, np.uint64)
        allowed = np.zeros(1 if mask is None else touched.size, np.uint64)
        keys = np.full(2 * HASHED, FREE, np.uint64)
        hashed = np.empty(keys.size, totals.dtype)
        order = np.empty(HASHED, np.uint64)
        lengths = np.zeros(last - first, np.int64)
        room = ZERO
        for i in range(first, last):
            room += min(products[i], high - low)
        if room > SURE:  # where there are many products, there are fewer entries; what is not used takes no memory
            room = max(SURE, room >> TWO)
        columns, sums = np.empty(room, empty[0].dtype), np.empty(room, totals.dtype)
        place = ZERO
        for i in range(first, last):
            if products[i] == ZERO:
                continue
            before = place
            is_hashed = mask is None and products[i] <= HASHED and NEAR < size <= MOST_HASHED
            count = ZERO
            if mask is not None:
                m_start, m_end = mask[0][i], mask[0][i + ONE]
                if not whole:
                    m_start = first_from(mask[1], m_start, m_end, low)
                    m_end = first_from(mask[1], m_start, m_end, high)
                for m in range(m_start, m_end):
                    _mark(allowed, np.uint64(mask[1][m]))
            for k in range(a[0][i], a[0][i + ONE]):
                left = a_weights[k * step]
                start, end = b[0][a[1][k]], b[0][a[1][k] + ONE]
                if not whole:
                    start = first_from(b[1], start, end, low)
                    end = first_from(b[1], start, end, high)
                if is_hashed:
                    for e in range(start, end):
                        j = np.uint64(b[1][e])
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
                elif mask is not None and (m_end - m_start) * LOOKED_UP < end - start:
                    for m in range(m_start, m_end):
                        j = np.uint64(mask[1][m])
                        start = first_from(b[1], start, end, j)
                        while start < end and b[1][start] == j:
                            new = product(left, b_weights[start * other_step], numbers, totals)
                            totals[j] = kind(add(totals[j], new)) if filled[j] else new
                            filled[j] = 1
                            start += ONE
                else:
                    for e in range(start, end):
                        j = np.uint64(b[1][e])
                        if mask is not None and not _has(allowed, j):
                            continue
                        new = product(left, b_weights[e * other_step], numbers, totals)
                        if filled[j]:
                            totals[j] = kind(add(totals[j], new))
                        else:
                            totals[j] = new
                            filled[j] = 1
                            if mask is None:
                                _mark(touched, j)
                                _mark(groups, j >> SIX)
                                count += ONE
            if mask is not None:
                count = m_end - m_start
            columns = _longer(columns, place, place + count)
            sums = _longer(sums, place, place + count)
            if mask is not None:
                for m in range(m_start, m_end):
                    j = np.uint64(mask[1][m])
                    if filled[j]:
                        filled[j] = 0  # the mask may have an edge twice
                        columns[place] = j
                        sums[place] = totals[j]
                        place += ONE
                for m in range(m_start, m_end):
                    j = np.uint64(mask[1][m])
                    allowed[j >> SIX] = ZERO
            elif is_hashed:
                _sort(order, count)
                for c in range(count):
                    slot = order[c] & np.uint64(0xFFFFFFFF)
                    columns[place] = order[c] >> HALF
                    sums[place] = hashed[slot]
                    keys[slot] = FREE
                    place += ONE
            else:
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
            lengths[i - first] = place - before
        return lengths, columns[:place], sums[:place]

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
