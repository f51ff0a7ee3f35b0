# mypy: ignore-errors
"""y[i] = ⊕ over edges i → j of w ⊗ x[j], over compressed rows, coordinates and padded tables.

Every factory makes a kernel with the semiring's functions inlined. Results are cast to the dtype of ``out`` after every
step, since Numba computes with wider integers than NumPy in between. The first product starts a sum, so that the
identity is needed for empty rows only.

Operators over vectors are here too: element by element, every pair, and reduced segment by segment.
"""

import numpy as np
from numba.extending import register_jitable

from clew.engines.cpu.team.kernels import UNPACKED
from clew.engines.cpu.team.kernels_intrinsics import hidden, prefetch
from clew.jit import njit
from clew.packed.kernels import unpack_some

ZERO, ONE = np.uint64(0), np.uint64(1)
AHEAD = np.uint64(64)  # edges; about as long as memory takes to answer
WHOLE_ROW, FIRST_WILL_DO = 0, -1  # instead of a stretch of edges after which a sum may stop
BLOCK = 2048  # rows of a padded table whose sums stay in cache while its columns pass by


def make_product(multiply, absorbing):
    """A function for the product of edge k and the value at its other end."""

    @register_jitable
    def product(k, column, weights, one, x, numbers, out):
        value = x[column]
        if absorbing and value == numbers[2]:
            return numbers[0]
        return out.dtype.type(multiply(one if weights is None else weights[k], value))

    return product


def make_rows(add, multiply, mark, stretch, absorbing, scattered):
    """Over rows bounds[piece]…bounds[piece + 1]-1. ``numbers``: ⊕'s identity, terminal value, identity in x's dtype.

    A row is one sum in the order of its edges. Whether the terminal value is reached is looked up after every
    ``stretch`` edges only: a look per edge would stop the pipeline. If x is ``scattered`` over more memory than the
    caches, its values are prefetched AHEAD edges early. Rows of more than ``longest`` edges are left for later and
    listed in ``skipped``, piece by piece; returns how many there are.
    """
    product = make_product(multiply, absorbing)

    @njit(cache=True, nogil=True, error_model="numpy")
    def rows(piece, bounds, longest, skipped, indptr, indices, weights, one, x, numbers, mask, out):
        mark  # noqa: B018, captured: see the compiler
        kind = out.dtype.type
        last = np.uint64(indices.size - 1)
        long_rows = 0
        end = indptr[bounds[piece]]
        for i in range(bounds[piece], bounds[piece + 1]):
            k, end = end, indptr[i + ONE]
            if mask is not None and not mask[i]:
                continue
            if k == end:
                out[i] = numbers[0]
                continue
            if end - k > longest:
                skipped[piece, long_rows] = i
                long_rows += 1
                continue
            total = product(k, indices[k], weights, one, x, numbers, out)
            k = hidden(k + ONE)
            while stretch != FIRST_WILL_DO and k < end:
                limit = end if stretch == WHOLE_ROW else min(end, k + np.uint64(stretch))
                while k < limit:
                    if scattered:
                        prefetch(x, np.uint64(indices[min(k + AHEAD, last)]))
                    total = kind(add(total, product(k, indices[k], weights, one, x, numbers, out)))
                    k = hidden(k + ONE)
                if stretch == WHOLE_ROW or total == numbers[1]:
                    break
            out[i] = total
        return long_rows

    return rows


def make_packed_rows(add, multiply, mark, stretch, absorbing, scattered):
    """The same over packed rows: some are unpacked into a buffer, and go through the kernel for plain ones."""
    plain = make_rows(add, multiply, mark, stretch, absorbing, scattered)

    @njit(cache=True, nogil=True, error_model="numpy")
    def packed_rows(piece, bounds, longest, skipped, indptr, packed, weights, one, x, numbers, mask, out):
        mark  # noqa: B018
        buffer, starts = np.empty(UNPACKED, np.uint64), np.empty(UNPACKED, np.uint64)
        some, none, long_rows = np.zeros(2, np.uint64), skipped[:0], 0
        first, last = bounds[piece], bounds[piece + 1]
        while first < last:
            if indptr[first + ONE] - indptr[first] > longest:
                skipped[piece, long_rows] = first
                long_rows += 1
                first += ONE
                continue
            stop, buffer = unpack_some(packed, indptr, first, last, starts, buffer)
            start, end = indptr[first], indptr[stop]
            some[1] = stop - first
            ours = None if weights is None else weights[start:end]
            shown = None if mask is None else mask[first:stop]
            here = (starts, buffer[: end - start], ours, one, x, numbers, shown, out[first:stop])
            plain(0, some, longest, none, *here)
            first = stop
        return long_rows

    return packed_rows


def make_coordinates(add, multiply, mark, absorbing):
    """Over coordinates sorted by row, no row of which is in two pieces. ``out`` holds identities to begin with."""
    product = make_product(multiply, absorbing)

    @njit(cache=True, nogil=True, error_model="numpy")
    def coordinates(piece, bounds, rows, columns, weights, one, x, numbers, mask, out):
        mark  # noqa: B018
        kind = out.dtype.type
        k, end = bounds[piece], bounds[piece + 1]
        while k < end:
            i = rows[k]
            a = product(k, columns[k], weights, one, x, numbers, out)
            k += ONE
            while k < end and rows[k] == i:
                a = kind(add(a, product(k, columns[k], weights, one, x, numbers, out)))
                k += ONE
            if mask is None or mask[i]:
                out[i] = a

    return coordinates


def make_table(add, multiply, mark, absorbing):
    """Over a padded table, a block of rows at a time, column after column. ``out`` holds identities to begin with."""
    product = make_product(multiply, absorbing)

    @njit(cache=True, nogil=True, error_model="numpy")
    def table(piece, bounds, columns, weights, one, x, numbers, mask, out):
        mark  # noqa: B018
        kind = out.dtype.type
        width, size = np.uint64(columns.shape[0]), np.uint64(columns.shape[1])
        flat = columns.reshape(-1)
        for start in range(bounds[piece], bounds[piece + 1], np.uint64(BLOCK)):
            end = min(start + np.uint64(BLOCK), bounds[piece + 1])
            for column in range(width):
                for i in range(start, end):
                    place = column * size + i
                    j = flat[place]
                    if j >= size or (mask is not None and not mask[i]):
                        continue
                    value = product(place, j, weights, one, x, numbers, out)
                    out[i] = value if column == ZERO else kind(add(out[i], value))

    return table


def make_elementwise(function, mark):
    """out[i] = function(u[i], v[i]), one piece of equal parts."""

    @njit(cache=True, nogil=True, error_model="numpy")
    def elementwise(piece, pieces, u, v, out):
        mark  # noqa: B018, captured: see the compiler
        start, end = piece * out.size // pieces, (piece + 1) * out.size // pieces
        left, right, here = u[start:end], v[start:end], out[start:end]
        kind = out.dtype.type
        for i in range(here.size):
            here[i] = kind(function(left[i], right[i]))

    return elementwise


def make_outer(function, mark):
    """out[i, j] = function(u[i], v[j]), one piece of the rows."""

    @njit(cache=True, nogil=True, error_model="numpy")
    def outer(piece, pieces, u, v, out):
        mark  # noqa: B018
        kind = out.dtype.type
        for i in range(piece * u.size // pieces, (piece + 1) * u.size // pieces):
            left, here = u[i], out[i]
            for j in range(v.size):
                here[j] = kind(function(left, v[j]))

    return outer


def make_segments(add, mark, stretch):
    """out[i] = ⊕ of values[indptr[i]:indptr[i + 1]]; ``numbers`` are ⊕'s identity and terminal value."""

    @njit(cache=True, nogil=True, error_model="numpy")
    def segments(piece, bounds, indptr, values, numbers, out):
        mark  # noqa: B018
        kind = out.dtype.type
        for i in range(bounds[piece], bounds[piece + 1]):
            here = values[indptr[i] : indptr[i + 1]]
            if here.size == 0:
                out[i] = numbers[0]
                continue
            total = kind(here[0])
            k = 1
            while stretch != FIRST_WILL_DO and k < here.size:
                limit = here.size if stretch == WHOLE_ROW else min(here.size, k + stretch)
                for place in range(k, limit):
                    total = kind(add(total, kind(here[place])))
                k = limit
                if stretch != WHOLE_ROW and total == numbers[1]:
                    break
            out[i] = total

    return segments
