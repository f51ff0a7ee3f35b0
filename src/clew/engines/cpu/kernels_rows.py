# mypy: ignore-errors
"""What kernels share that go over rows, round after round: handing them out, and summing over a row.

Blocks depend on the graph alone (``blocks.fixed_blocks``). Who does a block is left to chance, but each leaves its sums
in its own place, and they are added in the order of the blocks; so sums do not depend on the number of threads.
"""

import numpy as np

from clew.engines.cpu import kernels_atomic as atomic
from clew.engines.cpu.kernels_intrinsics import prefetch
from clew.engines.cpu.kernels_team import counter
from clew.jit import njit

ONE, TWO = np.uint64(1), np.uint64(2)


@njit(cache=True, nogil=True)
def take_block(size, state, number, step, blocks):
    """The next block of round ``step`` by counter ``number``; ``blocks`` or more when there are none left.

    Every member is refused once a round, so a round uses up as many tickets as there are blocks and members: the
    counter never has to go back to 0, which would take a barrier.
    """
    return atomic.add(state, counter(number), np.int64(1)) - step * (blocks + size)


@njit(cache=True, nogil=True)
def take_chunk(state, number, chunk, total):
    """The next ``chunk`` of 0…total-1 by counter ``number``, as (first, last); first is ``total`` when all are taken.

    For rounds of different lengths: the counter has to be 0 at the start of each.
    """
    first = np.uint64(atomic.add(state, counter(number), np.int64(chunk)))
    return min(first, total), min(first + np.uint64(chunk), total)


@njit(cache=True, nogil=True)
def row_sums(first, last, rows, ahead, factors, values, found):
    """Sums of ``values`` at each row's neighbours, times the factors of the edges where there are any, into ``found``.

    Values are asked for ``ahead`` edges before their turn, unless that is 0 (see ``blocks.ahead_of``). Sums are float64
    even where values are float32: a row of a million would otherwise lose most digits. A whole block to a call: a call
    per row would count references to every array, which takes longer than a short row.
    """
    indptr, indices = rows
    end = np.uint64(indices.size - 1)
    j = indptr[first]
    for v in range(first, last):
        stop = indptr[v + ONE]
        # Two sums, because an addition has to wait for the one before it; more do not pay for short rows.
        even, odd = 0.0, 0.0
        while j + TWO <= stop:
            if ahead > 0:
                prefetch(values, np.uint64(indices[min(j + ahead, end)]))
                prefetch(values, np.uint64(indices[min(j + ahead + ONE, end)]))
            if factors is None:
                even += values[indices[j]]
                odd += values[indices[j + ONE]]
            else:
                even += values[indices[j]] * factors[j]
                odd += values[indices[j + ONE]] * factors[j + ONE]
            j += TWO
        if j < stop:
            even += values[indices[j]] if factors is None else values[indices[j]] * factors[j]
            j += ONE
        found[v] = even + odd
