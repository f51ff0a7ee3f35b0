# mypy: ignore-errors
"""Two forests over the same vertices made one."""

import numpy as np

from clew.build.kernels_components import join
from clew.engines.cpu import kernels_atomic as atomic
from clew.jit import njit

ONE, SIX = np.uint64(1), np.uint64(6)


@njit(cache=True, nogil=True)
def join_others(piece, bounds, words, labels, pointer):
    """Join every vertex of a block whose bit is set with what the other forest says it hangs together with."""
    for word in range(np.uint64(bounds[piece]), np.uint64(bounds[piece + 1])):
        bits = words[word]
        while bits != 0:
            v = (word << SIX) + atomic.trailing_zeros(bits)
            bits &= bits - ONE
            join(pointer, v, labels[v])
