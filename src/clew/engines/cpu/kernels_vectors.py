# mypy: ignore-errors
"""Operators over vectors: element by element, every pair, and reduced segment by segment."""

from clew.engines.cpu.kernels_products import FIRST_WILL_DO, WHOLE_ROW
from clew.jit import njit


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
