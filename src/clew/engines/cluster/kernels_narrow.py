# mypy: ignore-errors
"""Messages of float32 with 28 bits per value, and no digit lost: values of one message are seldom 32 binades apart.

1,024 values become their smallest one, as an integer of 32 bits, and 896 words. Each word has the distance of a value
from it, and in its top bits a seventh of the distance of one more. Values behind the last 1,024 stay as they are.
"""

import numpy as np

from clew.jit import njit

VALUES = 1024
LANE = VALUES // 8
WORDS = 1 + 7 * LANE
MOST = np.uint32((1 << 28) - 1)
TOP, FOUR, DIGIT = np.uint32(28), np.uint32(4), np.uint32(15)


@njit(nogil=True, cache=True)
def _extremes(block):
    low, high = block[0], block[0]
    for i in range(VALUES):
        low, high = min(low, block[i]), max(high, block[i])
    return low, high


@njit(nogil=True, cache=True)
def narrow(words):
    """Make a message shorter, in place; returns its words, as many as before if its values are too far apart."""
    whole = words.size // VALUES
    for k in range(whole):
        block = words[k * VALUES : (k + 1) * VALUES]
        low, high = _extremes(block)
        if high - low > MOST:  # before anything is written
            return words.size
    distance = np.empty(VALUES, np.uint32)
    for k in range(whole):
        block, short = words[k * VALUES : (k + 1) * VALUES], words[k * WORDS : (k + 1) * WORDS]
        low, _ = _extremes(block)
        for i in range(VALUES):
            distance[i] = block[i] - low
        short[0], cut = low, distance[7 * LANE :]
        for row in range(7):
            lane, to = distance[row * LANE : (row + 1) * LANE], short[1 + row * LANE : 1 + (row + 1) * LANE]
            shift = FOUR * np.uint32(row)
            for i in range(LANE):
                to[i] = lane[i] | (cut[i] >> shift & DIGIT) << TOP
    rest = words.size - whole * VALUES
    for i in range(rest):
        words[whole * WORDS + i] = words[whole * VALUES + i]
    return whole * WORDS + rest


@njit(nogil=True, cache=True)
def widen(words):
    """Undo ``narrow``, in place: ``words`` is the room of the whole message."""
    whole = words.size // VALUES
    for i in range(words.size - whole * VALUES - 1, -1, -1):
        words[whole * VALUES + i] = words[whole * WORDS + i]
    short = np.empty(WORDS, np.uint32)
    for k in range(whole - 1, -1, -1):
        arrived, block = words[k * WORDS : (k + 1) * WORDS], words[k * VALUES : (k + 1) * VALUES]
        for i in range(WORDS):
            short[i] = arrived[i]
        low, cut = short[0], block[7 * LANE :]
        for i in range(LANE):
            cut[i] = 0
        for row in range(7):
            lane, to = short[1 + row * LANE : 1 + (row + 1) * LANE], block[row * LANE : (row + 1) * LANE]
            shift = FOUR * np.uint32(row)
            for i in range(LANE):
                to[i] = low + (lane[i] & MOST)
            for i in range(LANE):
                cut[i] |= lane[i] >> TOP << shift
        for i in range(LANE):
            cut[i] += low


def narrow_size(size: int) -> int:
    """The words of a message of this many values after ``narrow``."""
    return size - size // VALUES * (VALUES - WORDS)
