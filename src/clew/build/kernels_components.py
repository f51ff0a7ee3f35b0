# mypy: ignore-errors
"""Connected components: a forest of pointers to smaller ids, joined over edges until nothing is left to join.

A vertex points to itself or to a smaller vertex of its component. So there are no cycles, and a root is the smallest id
of its tree. In the end the root of a component is its smallest vertex, in any order of joins.

1. ``point_to_first``  every vertex over its first edge, which leads to its smallest neighbour: rows are sorted
2. ``join_second``     over its second edge; most of the largest component is one tree after this
3. ``flatten``         every vertex to its root
4. ``join_all``        over all edges, but for those of the tree that most vertices are in: an undirected edge that
                       leaves it is seen from its other end
5. ``flatten``

References
----------
M. Sutton, T. Ben-Nun, A. Barak: "Optimizing parallel graph connectivity computation via subgraph sampling", IPDPS 2018.
"""

import numpy as np
from numba import types
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

from clew.jit import njit
from clew.kernels_rows import edges_of, end_of, prefetch_end


def address(context, builder, array_type, array, index):
    """Where an array element is in memory."""
    return builder.gep(make_array(array_type)(context, builder, array).data, [index])


@intrinsic
def compare_and_swap(typing_context, array, index, expected, value):
    """Replace ``array[index]`` by ``value`` if it is ``expected``; whether it was. Integers and bools only.

    The index is a uint64. What a thread wrote before is seen by the thread that reads its result.
    """

    def generate(context, builder, signature, args):
        place = address(context, builder, signature.args[0], args[0], args[1])
        answer = builder.cmpxchg(place, args[2], args[3], "acq_rel", "monotonic")
        return builder.extract_value(answer, 1)

    return types.boolean(array, types.uint64, array.dtype, array.dtype), generate


ONE, SIX, LOW_SIX = np.uint64(1), np.uint64(6), np.uint64(63)
AHEAD = np.uint64(16)  # vertices; about as long as memory takes to answer


@njit(cache=True, nogil=True)
def point_to_first(part, bounds, rows, pointer):
    """Every vertex of a block points to where its smallest neighbour points, or to itself where it is smaller.

    Within the block that neighbour has its pointer already, so there are no long chains to climb later.
    """
    indptr, first = rows[0], np.uint64(bounds[part])
    for v in range(first, np.uint64(bounds[part + 1])):
        target = v
        if indptr[v] < indptr[v + ONE]:
            target = min(v, np.uint64(end_of(rows, v, indptr[v])))
            if first <= target < v:
                target = np.uint64(pointer[target])
        pointer[v] = target


@njit(cache=True, nogil=True)
def join_second(part, bounds, rows, pointer):
    """Join over the second edge of every vertex of a block, asking for the pointers at the other ends ahead of time."""
    indptr = rows[0]
    last = np.uint64(indptr.size - 2)
    if indptr[last + ONE] == 0:
        return
    for v in range(np.uint64(bounds[part]), np.uint64(bounds[part + 1])):
        prefetch_end(pointer, rows, indptr[min(v + AHEAD, last)] + ONE)
        second = indptr[v] + ONE
        if second < indptr[v + ONE]:
            join(pointer, v, end_of(rows, v, second))


@njit(cache=True, nogil=True)
def flatten(part, parts, pointer):
    """Every vertex points to its root. What one thread has shortened already, others read or not: both are right."""
    size = pointer.size
    for v in range(np.uint64(part * size // parts), np.uint64((part + 1) * size // parts)):
        root = pointer[v]
        while pointer[root] != root:
            root = pointer[root]
        pointer[v] = root


@njit(cache=True, nogil=True)
def mark(part, parts, pointer, largest, marks):
    """Set a bit for every vertex of the tree with root ``largest``: a word holds 64, so marks fit a nearer cache."""
    size = marks.size
    for word in range(np.uint64(part * size // parts), np.uint64((part + 1) * size // parts)):
        bits = np.uint64(0)
        base = word << SIX
        for v in range(base, min(base + np.uint64(64), np.uint64(pointer.size))):
            bits |= np.uint64(pointer[v] == largest) << (v - base)
        marks[word] = bits


@njit(cache=True, nogil=True)
def join_all(part, bounds, rows, pointer, largest, marks):
    """Join over the edges of every vertex of a block; ``largest`` is the root of the tree to skip.

    If edges are stored one way, the edges that leave that tree are stored only there. They are found with the ``marks``
    of its vertices. Otherwise there are none.
    """
    for v in range(np.uint64(bounds[part]), np.uint64(bounds[part + 1])):
        if pointer[v] != largest:  # numbered edges, as the loop takes 5 % less time with them
            for _, w in edges_of(rows, v):
                join(pointer, v, w)
        elif marks is not None:
            for _, neighbour in edges_of(rows, v):
                w = np.uint64(neighbour)
                if not (marks[w >> SIX] >> (w & LOW_SIX)) & ONE:
                    join(pointer, v, w)


@njit(cache=True, nogil=True)
def join(pointer, u, v):
    """Make one tree of the trees that u and v are in: the larger of their ancestors climbs until it is a root.

    On its way it makes what it passes point one further up, so that the next to climb there has half the way.
    """
    one, other = pointer[u], pointer[v]
    while one != other:
        high, low = max(one, other), min(one, other)
        above = pointer[high]
        if above != high:
            one, other = pointer[above], low
            if one != above:
                pointer[high] = one
        elif compare_and_swap(pointer, np.uint64(high), high, low):
            return
