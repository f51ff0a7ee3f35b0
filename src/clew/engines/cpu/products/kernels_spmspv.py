# mypy: ignore-errors
"""y[j] = ⊕ over edges i → j, i active, of w ⊗ x[i]: push from a sparse vector, three ways to bring equal j together.

* scatter      into a dense vector, with a bitmap of what was touched; the list is read off the bitmap in order
* sort         all products by their j (merge sort, or radix sort by 11 bits at a time) and add up runs

Threads divide the work by the targets of edges. Each reads all active vertices and finds its part of their rows by
bisection. Both sorts are stable and edges are read in order, so every method adds the same numbers in the same order.
Results are equal to the last bit, for any number of threads.
"""

import numpy as np
from numba.extending import register_jitable

from clew.build.kernels_sort import merge_sort, radix_sort
from clew.engines.cpu.products.kernels import make_product
from clew.engines.cpu.team.kernels_intrinsics import trailing_zeros
from clew.jit import njit
from clew.kernels_search import first_from

ZERO, ONE, SIX, LOW_SIX = np.uint64(0), np.uint64(1), np.uint64(6), np.uint64(63)


@njit(cache=True, nogil=True)
def edges_of(indptr, active):
    """The number of edges of the active vertices."""
    total = ZERO
    for k in range(active.size):
        total += indptr[active[k] + ONE] - indptr[active[k]]
    return total


@njit(cache=True, nogil=True)
def sample(indptr, indices, active, stride, targets):
    """The targets of every ``stride``-th edge of the active vertices; returns their number."""
    passed, count, goal = ZERO, ZERO, stride >> ONE
    for a in range(active.size):
        start = indptr[active[a]]
        length = indptr[active[a] + ONE] - start
        while goal < passed + length and count < targets.size:
            targets[count] = indices[start + goal - passed]
            count += ONE
            goal += stride
        passed += length
    return count


@njit(cache=True, nogil=True)
def part_of_row(indptr, indices, i, low, high, whole):
    """Where the edges of vertex i that lead to low…high-1 start and end."""
    start, end = indptr[i], indptr[i + ONE]
    if whole:
        return start, end
    start = first_from(indices, start, end, low)
    return start, first_from(indices, start, end, high)


def make_push(multiply, absorbing, take):
    """A function that hands every product of one piece to ``take(count, j, new, out)``, which returns the next count.

    A piece reads all active vertices, and their edges to bounds[piece]…bounds[piece + 1]-1. ``out`` is what ``take``
    fills; the second of its arrays has the products' dtype.
    """
    product = make_product(multiply, absorbing)

    @register_jitable
    def push(piece, bounds, indptr, indices, weights, one, active, values, numbers, mask, out):
        low, high, whole = bounds[piece], bounds[piece + 1], bounds.size == 2
        count = ZERO
        for a in range(active.size):
            start, end = part_of_row(indptr, indices, active[a], low, high, whole)
            for k in range(start, end):
                j = indices[k]
                if mask is None or mask[j]:
                    count = take(count, j, product(k, a, weights, one, values, numbers, out[1]), out)
        return count

    return push


def make_scatter(add, multiply, mark, absorbing):
    """Into ``sums``, of which only entries with their bit in ``touched`` mean anything; returns how many there are.

    Bounds are multiples of 64, so that no two pieces share a word.
    """

    @register_jitable
    def take(count, j, new, out):
        touched, sums = out
        bit = ONE << (np.uint64(j) & LOW_SIX)
        if touched[np.uint64(j) >> SIX] & bit:
            sums[j] = sums.dtype.type(add(sums[j], new))
            return count
        touched[np.uint64(j) >> SIX] |= bit
        sums[j] = new
        return count + ONE

    push = make_push(multiply, absorbing, take)

    @njit(cache=True, nogil=True, error_model="numpy")
    def scatter(piece, bounds, indptr, indices, weights, one, active, values, numbers, mask, touched, sums):
        mark  # noqa: B018, captured: see the compiler
        return push(piece, bounds, indptr, indices, weights, one, active, values, numbers, mask, (touched, sums))

    return scatter


@njit(cache=True, nogil=True)
def collect(piece, bounds, places, touched, sums, listed, reduced):
    """List the entries whose bits are set in one piece, in order, from places[piece] on."""
    place = np.uint64(places[piece])
    for word in range(bounds[piece] >> SIX, (bounds[piece + 1] + LOW_SIX) >> SIX):
        bits = touched[word]
        while bits:
            j = (word << SIX) + np.uint64(trailing_zeros(bits))
            listed[place] = j
            reduced[place] = sums[j]
            place += ONE
            bits &= bits - ONE


def make_sorted(add, multiply, mark, absorbing, radix):
    """The vertices reached in one piece, ascending, and their sums: all products are listed, sorted and added up."""

    @register_jitable
    def take(count, j, new, out):
        keys, products = out
        keys[count], products[count] = j, new
        return count + ONE

    push = make_push(multiply, absorbing, take)

    @njit(cache=True, nogil=True, error_model="numpy")
    def ordered(piece, bounds, indptr, indices, weights, one, active, values, numbers, mask, empty):
        mark  # noqa: B018
        low, high, whole = bounds[piece], bounds[piece + 1], bounds.size == 2
        room = ZERO
        for a in range(active.size):
            start, end = part_of_row(indptr, indices, active[a], low, high, whole)
            room += end - start
        keys, products = np.empty(room, indices.dtype), np.empty(room, empty.dtype)
        kind = products.dtype.type
        out = (keys, products)
        place = push(piece, bounds, indptr, indices, weights, one, active, values, numbers, mask, out)
        keys, products = keys[:place], products[:place]
        if not radix:
            merge_sort(keys, products)
        elif place > ZERO:
            radix_sort(keys, products)
        count = ZERO
        for k in range(place):
            if count > ZERO and keys[k] == keys[count - ONE]:
                products[count - ONE] = kind(add(products[count - ONE], products[k]))
            else:
                keys[count] = keys[k]
                products[count] = products[k]
                count += ONE
        return keys[:count].copy(), products[:count].copy()

    return ordered
