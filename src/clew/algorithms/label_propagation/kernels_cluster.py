# mypy: ignore-errors
"""Label propagation by members: how often labels occur in the rows of a block, and the winners of all members' counts.

Labels are counted in a table with open addressing that has twice as many places as the longest row has labels.
"""

import numpy as np

from clew.jit import njit

ONE = np.uint64(1)
FACTOR = np.uint64(0x9E3779B97F4A7C15)


@njit(cache=True, nogil=True)
def count_labels(first, last, indptr, indices, awake, labels, keys, votes, used, lengths, candidates, counts):
    """The labels of the neighbours of rows ``first`` to ``last`` - 1, each once, and how often they occur.

    Rows that are not awake have none.

    ``keys``, ``votes`` (all 0) and ``used`` are the table. ``lengths`` takes the number of labels per row. Returns the
    number of all.
    """
    place = np.uint64(0)
    for v in range(np.uint64(first), np.uint64(last)):
        start, end = np.uint64(indptr[v]), np.uint64(indptr[v + ONE])
        if not awake[v]:
            lengths[v - np.uint64(first)] = 0
            continue
        if end - start == ONE:
            candidates[place], counts[place] = labels[indices[start]], 1
            lengths[v - np.uint64(first)] = 1
            place += ONE
            continue
        size, mask = np.uint64(0), _mask(end - start)
        j = start
        while j < end:  # one vote for a run of equal labels
            label, number = labels[indices[j]], np.uint32(0)
            while j < end and labels[indices[j]] == label:
                number += np.uint32(1)
                j += ONE
            size = _vote(label, number, mask, keys, votes, used, size)
        for k in range(size):
            candidates[place], counts[place] = keys[used[k]], votes[used[k]]
            votes[used[k]] = 0
            place += ONE
        lengths[v - np.uint64(first)] = size
    return place


@njit(cache=True, nogil=True)
def choose_labels(first, last, places, ends, lengths, candidates, counts, starts, keys, votes, used, labels, after):
    """The most frequent label of every vertex, the smallest of several, from the counts of all members.

    Member k has counts for places[ends[k] : ends[k + 1]], and its labels are from ``starts[k]`` on. Returns how many
    vertices change.
    """
    members = ends.size - 1
    row, item = ends[:-1].copy(), starts.copy()
    changed = 0
    for v in range(first, last):
        size, length = np.uint64(0), np.uint64(0)
        for k in range(members):
            if row[k] < ends[k + 1] and places[row[k]] == v:
                length += np.uint64(lengths[row[k]])
        mask = _mask(length)
        for k in range(members):
            if row[k] < ends[k + 1] and places[row[k]] == v:
                for _ in range(lengths[row[k]]):
                    size = _vote(candidates[item[k]], counts[item[k]], mask, keys, votes, used, size)
                    item[k] += 1
                row[k] += 1
        best, most = labels[v], np.uint32(0)
        for k in range(size):
            label, number = keys[used[k]], votes[used[k]]
            votes[used[k]] = 0
            if number > most or (number == most and label < best):
                best, most = label, number
        after[v] = best
        changed += best != labels[v]
    return changed


@njit(cache=True, nogil=True)
def _mask(length):
    """The places of the table that a row of this length may use, less 1: few for short rows, to stay in the cache."""
    places = np.uint64(4)
    while places < length + length:
        places <<= ONE
    return places - ONE


@njit(cache=True, nogil=True, inline="always")  # a call would count references to every array, which takes longer
def _vote(label, number, mask, keys, votes, used, size):
    """Add votes for a label to the table, whose first ``size`` places in use are listed; returns their number."""
    place = (np.uint64(label) * FACTOR >> np.uint64(32)) & mask
    while votes[place] != 0 and keys[place] != label:
        place = (place + ONE) & mask
    if votes[place] == 0:
        keys[place] = label
        used[size] = place
        size += ONE
    votes[place] += number
    return size
