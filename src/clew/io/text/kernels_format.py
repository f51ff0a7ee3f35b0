# mypy: ignore-errors
"""Numbers and strings to bytes, a column at a time: first how wide each value is, then the values at their places.

``places`` holds, for every line, where its next byte goes; every column moves it on.
"""

import numpy as np

from clew.jit import njit

U = np.uint64
PAIRS = np.frombuffer("".join(f"{i:02}" for i in range(100)).encode(), dtype=np.uint8).copy()
MINUS, POINT, ZERO, NINE = 45, 46, 48, 57


@njit
def _digits(value):
    count = 1
    while value >= U(10000):
        value //= U(10000)
        count += 4
    if value >= U(100):
        count += 2
        value //= U(100)
    return count + 1 if value >= U(10) else count


@njit
def _magnitude(value, unsigned):
    """A 64-bit integer, stored as int64 even if unsigned, as a sign and a magnitude."""
    if value < 0 and not unsigned:
        return True, U(0) - U(value)
    return False, U(value)


@njit(cache=True, nogil=True)
def measure_integers(values, unsigned, widths):
    """Add the width of every integer."""
    for i in range(values.size):
        negative, magnitude = _magnitude(values[i], unsigned)
        widths[i] += _digits(magnitude) + negative


@njit(cache=True, nogil=True)
def put_integers(values, unsigned, after, places, out):
    """Write every integer at its place, and ``after`` behind it."""
    for i in range(values.size):
        negative, magnitude = _magnitude(values[i], unsigned)
        place = places[i]
        if negative:
            out[place] = MINUS
            place += 1
        end = place + _digits(magnitude)
        at = end
        while magnitude >= U(100):
            pair = np.int64(magnitude % U(100)) * 2
            magnitude //= U(100)
            at -= 2
            out[at] = PAIRS[pair]
            out[at + 1] = PAIRS[pair + 1]
        if magnitude >= U(10):
            out[at - 2] = PAIRS[np.int64(magnitude) * 2]
            at -= 1
            out[at] = PAIRS[np.int64(magnitude) * 2 + 1]
        else:
            out[at - 1] = ZERO + np.int64(magnitude)
        out[end] = after
        places[i] = end + 1


@njit
def _looks_like_integer(text, start, stop):
    """Whether text is a sign and digits only: a double that would be read back as an integer."""
    for i in range(start, stop):  # noqa: SIM110
        if not (ZERO <= text[i] <= NINE or text[i] == MINUS):
            return False
    return True


@njit(cache=True, nogil=True)
def measure_texts(offsets, text, doubles, widths):
    """Add the width of every string; doubles without a point or an exponent get ``.0``."""
    for i in range(widths.size):
        widths[i] += offsets[i + 1] - offsets[i]
        if doubles and _looks_like_integer(text, offsets[i], offsets[i + 1]):
            widths[i] += 2


@njit(cache=True, nogil=True)
def put_texts(offsets, text, doubles, after, places, out):
    """Write every string at its place, and ``after`` behind it."""
    for i in range(places.size):
        place = places[i]
        start, stop = offsets[i], offsets[i + 1]
        for k in range(start, stop):
            out[place] = text[k]
            place += 1
        if doubles and _looks_like_integer(text, start, stop):
            out[place] = POINT
            out[place + 1] = ZERO
            place += 2
        out[place] = after
        places[i] = place + 1


@njit(cache=True, nogil=True)
def put_prefix(prefix, places, out):
    """Write the same bytes at the start of every line."""
    for i in range(places.size):
        for k in range(prefix.size):
            out[places[i] + k] = prefix[k]
        places[i] += prefix.size


@njit(cache=True, nogil=True)
def arrange_lines(starts, widths, lead_widths, places, lead_places, line_ends):
    """Where everything goes when line i is one lead (lead_widths[i] bytes) and the values starts[i]…starts[i + 1]-1.

    Widths include the delimiter; the last one of a line gives way to its newline. Returns the number of bytes.
    """
    place = 0
    for line in range(starts.size - 1):
        begin = place
        lead_places[line] = place
        place += lead_widths[line]
        for i in range(starts[line], starts[line + 1]):
            places[i] = place
            place += widths[i]
        if place == begin:
            place += 1
        line_ends[line] = place - 1
    return place
