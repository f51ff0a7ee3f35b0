# mypy: ignore-errors
"""Rows of a product that are made of few products: each goes straight to its place among the row's entries.

A hand sorts cards like that. It takes no table that would have to be looked up, cleared or read off in order, and
equal columns meet in the order of the edges, as they do in tables.
"""

import numpy as np
from numba.extending import register_jitable

ONE = np.uint64(1)
SHORT = np.uint64(16)  # products up to which a row needs no table


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
