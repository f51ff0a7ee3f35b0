# mypy: ignore-errors
"""Dinic's algorithm: shortest augmenting paths, all of one length in a phase.

Every phase searches backwards from the sink for the distances to it, then forwards from the source along arcs that lead
one step nearer. An arc that cannot lead on is not tried again in the phase. A path fills at least one arc exactly,
also with floats, so it ends after at most n phases.

Entry j of the rows leads to ``indices[j]``, and ``left[codes[j]]`` is how much it takes. Its reverse has the code with
the last bit flipped.
"""

import numpy as np

from clew.jit import njit

ONE = np.uint64(1)


@njit(cache=True, nogil=True)
def dinic(indptr, indices, codes, left, source, sink, side):
    """Fill ``left`` with what a maximum flow leaves, and mark the vertices that no longer reach the sink.

    Returns the number of phases.
    """
    n = side.size
    away = np.empty(n, np.int64)
    queue, path = np.empty(n, np.uint64), np.empty(n, np.uint64)
    at = np.empty(n, indptr.dtype)
    phases = 0
    while _distances(indptr, indices, codes, left, source, sink, away, queue):
        at[:] = indptr[:-1]
        _augment(indptr, indices, codes, left, source, sink, away, path, at)
        phases += 1
    for v in range(n):
        side[v] = away[v] < 0
    return phases


@njit(cache=True, nogil=True)
def _distances(indptr, indices, codes, left, source, sink, away, queue):
    """The number of arcs from every vertex to the sink, -1 if there is no way; stops after the source's level."""
    away[:] = -1
    away[sink] = 0
    queue[0] = sink
    read, count = 0, 1
    while read < count:
        w = queue[read]
        read += 1
        if away[source] >= 0 and away[w] >= away[source]:
            return True
        for j in range(indptr[w], indptr[w + ONE]):
            v = np.uint64(indices[j])
            if away[v] < 0 and left[np.uint64(codes[j]) ^ ONE] > 0:
                away[v] = away[w] + 1
                queue[count] = v
                count += 1
    return away[source] >= 0


@njit(cache=True, nogil=True)
def _augment(indptr, indices, codes, left, source, sink, away, path, at):
    """Send flow along paths of arcs that lead nearer to the sink, until there are none.

    ``path`` has the vertices on the way, each of which goes on by its entry ``at``.
    """
    deep = 0
    path[0] = source
    while True:
        v = path[deep]
        if v == sink:
            least = left[codes[at[path[0]]]]
            for i in range(1, deep):
                least = min(least, left[codes[at[path[i]]]])
            back = deep
            for i in range(deep - 1, -1, -1):
                code = np.uint64(codes[at[path[i]]])
                left[code] -= least
                left[code ^ ONE] += least
                if left[code] == 0:
                    back = i
            deep = back
            continue
        while at[v] < indptr[v + ONE]:
            w = np.uint64(indices[at[v]])
            if away[w] == away[v] - 1 and left[codes[at[v]]] > 0:
                break
            at[v] += ONE
        if at[v] < indptr[v + ONE]:
            deep += 1
            path[deep] = w
        elif deep == 0:
            return
        else:
            deep -= 1
            at[path[deep]] += ONE
