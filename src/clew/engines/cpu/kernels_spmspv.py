# mypy: ignore-errors
"""y[j] = ⊕ over edges i → j, i active, of w ⊗ x[i]: push from a sparse vector, three ways to bring equal j together.

* scatter      into a dense vector, with a bitmap of what was touched; the list is read off the bitmap in order
* gather       all products with their j, sort by j (merge sort, or radix sort by 11 bits at a time), add up runs

Both sorts are stable and edges are taken in order, so every way adds the same numbers in the same order: results are
equal to the last bit.
"""

import numpy as np
from numba import njit

from clew.engines.cpu.kernels_atomic import trailing_zeros
from clew.engines.cpu.kernels_products import make_product

ZERO, ONE, SIX, LOW_SIX = np.uint64(0), np.uint64(1), np.uint64(6), np.uint64(63)
DIGIT = np.uint64(11)  # bits; 2,048 counters fit the first-level cache
RUN = 16  # entries up to here are sorted by insertion


@njit(cache=True, nogil=True)
def edges_of(indptr, active):
    """The number of edges of the active vertices."""
    total = ZERO
    for k in range(active.size):
        total += indptr[active[k] + ONE] - indptr[active[k]]
    return total


def make_scatter(add, multiply, mark, absorbing):
    """Into ``sums``, of which only entries with their bit in ``touched`` mean anything; returns how many there are."""
    product = make_product(multiply, absorbing)

    @njit(cache=True, nogil=True, error_model="numpy")
    def scatter(piece, indptr, indices, weights, one, active, values, numbers, wanted, touched, sums):
        mark  # noqa: B018, captured: see the compiler
        kind = sums.dtype.type
        found = 0
        for a in range(active.size):
            i = active[a]
            for k in range(indptr[i], indptr[i + ONE]):
                j = indices[k]
                if wanted is not None and not wanted[j]:
                    continue
                new = product(k, a, weights, one, values, numbers, sums)
                bit = ONE << (np.uint64(j) & LOW_SIX)
                if touched[np.uint64(j) >> SIX] & bit:
                    sums[j] = kind(add(sums[j], new))
                else:
                    touched[np.uint64(j) >> SIX] |= bit
                    sums[j] = new
                    found += 1
        return found

    return scatter


@njit(cache=True, nogil=True)
def collect(touched, sums, found, reduced):
    """List the entries whose bits are set, in order."""
    place = ZERO
    for word in range(np.uint64(touched.size)):
        bits = touched[word]
        while bits:
            j = (word << SIX) + np.uint64(trailing_zeros(bits))
            found[place] = j
            reduced[place] = sums[j]
            place += ONE
            bits &= bits - ONE


def make_gather(multiply, mark, absorbing):
    """All products with their j, in the order of the edges; returns how many are wanted."""
    product = make_product(multiply, absorbing)

    @njit(cache=True, nogil=True, error_model="numpy")
    def gather(piece, indptr, indices, weights, one, active, values, numbers, wanted, keys, products):
        mark  # noqa: B018
        place = ZERO
        for a in range(active.size):
            i = active[a]
            for k in range(indptr[i], indptr[i + ONE]):
                j = indices[k]
                if wanted is not None and not wanted[j]:
                    continue
                keys[place] = j
                products[place] = product(k, a, weights, one, values, numbers, products)
                place += ONE
        return place

    return gather


def make_runs(add, mark):
    """Add up the products of equal keys, which are neighbours, in place; returns how many keys there are."""

    @njit(cache=True, nogil=True, error_model="numpy")
    def runs(piece, keys, products):
        mark  # noqa: B018
        kind = products.dtype.type
        if keys.size == 0:
            return 0
        last = 0
        for k in range(1, keys.size):
            if keys[k] == keys[last]:
                products[last] = kind(add(products[last], products[k]))
            else:
                last += 1
                keys[last] = keys[k]
                products[last] = products[k]
        return last + 1

    return runs


@njit(cache=True, nogil=True)
def radix_sort(keys, products, spare_keys, spare_products, limit):
    """Sort by keys below ``limit``, least digit first; returns whether the result is in the spare arrays."""
    mask = (ONE << DIGIT) - ONE
    counts = np.empty(1 << DIGIT, np.uint64)
    shift = ZERO
    swapped = False
    while (limit - ONE) >> shift:
        counts[:] = ZERO
        for k in range(keys.size):
            counts[(np.uint64(keys[k]) >> shift) & mask] += ONE
        total = ZERO
        for digit in range(counts.size):
            total, counts[digit] = total + counts[digit], total
        for k in range(keys.size):
            digit = (np.uint64(keys[k]) >> shift) & mask
            place = counts[digit]
            counts[digit] = place + ONE
            spare_keys[place] = keys[k]
            spare_products[place] = products[k]
        keys, spare_keys = spare_keys, keys
        products, spare_products = spare_products, products
        swapped = not swapped
        shift += DIGIT
    return swapped


@njit(cache=True, nogil=True)
def merge_sort(keys, products, spare_keys, spare_products, limit):
    """The same by merging: short runs are sorted by insertion, then merged two by two; ``limit`` is of no use here."""
    size = keys.size
    for start in range(0, size, RUN):
        _insert(keys[start : start + RUN], products[start : start + RUN])
    width = RUN
    swapped = False
    while width < size:
        for start in range(0, size, 2 * width):
            middle, end = min(start + width, size), min(start + 2 * width, size)
            _merge(
                keys[start:middle],
                products[start:middle],
                keys[middle:end],
                products[middle:end],
                spare_keys[start:end],
                spare_products[start:end],
            )
        keys, spare_keys = spare_keys, keys
        products, spare_products = spare_products, products
        swapped = not swapped
        width *= 2
    return swapped


@njit(cache=True, nogil=True)
def _insert(keys, products):
    for k in range(1, keys.size):
        key, product = keys[k], products[k]
        place = k
        while place > 0 and keys[place - 1] > key:
            keys[place] = keys[place - 1]
            products[place] = products[place - 1]
            place -= 1
        keys[place] = key
        products[place] = product


@njit(cache=True, nogil=True)
def _merge(left, left_products, right, right_products, keys, products):
    """Of equal keys, those of the left come first."""
    a, b = 0, 0
    for place in range(keys.size):
        if b == right.size or (a < left.size and left[a] <= right[b]):
            keys[place] = left[a]
            products[place] = left_products[a]
            a += 1
        else:
            keys[place] = right[b]
            products[place] = right_products[b]
            b += 1
