# mypy: ignore-errors
"""Rows of a product at the entries of a mask alone.

A bitmap has the columns that the mask allows in a row; products go to a total for every column. Where a row of b is
much longer than the mask's, the columns of the mask are looked up in it instead.
"""

import numpy as np
from numba.extending import register_jitable

from clew.engines.cpu.kernels_spmspv import first_from, part_of_row

ZERO, ONE, SIX, LOW_SIX = np.uint64(0), np.uint64(1), np.uint64(6), np.uint64(63)
LOOKED_UP = np.uint64(16)  # so many times longer a row of b has to be for the mask's columns to be looked up in it


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
        filled = np.zeros(size, np.uint8)  # by column: quicker to look at than bits
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
