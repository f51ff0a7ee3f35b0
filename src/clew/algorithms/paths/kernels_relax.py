# mypy: ignore-errors
"""Relaxing edges: what shortest, widest and negative paths have in common.

A vertex has a value (smaller is better) and a parent, and both must change together even where several threads find a
better way to it at once. Delta-stepping has its own way (see ``kernels_sssp``); elsewhere the parent doubles as a lock:
whoever swaps it for LOCKED may write both. Values only ever fall, hence a look at the value without the lock can only
be too high, and most edges are dismissed by that look alone.

The parents always form a tree. Whenever a value is written, it is strictly smaller than before, and every vertex's
value is at least what its parent's value makes of it. A cycle of parents would need a value that is, all the way
round, at least itself before the last write, which was larger. (With negative weights the argument needs a cycle
without negative sum.)
"""

import numpy as np

from clew.engines.cpu.team import kernels_intrinsics as atomic
from clew.jit import njit

ONE = np.uint64(1)


@njit(cache=True, nogil=True)
def extended(value, weight, low):
    """The value at the end of an edge: the sum, or, where ``low`` is given, the worse of the two."""
    if low is None:
        return value + weight
    else:  # noqa: RET505, Numba leaves out the branch that does not apply only if it is one
        return max(value, weight)


@njit(cache=True, nogil=True)
def lock(parent, v):
    """Take the lock of ``v``; the parent it has. ``parent`` is unsigned, so LOCKED is no vertex."""
    locked = parent.dtype.type(parent.dtype.type(0) - parent.dtype.type(2))
    while True:
        before = atomic.load(parent, v)
        if before != locked and atomic.compare_and_swap(parent, v, before, locked):
            return before
        atomic.relax()


@njit(cache=True, nogil=True)
def tree_of_tight_edges(out, weights, source, value, unreached, low, parent, queue):
    """Choose parents that depend on nothing but the graph: breadth first over the edges that attain their end's value.

    Of several parents in one level, the smallest id is taken: levels are gone through in ascending order. ``parent``
    holds -1 (unsigned) everywhere; ``queue`` has room for all vertices.
    """
    indptr, indices = out
    none = parent[source]
    parent[source] = source
    queue[0] = source
    head, tail, level = np.uint64(0), ONE, ONE
    while head < tail:
        if head == level:
            level = tail
            queue[head:tail].sort()
        u = queue[head]
        head += ONE
        for j in range(indptr[u], indptr[u + ONE]):
            v = indices[j]
            if parent[v] == none and value[v] != unreached and extended(value[u], weights[j], low) == value[v]:
                parent[v] = u
                queue[tail] = v
                tail += ONE
