# mypy: ignore-errors
"""C[i, j] = ⊕ over k of a[i, k] ⊗ b[k, j], row by row, each in the table that suits it.

A row with few products adds them up in a hash table; one with about as many as there are vertices in a dense table,
which is the same table with a slot for every column. With a mask, the columns it allows are entered first, and others
find no slot. The same kernel first counts the entries of every row and then, when there is room for them, makes them.
"""

import numpy as np
from numba import njit

from clew.engines.cpu.kernels_spmspv import merge_sort

ZERO, ONE = np.uint64(0), np.uint64(1)
FREE = np.uint64(0xFFFFFFFFFFFFFFFF)
SPREAD = np.uint64(0x9E3779B97F4A7C15)  # 2^64 divided by the golden ratio: neighbours end up far apart


@njit(cache=True, nogil=True)
def count_products(piece, pieces, indptr, indices, other_indptr, products):
    """products[i + 1] = how many products row i of the result is made of."""
    size = indptr.size - 1
    for i in range(np.uint64(piece * size // pieces), np.uint64((piece + 1) * size // pieces)):
        total = ZERO
        for k in range(indptr[i], indptr[i + ONE]):
            j = indices[k]
            total += other_indptr[j + ONE] - other_indptr[j]
        products[i + ONE] = total


@njit(cache=True, nogil=True)
def _slots(bound, size):
    """How many slots a row of at most ``bound`` entries gets: ``size`` makes the table dense."""
    slots = np.uint64(16)
    while slots < bound + bound:
        slots += slots
    return min(slots, size)


@njit(cache=True, nogil=True)
def _slot(table, slots, dense, j):
    """The slot with column j in it, or the free one where it belongs."""
    if dense:
        return np.uint64(j)
    slot = ((np.uint64(j) * SPREAD) >> np.uint64(32)) & (slots - ONE)
    while table[slot] != j and table[slot] != FREE:
        slot = (slot + ONE) & (slots - ONE)
    return slot


def make_multiply(add, multiply, mark, absorbing):
    """Rows bounds[piece]…bounds[piece + 1]-1: without ``columns``, their lengths go to starts[i + 1].

    With it, entries are made, and ``starts`` is where rows begin in ``columns`` and ``sums``. ``numbers`` are ⊕'s
    identity, and its identity in the dtype of b. Edge k has weight number k times ``steps``, which is 0 where all edges
    share one weight: fewer types, fewer compilations.
    """

    @njit(cache=True, nogil=True, error_model="numpy")
    def rows(piece, bounds, products, a, b, mask, a_weights, b_weights, steps, numbers, starts, columns, sums):
        mark  # noqa: B018, captured: see the compiler
        kind = sums.dtype.type
        size = np.uint64(starts.size - 1)
        largest = ZERO
        for i in range(bounds[piece], bounds[piece + 1]):
            bound = products[i + ONE] if mask is None else mask[0][i + ONE] - mask[0][i]
            largest = max(largest, min(bound, size))
        table = np.full(_slots(largest, size), FREE, np.uint64)
        totals = np.empty(table.size, sums.dtype)
        filled = np.zeros(table.size, np.bool_)
        used = np.empty((4, largest), np.uint64)
        for i in range(bounds[piece], bounds[piece + 1]):
            bound = products[i + ONE] if mask is None else mask[0][i + ONE] - mask[0][i]
            if bound == ZERO or products[i + ONE] == ZERO:
                continue
            slots = _slots(min(bound, size), size)
            dense = slots == size
            if mask is not None:
                for k in range(mask[0][i], mask[0][i + ONE]):
                    j = mask[1][k]
                    table[_slot(table, slots, dense, j)] = j
            count = ZERO
            for k in range(a[0][i], a[0][i + ONE]):
                middle = a[1][k]
                for e in range(b[0][middle], b[0][middle + ONE]):
                    j = b[1][e]
                    slot = _slot(table, slots, dense, j)
                    if mask is not None and table[slot] == FREE:
                        continue
                    if columns is not None:
                        x = b_weights[e * steps[1]]
                        if absorbing and x == numbers[1]:
                            new = numbers[0]
                        else:
                            new = kind(multiply(a_weights[k * steps[0]], x))
                        totals[slot] = kind(add(totals[slot], new)) if filled[slot] else new
                    if not filled[slot]:
                        filled[slot] = True
                        table[slot] = j
                        used[0, count] = j
                        used[1, count] = slot
                        count += ONE
            if columns is None:
                starts[i + ONE] = count
            elif dense:
                place = starts[i]
                for slot in range(slots):
                    if filled[slot]:
                        columns[place] = slot
                        sums[place] = totals[slot]
                        place += ONE
            else:
                found = used[:, :count]
                side = np.uint64(2) if merge_sort(found[0], found[1], found[2], found[3], size) else ZERO
                for k in range(count):
                    columns[starts[i] + k] = found[side, k]
                    sums[starts[i] + k] = totals[found[side + ONE, k]]
            for slot in range(slots):
                table[slot] = FREE
                filled[slot] = False

    return rows
