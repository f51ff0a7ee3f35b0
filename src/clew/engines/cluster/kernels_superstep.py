# mypy: ignore-errors
"""Parts of a superstep in compiled code: sets of places, their messages, and exchanges along an axis of the grid.

**Sets.** A set of places is a pair of bitmaps: one bit per place, and one per word of the first that may not be 0.
So a small set of a large range is listed in little time, in ascending order.

**Messages** have a head of four integers: the form, the number of places, and two numbers of the algorithm. The places
follow, ascending, as gaps of 7 bits per byte or as a bitmap: the shorter of the two. Then come values, one per place,
aligned to 8 bytes. A receiver checks everything before it writes anything.

**Channels.** A channel connects the members of a row or column. A kernel writes a message for every member to
``message_to``, calls ``post``, and then ``finish`` until that returns DONE. All of a channel's state is in arrays, so a
kernel may return to Python whenever ``finish`` has to wait, and continue later.
"""

from typing import Any, NamedTuple

import numpy as np

from clew.engines.cluster.kernels_sockets import DONE, HEADER, WRONG, exchange
from clew.engines.cpu.team.kernels_intrinsics import ones, trailing_zeros
from clew.jit import njit

HEAD = 32  # bytes of a message before its places
FORM, COUNT, FIRST, SECOND = range(4)  # of the head; the last two are the algorithm's
GAPS, BITMAP = range(2)
SMALL = 4064  # bytes of a message to all that are copied behind each header, so that one call sends both
PATIENCE = 100  # milliseconds that a kernel waits before it returns to Python

ONE, SIX, TWELVE, LOW_SIX = np.uint64(1), np.uint64(6), np.uint64(12), np.uint64(63)
FULL = np.uint64(2**64 - 1)


class Channel(NamedTuple):
    """Arrays of the exchanges with the members of a row or column; members have positions, peers exclude this one."""

    position: Any  # of this member
    starts: Any  # where every member's vertices begin in the block
    sizes: Any  # and how many they are
    sockets: Any  # of the peers
    ranks: Any  # of the peers
    steps: Any  # exchanges so far, by rank
    expected: Any  # the first three words of the next header of every peer
    leaving: Any
    headers: Any
    arriving: Any  # as ``exchange`` expects them
    lengths: Any  # bytes of the message to every member
    outbox: Any  # a header and a message to every member
    inbox: Any  # a message of every member
    notes: Any  # bytes sent, exchanges, and the rank of the peer that the last trouble is about


@njit(nogil=True, cache=True)
def new_set(size):
    """No place of a range."""
    return np.zeros((size >> 6) + 1, np.uint64), np.zeros((size >> 12) + 1, np.uint64)


@njit(nogil=True, cache=True)
def add(places, place):
    """Put a place, a uint64, into a set."""
    words, tops = places
    words[place >> SIX] |= ONE << (place & LOW_SIX)
    tops[place >> TWELVE] |= ONE << (place >> SIX & LOW_SIX)


@njit(nogil=True, cache=True)
def take(places, first, size, listed):
    """Move the places of a range from a set to a list, counted from ``first``; returns their number."""
    words, tops = places
    count = 0
    if size == 0:
        return count
    low, high = np.uint64(first), np.uint64(first + size - 1)
    for top in range(low >> TWELVE, (high >> TWELVE) + ONE):
        summary = tops[top]
        while summary != 0:
            lowest = summary & (~summary + ONE)
            summary ^= lowest
            word = (top << SIX) + trailing_zeros(lowest)
            if word < low >> SIX or word > high >> SIX:
                continue
            mask = FULL
            if word == low >> SIX:
                mask &= FULL << (low & LOW_SIX)
            if word == high >> SIX:
                mask &= FULL >> (LOW_SIX - (high & LOW_SIX))
            bits = words[word] & mask
            words[word] ^= bits
            if words[word] == 0:
                tops[top] ^= lowest
            start = (word << SIX) - low
            while bits != 0:
                listed[count] = start + trailing_zeros(bits)
                count += 1
                bits &= bits - ONE
    return count


@njit(nogil=True, cache=True)
def pack(listed, count, size, message):
    """Write ascending places of a range of ``size`` to a message; returns its length, where values may follow."""
    head = message[:HEAD].view(np.int64)
    head[COUNT] = count
    width = ((size + 63) >> 6) << 3
    end = _pack_gaps(listed, count, message[: HEAD + width]) if count < width else -1
    head[FORM] = GAPS
    if end < 0:
        head[FORM] = BITMAP
        end = HEAD + width
        words = message[HEAD:end].view(np.uint64)
        words[:] = 0
        for i in range(count):
            place = np.uint64(listed[i])
            words[place >> SIX] |= ONE << (place & LOW_SIX)
    return aligned(end)


@njit(nogil=True, cache=True)
def aligned(length):
    """The next multiple of 8."""
    return (length + 7) & ~7


@njit(nogil=True, cache=True)
def _pack_gaps(listed, count, message):
    """Write gaps, the last 7 bits of each first; returns the end, or -1 if there is no room."""
    end, before = HEAD, np.int64(-1)
    for i in range(count):
        gap = np.int64(listed[i]) - before
        before = np.int64(listed[i])
        while gap >= 128:
            if end >= message.size:
                return -1
            message[end] = gap & 127 | 128
            end += 1
            gap >>= 7
        if end >= message.size:
            return -1
        message[end] = gap
        end += 1
    return end


@njit(nogil=True, cache=True)
def unpack(message, size, offset, listed):
    """Append the places of a message, plus ``offset``, to a list; returns their number and where values begin.

    The number is -1 if the message is not what ``pack`` writes for a range of ``size``.
    """
    if message.size < HEAD:
        return -1, 0
    head = message[:HEAD].view(np.int64)
    count = head[COUNT]
    if count < 0 or count > size:
        return -1, 0
    if head[FORM] == GAPS:
        end = _unpack_gaps(message, size, offset, listed, count)
    elif head[FORM] == BITMAP:
        end = _unpack_bitmap(message, size, offset, listed, count)
    else:
        end = -1
    if end < 0 or aligned(end) > message.size:
        return -1, 0
    return count, aligned(end)


@njit(nogil=True, cache=True)
def _unpack_gaps(message, size, offset, listed, count):
    end, place = HEAD, np.int64(-1)
    for i in range(count):
        gap, shift = np.int64(0), 0
        while True:
            if end >= message.size or shift > 56:
                return -1
            byte = np.int64(message[end])
            end += 1
            gap |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                break
        place += gap
        if gap == 0 or place >= size:
            return -1
        listed[i] = place + offset
    return end


@njit(nogil=True, cache=True)
def _unpack_bitmap(message, size, offset, listed, count):
    end = HEAD + (((size + 63) >> 6) << 3)
    if end > message.size:
        return -1
    words = message[HEAD:end].view(np.uint64)
    total = np.uint64(0)
    for word in words:
        total += ones(word)
    if np.int64(total) != count or (size & 63 and words[-1] >> np.uint64(size & 63) != 0):
        return -1
    written = 0
    for i in range(words.size):
        bits = words[i]
        while bits != 0:
            listed[written] = offset + (i << 6) + np.int64(trailing_zeros(bits))
            written += 1
            bits &= bits - ONE
    return end


@njit(nogil=True, cache=True)
def message_to(channel, position):
    """Where to write the message to a member, or to all."""
    return channel.outbox[position, HEADER:]


@njit(nogil=True, cache=True)
def message_from(channel, position):
    """The message of a member, this one included, as long as it is; for use after an exchange."""
    if position == channel.position:
        return channel.outbox[position, HEADER : HEADER + channel.lengths[position]]
    return channel.inbox[position, : channel.arriving[position - (position > channel.position), 2]]


@njit(nogil=True, cache=True)
def post(channel, to_all):
    """Begin to send the messages: one to every member, or this member's own to all of them."""
    me, outbox, lengths = channel.position, channel.outbox, channel.lengths
    place, room = np.int64(outbox.ctypes.data), np.int64(outbox.shape[1])
    for peer in range(channel.sockets.size):
        position = peer + (peer >= me)
        length = lengths[me if to_all else position]
        channel.expected[peer, 2] = channel.steps[channel.ranks[peer]]
        channel.steps[channel.ranks[peer]] += 1
        header = outbox[position, :HEADER].view(np.int64)
        header[:3] = channel.expected[peer]
        header[3] = length
        frame = channel.leaving[peer]
        frame[:] = 0
        frame[0], frame[1] = place + position * room, HEADER + length
        if to_all and length > SMALL:
            frame[1] = HEADER
            frame[2], frame[3] = place + me * room + HEADER, length
        elif to_all:
            outbox[position, HEADER : HEADER + length] = outbox[me, HEADER : HEADER + length]
        channel.arriving[peer, 2:] = 0
        channel.notes[0] += length
    channel.notes[1] += 1


@njit(nogil=True, cache=True)
def finish(channel):
    """Continue the exchange: DONE, or why it is not. After WAITING, call this again."""
    if channel.sockets.size == 0:
        return 0
    state, peer = exchange(
        channel.sockets,
        channel.leaving,
        channel.headers,
        channel.expected,
        channel.inbox.shape[1],
        channel.arriving,
        PATIENCE,
    )
    if peer >= 0:
        channel.notes[2] = channel.ranks[peer]
    return state


@njit(nogil=True, cache=True)
def refuse(channel, position):
    """The state after a message that ``unpack`` does not accept."""
    channel.notes[2] = channel.ranks[position - (position > channel.position)]
    return WRONG


@njit(nogil=True, cache=True)
def vote(row, column, state):
    """Whether any member has a flag: along the row, then along the column. Returns as ``finish`` does.

    ``state`` has the phase, 0 at first, and the flag, 0 or 1.
    """
    for axis in range(2):
        channel = row if axis == 0 else column
        if state[0] == 2 * axis:
            message_to(channel, channel.position)[0] = state[1]
            channel.lengths[channel.position] = 1
            post(channel, True)
            state[0] += 1
        if state[0] == 2 * axis + 1:
            code = finish(channel)
            if code != DONE:
                return code
            for position in range(channel.sizes.size):
                message = message_from(channel, position)
                if message.size != 1 or message[0] > 1:
                    return refuse(channel, position)
                state[1] |= message[0]
            state[0] += 1
    return DONE
