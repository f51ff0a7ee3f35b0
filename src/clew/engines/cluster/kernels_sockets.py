# mypy: ignore-errors
"""One exchange of frames with several peers, in compiled code: libc's send, recv and poll, without the GIL.

Every peer gets one frame and sends one. All sockets make progress at once, so no order of sends and receives can block
two peers on each other. ``exchange`` returns to Python when all frames are complete or a frame needs a larger buffer.
It also does after a while without news, and when a peer is lost. The next call continues where the last one stopped.
"""

import numpy as np
from numba import carray, types
from numba.core.types import ExternalFunction

from clew.jit import njit

HEADER = 32  # bytes: magic, run, step and length
DONE, ROOM, WAITING, LOST, WRONG = range(5)

AGAIN, INTERRUPTED = 11, 4  # errno
DONT_WAIT, NO_SIGNAL = 0x40, 0x4000
IN, OUT = 1, 4  # of poll

# Addresses are signed here: Numba makes a float of the sum of a signed and an unsigned integer.
_send = ExternalFunction("send", types.intp(types.int32, types.intp, types.intp, types.int32))
_recv = ExternalFunction("recv", types.intp(types.int32, types.intp, types.intp, types.int32))
_poll = ExternalFunction("poll", types.int32(types.intp, types.intp, types.int32))
_errno = ExternalFunction("__errno_location", types.CPointer(types.int32)())


@njit(nogil=True)
def _moved(count):
    """The bytes that a call moved; 0 if it would have to wait, -1 if the peer is lost."""
    if count > 0:
        return count
    if count == 0:
        return -1
    reason = carray(_errno(), 1)[0]
    return 0 if reason in (AGAIN, INTERRUPTED) else -1


@njit(nogil=True)
def _sends(socket, frame):
    """Send what the socket takes of a frame (place and length of two pieces, bytes done); False if the peer is lost."""
    while frame[4] < frame[1] + frame[3]:
        if frame[4] < frame[1]:
            count = _send(socket, frame[0] + frame[4], frame[1] - frame[4], DONT_WAIT | NO_SIGNAL)
        else:
            behind = frame[4] - frame[1]
            count = _send(socket, frame[2] + behind, frame[3] - behind, DONT_WAIT | NO_SIGNAL)
        moved = _moved(count)
        if moved <= 0:
            return moved == 0
        frame[4] += moved
    return True


@njit(nogil=True)
def _receives(socket, header, expected, most, frame):
    """Receive what has arrived of a frame (place, room, length, bytes done): DONE, or why it is not."""
    while True:
        if frame[3] < HEADER:
            count = _recv(socket, np.int64(header.ctypes.data) + frame[3], HEADER - frame[3], DONT_WAIT)
        else:
            if frame[3] == HEADER:
                if (header[:3] != expected).any() or header[3] < 0 or header[3] > most:
                    return WRONG
                frame[2] = header[3]
            behind = frame[3] - HEADER
            if behind == frame[2]:
                return DONE
            if frame[2] > frame[1]:
                return ROOM
            count = _recv(socket, frame[0] + behind, frame[2] - behind, DONT_WAIT)
        moved = _moved(count)
        if moved <= 0:
            return LOST if moved < 0 else WAITING
        frame[3] += moved


@njit(nogil=True, cache=True)
def exchange(sockets, leaving, headers, expected, most, arriving, patience):
    """Move frames until all are complete; returns the state, and its peer."""
    polled = np.empty(sockets.size, np.int64)
    while True:
        waiting, short = 0, -1
        for peer in range(sockets.size):
            socket = np.int32(sockets[peer])
            if not _sends(socket, leaving[peer]):
                return LOST, peer
            state = _receives(socket, headers[peer], expected[peer], most, arriving[peer])
            if state in (LOST, WRONG):
                return state, peer
            if state == ROOM:
                short = peer
            events = OUT if leaving[peer, 4] < leaving[peer, 1] + leaving[peer, 3] else 0
            events |= IN if state == WAITING else 0
            if events:
                polled[waiting] = np.int64(socket) | np.int64(events) << 32  # struct pollfd
                waiting += 1
        if short >= 0:
            return ROOM, short
        if waiting == 0:
            return DONE, -1
        if _poll(np.int64(polled.ctypes.data), waiting, np.int32(patience)) == 0:
            return WAITING, -1


@njit(nogil=True, cache=True)
def watch(neighbors, stop, tick, silent):
    """Send a byte to every neighbor at every tick and expect theirs; returns who is gone or silent, and for how long.

    It needs no GIL, so a member that computes keeps on sending, and one that is stopped or cut off does not. Time is
    counted in ticks of its own, so a process that was stopped itself blames no peer. It ends with -1 when ``stop``
    does.
    """
    byte, polled = np.zeros(64, np.uint8), np.array([np.int64(stop) | np.int64(IN) << 32])
    place, quiet = np.int64(byte.ctypes.data), np.zeros(neighbors.size, np.int64)
    while True:
        for k in range(neighbors.size):
            if _moved(_send(np.int32(neighbors[k]), place, 1, DONT_WAIT | NO_SIGNAL)) < 0:
                return k, 0
        if _poll(np.int64(polled.ctypes.data), 1, np.int32(tick)) != 0:
            return -1, 0
        for k in range(neighbors.size):
            moved = _moved(_recv(np.int32(neighbors[k]), place, byte.size, DONT_WAIT))
            quiet[k] = 0 if moved > 0 else quiet[k] + 1
            if moved < 0 or quiet[k] > silent:
                return k, quiet[k] if moved == 0 else 0
