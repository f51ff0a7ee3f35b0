"""The hottest rows that fit, found without sorting."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from clew import threads
from clew.adjacency import Adjacency
from clew.dtypes import Array, as_bits
from clew.placement.placement import edge_bytes
from clew.placement.sizes import as_budget

DIGIT = 11  # bits of a heat that are looked at in one pass
ROUNDS = 8  # after these there is little room left, and few rows that fit


def hottest_fitting(rows: Adjacency, heat: Array, budget: int) -> npt.NDArray[np.bool_]:
    """Vertices by descending heat (0 or more), ties by ascending id, each if its row still fits.

    All rows down to some heat fit. That heat is found digit by digit, from the bytes of rows by heat. Rows of that heat
    are tried one by one. Then the same is repeated with cooler rows that fit in the remaining bytes, usually one or
    two. If there are many, the last ones are sorted.
    """
    from clew.placement import kernels_hottest as kernels

    heats = as_bits(heat)  # numbers of 0 or more, floats too, have the order of their bits
    fast, left = np.zeros(heat.size, dtype=np.bool_), int(as_budget(budget))
    known = (heats, as_bits(rows.indptr), np.uint64(edge_bytes(rows)), np.uint64(rows.indptr.itemsize))
    pieces = threads.pieces(heat.size)
    below = int(heats.max(initial=0)) + 1  # who is at least that hot has been decided upon
    for _ in range(ROUNDS):
        taken, last = _last_heat(known, pieces, below, left)
        hotter = np.uint64(0 if last is None else last + 1)
        threads.each(kernels.take, pieces, pieces, *known, np.uint64(below), np.uint64(left), hotter, fast)
        if last is None:
            return fast
        left, below = int(kernels.take_equals(*known, np.uint64(last), np.uint64(left - taken), fast)), last
        if left < rows.indptr.itemsize:
            return fast
    kernels.take_sorted(*known, np.uint64(below), np.uint64(left), fast)
    return fast


def _last_heat(
    known: tuple[Array, Array, np.uint64, np.uint64], pieces: int, below: int, left: int
) -> tuple[int, int | None]:
    """The bytes of rows down to the last heat, and that heat, of which not all rows fit. None if all rows fit."""
    from clew.placement import kernels_hottest as kernels

    taken, prefix, unknown = 0, 0, max(0, below - 1).bit_length()
    while True:
        digits = min(DIGIT, unknown)
        unknown -= digits
        where = (np.uint64(number) for number in (below, left, prefix, unknown, digits))
        sizes = np.sum(threads.each(kernels.bytes_by_digit, pieces, pieces, *known, *where), axis=0).tolist()
        digit = len(sizes) - 1
        while digit >= 0 and taken + sizes[digit] <= left:
            taken += sizes[digit]
            digit -= 1
        if digit < 0:
            return taken, None
        prefix = prefix << digits | digit
        if not unknown:
            return taken, prefix
