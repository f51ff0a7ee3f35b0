# mypy: ignore-errors
"""A smaller graph that has the same shape: vertices are joined two by two, and their edges added up."""

import numpy as np

from clew.jit import njit

ONE = np.uint64(1)


@njit(cache=True, nogil=True)
def match(order, indptr, indices, weights, mass, nobody, mate, waiting):
    """Find a partner for every vertex, in the order given; those without one stay their own.

    The best partner is a neighbour over a heavy edge that stands for few vertices itself. Where all neighbours are
    taken, such as around a hub, two vertices with the same strongest neighbour go together: they wait for each other.
    """
    for at in range(np.uint64(order.size)):
        v = np.uint64(order[at])
        if mate[v] != nobody:
            continue
        best, strongest = np.uint64(nobody), np.uint64(nobody)
        most, heaviest = np.float32(0), np.float32(0)
        for k in range(indptr[v], indptr[v + ONE]):
            u = np.uint64(indices[k])
            if u == v:
                continue
            weight = np.float32(1) if weights is None else weights[k]
            score = weight / mass[u]
            if mate[u] == nobody and score > most:
                best, most = u, score
            if weight > heaviest:
                strongest, heaviest = u, weight
        if best == nobody and strongest != nobody:
            best = np.uint64(waiting[strongest])
            waiting[strongest] = v if best == nobody else nobody
        if best != nobody:
            mate[v], mate[best] = best, v


@njit(cache=True, nogil=True)
def number(mate, nobody, joined, members):
    """Number the pairs in the order of their first vertices; ``members`` holds both, or the only one twice.

    Returns how many there are.
    """
    count = np.uint64(0)
    for v in range(np.uint64(mate.size)):
        other = v if mate[v] == nobody else np.uint64(mate[v])
        if v <= other:
            joined[v] = joined[other] = count
            members[count, 0], members[count, 1] = v, other
            count += ONE
    return count


@njit(cache=True, nogil=True)
def contract(piece, pieces, members, joined, indptr, indices, weights, room, new_indices, new_weights, length):
    """The rows of the pairs of a piece: neighbours renamed, parallel edges added up, edges within a pair left out.

    Row c is written from ``room[c]`` on, where there is space for the rows of both; ``length[c]`` says what it took.
    """
    count = length.size
    first, last = np.uint64(piece * count // pieces), np.uint64((piece + 1) * count // pieces)
    place = np.zeros(count, dtype=np.uint64)  # where a neighbour stands; from an earlier row where it is below `start`
    for c in range(first, last):
        start = room[c]
        end = start
        for which in range(1 if members[c, 0] == members[c, 1] else 2):
            v = members[c, which]
            for k in range(indptr[v], indptr[np.uint64(v) + ONE]):
                other = np.uint64(joined[indices[k]])
                if other == c:
                    continue
                weight = np.float32(1) if weights is None else weights[k]
                at = place[other]
                # A place is only trusted where it lies in this row and holds this neighbour.
                if start <= at < end and new_indices[at] == other:
                    new_weights[at] += weight
                else:
                    place[other] = end
                    new_indices[end], new_weights[end] = other, weight
                    end += ONE
        length[c] = end - start


@njit(cache=True, nogil=True)
def close_gaps(piece, pieces, room, indptr, indices, weights, new_indices, new_weights):
    """Copy the rows of a piece to where they belong."""
    count = indptr.size - 1
    for c in range(np.uint64(piece * count // pieces), np.uint64((piece + 1) * count // pieces)):
        start = room[c]
        for k in range(indptr[c], indptr[c + ONE]):
            source = start + (k - indptr[c])
            new_indices[k], new_weights[k] = indices[source], weights[source]


@njit(cache=True, nogil=True)
def reorder(piece, pieces, order, position, indptr, indices, new_indptr, new_indices):
    """Copy rows in a new order, vertices renamed to their positions in it."""
    count = order.size
    for i in range(np.uint64(piece * count // pieces), np.uint64((piece + 1) * count // pieces)):
        v = np.uint64(order[i])
        to = new_indptr[i]
        for k in range(indptr[v], indptr[v + ONE]):
            new_indices[to] = position[indices[k]]
            to += ONE
