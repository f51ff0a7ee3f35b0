# mypy: ignore-errors
"""Tokens: numbers one after another, and how many there are up to the end of every line."""

import numpy as np

from clew.io.text.kernels_doubles import byte_at, class_at, is_hard
from clew.io.text.kernels_numbers import number_at
from clew.io.text.kernels_tables import LINE_END, LINE_FEED, PLAIN, RETURN, after_blanks, after_line, id_at
from clew.io.text.status import DOUBLES, FINE, NO_INTEGER, NO_NUMBER, ROUNDED
from clew.jit import njit

IDS = -1  # the mode of integers that are ids; other modes are those of numbers


@njit(cache=True, nogil=True)
def count_tokens(piece, data, cuts):
    """At least the number of tokens of one piece: every one starts after a blank or a line's end."""
    start, stop = cuts[piece], cuts[piece + 1]
    if start == stop:
        return 0
    before = data[start : stop - 1]
    here = data[start + 1 : stop]
    count = np.int64(data[start] > 32)
    for i in range(here.size):
        count += (here[i] > 32) & (before[i] <= 32)
    return count


@njit(forceinline=True)
def _after_line_end(data, p):
    """Past a line feed, a return, or both."""
    return p + 2 if byte_at(data, p) == RETURN and byte_at(data, p + 1) == LINE_FEED else p + 1


@njit(cache=True, nogil=True)
def read_tokens(piece, data, cuts, places, line_places, classes, skipped, limits, base, mode, values, line_ends):
    """Parse the tokens of one piece; line_ends (None: not wanted) gets the tokens of the piece up to each line's end.

    Returns tokens, lines, hard doubles, status and place.
    """
    p, stop = cuts[piece], cuts[piece + 1]
    place = places[piece]
    begin = place
    line = line_places[piece]
    first_line = line
    hard = 0
    while p < stop:
        p = after_blanks(data, p, classes)
        if skipped[byte_at(data, p)]:
            p = after_line(data, p) - 1
            p = _after_line_end(data, p)
            continue
        while class_at(classes, data, p) != LINE_END:
            if mode == IDS:
                value, end, status = id_at(data, p, limits[0], limits[1], limits[2])
                value -= base
                wrong = NO_INTEGER
            else:
                bits, end, status = number_at(data, p, mode, limits[0], limits[2])
                value = np.int64(bits)
                wrong = NO_NUMBER
                hard += mode in (DOUBLES, ROUNDED) and is_hard(bits)
            if class_at(classes, data, end) == PLAIN:
                status = wrong
            if status != FINE:
                return place - begin, line - first_line, hard, status, p
            values[place] = value  # what is no number may start at a byte that count_tokens did not count
            place += 1
            p = after_blanks(data, end, classes)
        p = _after_line_end(data, p)
        if line_ends is not None:
            line_ends[line] = place - begin
        line += 1
    return place - begin, line - first_line, hard, FINE, np.int64(0)


@njit(cache=True, nogil=True)
def find_token(data, classes, skipped, wanted, by_line):
    """Where token (or line, with ``by_line``) number ``wanted`` starts, from 0; else -1 and how many there are."""
    p = 0
    found = 0
    while p < data.size:
        p = after_blanks(data, p, classes)
        if skipped[byte_at(data, p)]:
            p = _after_line_end(data, after_line(data, p) - 1)
            continue
        if by_line and found == wanted:
            return p, found
        while class_at(classes, data, p) != LINE_END:
            if not by_line:
                if found == wanted:
                    return p, found
                found += 1
            while class_at(classes, data, p) == PLAIN:
                p += 1
            p = after_blanks(data, p, classes)
        p = _after_line_end(data, p)
        if by_line:
            found += 1
    return np.int64(-1), found
