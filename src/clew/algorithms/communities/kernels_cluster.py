# mypy: ignore-errors
"""Moves of one member's vertices between communities. Edges lead to places in a list of vertices of any member."""

import numpy as np

from clew.jit import njit

LEAST_GAIN = 1e-12  # of the strength of a vertex; a smaller one may be a rounding error
ONE = np.uint64(1)


@njit(cache=True, nogil=True)
def choose(part, parts, movers, rows, weights, itself, strength, labels, totals, bound, factor, target):
    """The best community for a share of the movers; of several, the first.

    Parameters
    ----------
    movers
        Places of vertices.
    rows
        Where the edges of every vertex begin, and the places that they lead to.
    weights
        None if all are 1.
    itself
        The place of every vertex in the list that edges lead to; -1 if none does.
    labels
        The community of every vertex, and of all in that list.
    totals
        The strength of every community.
    bound
        None, or the communities to stay in, of vertices and of the list, and the strength of those of vertices. Then
        this is the refinement of Leiden, and movers are alone.
    factor
        The resolution divided by the strength of all vertices.
    target
        The community chosen by every vertex.
    """
    indptr, items = rows
    own_labels, labels_there = labels
    near, seen = np.zeros(totals.size), np.empty(totals.size, np.int64)
    for i in range(part * movers.size // parts, (part + 1) * movers.size // parts):
        v = np.uint64(movers[i])
        own, expected, count = own_labels[v], factor * strength[v], 0
        for j in range(np.uint64(indptr[v]), np.uint64(indptr[v + ONE])):
            u = items[j]
            weight = 1.0 if weights is None else weights[j]
            if u == itself[v] or weight == 0.0:
                continue
            if bound is not None and bound[1][u] != bound[0][v]:
                continue
            c = np.uint64(labels_there[u])
            if near[c] == 0.0:
                seen[count] = c
                count += 1
            near[c] += weight
        stay = near[own] - expected * (totals[own] - strength[v])
        best, most, linked = own, stay + LEAST_GAIN * strength[v], 0.0
        for k in range(count):
            c = seen[k]
            gain = near[c] - expected * totals[c]
            linked += near[c]
            near[c] = 0.0
            if c != own and (gain > most or (gain == most and best != own and c < best)):
                best, most = c, gain
        if bound is not None and linked < expected * (bound[2][v] - strength[v]):
            best = own
        target[v] = best


@njit(cache=True, nogil=True)
def look_around(part, bounds, rows, weights, itself, community, there, changed, inside, awake):
    """The weight of every vertex's edges inside its community, a loop twice; wake those who see a change elsewhere."""
    indptr, items = rows
    for v in range(np.uint64(bounds[part]), np.uint64(bounds[part + 1])):
        total, here = 0.0, community[v]
        for j in range(np.uint64(indptr[v]), np.uint64(indptr[v + ONE])):
            u = items[j]
            if there[u] == here:
                weight = 1.0 if weights is None else weights[j]
                total += weight + weight if u == itself[v] else weight
            elif changed[u]:
                awake[v] = True
        inside[v] = total
