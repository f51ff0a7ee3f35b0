# mypy: ignore-errors
"""Origins of offers, requested once when a search is over: requests as places, answers as rows of few bits."""

import numpy as np

from clew.engines.cluster.kernels_sockets import DONE
from clew.engines.cluster.kernels_superstep import finish, message_from, message_to, pack, post, refuse, unpack
from clew.jit import njit

SIX, LOW_SIX, WORD = np.uint64(6), np.uint64(63), np.uint64(64)


@njit(nogil=True, cache=True)
def fetch_origins(column, giver, origin, height, vertices, rows, state):
    """Ask the other members of a column for the rows that their offers came from; returns as ``finish`` does.

    ``giver`` has, for every vertex of this member, the member whose offer it took, or -1. ``origin`` has a row of this
    member's block for every column. All blocks have ``height`` rows. In the end ``vertices`` are the vertices with a
    giver, sorted by giver. ``rows`` are rows of the givers' blocks, and ``state`` says where those of every giver
    begin.
    """
    members, me, bits = column.sizes.size, column.position, _bits(height)
    if state[0] == 0:
        for position in range(members):
            count = _given_by(position, giver, vertices) if position != me else 0
            column.lengths[position] = pack(vertices, count, giver.size, message_to(column, position))
        post(column, False)
        state[0] = 1
    if state[0] == 1:
        code = finish(column)
        if code != DONE:
            return code
        for position in range(members):
            count, _ = unpack(message_from(column, position), column.sizes[position], column.starts[position], vertices)
            if count < 0:
                return refuse(column, position)
            column.lengths[position] = length = _length(count, bits)
            _pack_rows(vertices, count, origin, bits, message_to(column, position)[:length].view(np.uint64))
        post(column, False)
        state[0] = 2
    code = finish(column)
    if code != DONE:
        return code
    bounds = state[1:]
    for position in range(members):
        message = message_from(column, position)
        first, own = bounds[position], column.starts[position]
        count = _given_by(position, giver, vertices[first:])
        bounds[position + 1] = first + count
        if position == me:
            for i in range(first, first + count):
                rows[i] = origin[np.uint64(own + vertices[i])]
            continue
        good = message.size == _length(count, bits)
        if not good or not _unpack_rows(message.view(np.uint64), rows[first : first + count], bits, height):
            return refuse(column, position)
    return DONE


@njit(nogil=True, cache=True)
def _given_by(position, giver, listed):
    """List the vertices that have a giver; returns their number. The list has room for one more."""
    count = 0
    for v in range(giver.size):
        listed[count] = v
        count += giver[v] == position
    return count


@njit(nogil=True, cache=True)
def _bits(height):
    """How many bits a row has."""
    bits = np.uint64(1)
    while np.int64(height) - 1 >> np.int64(bits) > 0:
        bits += np.uint64(1)
    return bits


@njit(nogil=True, cache=True)
def _length(count, bits):
    """The bytes of this many rows."""
    return (np.int64(count) * np.int64(bits) + 63 >> 6) << 3


@njit(nogil=True, cache=True)
def _pack_rows(listed, count, origin, bits, words):
    words[:] = 0
    at = np.uint64(0)
    for i in range(count):
        row, word, shift = np.uint64(origin[listed[i]]), at >> SIX, at & LOW_SIX
        words[word] |= row << shift
        if shift + bits > WORD:
            words[word + np.uint64(1)] = row >> (WORD - shift)
        at += bits


@njit(nogil=True, cache=True)
def _unpack_rows(words, rows, bits, height):
    """Read rows; whether all of them are rows."""
    mask, at = (np.uint64(1) << bits) - np.uint64(1), np.uint64(0)
    for i in range(rows.size):
        word, shift = at >> SIX, at & LOW_SIX
        row = words[word] >> shift
        if shift + bits > WORD:
            row |= words[word + np.uint64(1)] << (WORD - shift)
        rows[i] = row & mask
        if rows[i] >= height:
            return False
        at += bits
    return True
