# mypy: ignore-errors
"""Rows of columns and streams of tokens: every piece of a block is parsed on its own, straight into the arrays.

A piece starts and ends at a line's end. ``count_lines`` bounds its rows, so every piece knows where its rows go before
any is parsed. Comments and blank lines leave gaps, which ``close_gaps`` closes.
"""

import numpy as np

from clew.io.text import status
from clew.io.text.kernels_doubles import byte_at, class_at, is_hard
from clew.io.text.kernels_numbers import are_plain_integers, id_at, is_plain_integer, number_at, short_digits_at
from clew.jit import njit

TAB, LINE_FEED, RETURN, SPACE, QUOTE = 9, 10, 13, 32, 34

# Classes of bytes: ordinary, blank, end of line, delimiter.
PLAIN, BLANK, LINE_END, DELIMITER = 0, 1, 2, 3
# Roles of columns.
IGNORED, FIRST_ID, SECOND_ID, NUMBER, FIRST_NAME, SECOND_NAME = 0, 1, 2, 3, 4, 5
IDS = -1  # the mode of integers that are ids; other modes are those of numbers
# What `find` counts.
TOKENS, LINES, ROWS = 0, 1, 2


@njit(cache=True, nogil=True)
def cut(data, cuts):
    """Move every cut to the start of the next line."""
    for i in range(1, cuts.size - 1):
        p = max(cuts[i], cuts[i - 1])
        if p > 0:
            p -= 1  # a cut at the start of a line stays
            while data[p] != LINE_FEED:
                p += 1
            p += 1
        cuts[i] = p


@njit(cache=True, nogil=True)
def count_lines(piece, data, cuts):
    """The lines of one piece: every line feed ends one, and so does a return that no line feed follows."""
    start, last = cuts[piece], cuts[piece + 1] - 1
    if last < start:
        return 0
    here = data[start:last]
    after = data[start + 1 : last + 1]
    lines = 1  # the last byte is a line feed
    for i in range(here.size):
        lines += (here[i] == LINE_FEED) | ((here[i] == RETURN) & (after[i] != LINE_FEED))
    return lines


@njit(cache=True, nogil=True)
def close_gaps(values, places, counts):
    """Move the values of every piece up to those of the piece before it."""
    end = places[0] + counts[0]
    for piece in range(1, counts.size):
        start = places[piece]
        if start != end:
            for i in range(counts[piece]):
                values[end + i] = values[start + i]
        end += counts[piece]


@njit(forceinline=True)
def after_blanks(data, p, classes):
    """The first byte from p on that is not blank."""
    while class_at(classes, data, p) == BLANK:
        p += 1
    return p


@njit
def after_line(data, p):
    """The start of the next line."""
    c = byte_at(data, p)
    while c != LINE_FEED and c != RETURN:
        p += 1
        c = byte_at(data, p)
    return p + 1


@njit
def after_field(data, p, classes, delimited):
    """The end of a field of any kind; -1 where its quote is not closed on the line, -2 where text follows the quote."""
    if byte_at(data, p) == QUOTE:
        p += 1
        while True:
            c = byte_at(data, p)
            if c in (LINE_FEED, RETURN):
                return -1
            p += 1
            if c == QUOTE:
                if byte_at(data, p) != QUOTE:
                    return p if class_at(classes, data, p) != PLAIN else -2
                p += 1
    kind = class_at(classes, data, p)
    while kind == PLAIN or (delimited and kind == BLANK):
        p += 1
        kind = class_at(classes, data, p)
    return p


@njit
def name_span(data, start, end):
    """Where the text of a name starts and how long it is (-1: it is not one), without quotes and trailing blanks.

    A name with doubled quotes inside has the complement of its start instead: it has to be copied with care.
    """
    if byte_at(data, start) == QUOTE:
        length = end - start - 2
        doubled = 0
        for i in range(start + 1, end - 1):
            doubled += byte_at(data, i) == QUOTE
        return (~(start + 1) if doubled else start + 1), length - doubled // 2
    while end > start and byte_at(data, end - 1) <= SPACE:
        end -= 1
    if end == start:
        return start, -1
    for i in range(start, end):
        c = byte_at(data, i)
        if c < SPACE and c != TAB:
            return start, -1
    return start, end - start


@njit(cache=True, nogil=True)
def copy_names(piece, pieces, data, spans, offsets, text):
    """Copy the names of one piece of the spans to their places in ``text``."""
    count = offsets.size - 1
    for i in range(piece * count // pieces, (piece + 1) * count // pieces):
        start = spans[2 * i]
        doubled = start < 0
        if doubled:
            start = ~start
        for to in range(offsets[i], offsets[i + 1]):
            c = byte_at(data, start)
            text[to] = c
            start += 2 if doubled and c == QUOTE else 1


@njit
def _store_name(data, p, place, classes, delimited, spans):
    """Parse a name (place -1: or anything, and forget it); returns where it ends, and what was found."""
    end = after_field(data, p, classes, delimited)
    if end < 0:
        return p, status.OPEN_QUOTE if end == -1 else status.TEXT_AFTER_QUOTE
    if place >= 0:
        start, length = name_span(data, p, end)
        if length < 0:
            return end, status.NO_NAME
        spans[2 * place] = start
        spans[2 * place + 1] = length
    return end, status.FINE


@njit(cache=True, nogil=True)
def read_rows(
    piece, data, cuts, places, classes, skipped, prefix, canonical, roles, limits, base, mode, ids, numbers, spans
):
    """Parse the rows of one piece; ``ids`` has the arrays of the first and the second end.

    limits[k] is the range of id column k (2: the numbers): largest negative magnitude, smallest and largest other
    value. base is subtracted from ids. With canonical, only plain integers are ids. A name becomes two entries of
    spans, see ``name_span``. Returns rows, hard doubles, outcome, and its place and column.
    """
    p, stop = cuts[piece], cuts[piece + 1]
    row = places[piece]
    begin = row
    hard = 0
    columns = roles.size
    first, second = ids
    delimited = np.any(classes == DELIMITER)
    names = np.count_nonzero(roles >= FIRST_NAME)
    # Most lines start with two short numbers, with the same byte between them as on the line before.
    usual = columns >= 2 and roles[0] == FIRST_ID and roles[1] == SECOND_ID
    gap = -1
    while p < stop:
        column = 0
        if usual and p + 48 < stop:
            start = p
            if prefix != 0 and byte_at(data, p) == prefix and byte_at(data, p + 1) == SPACE:
                start += 2
            source, middle = short_digits_at(data, start)
            target, end = short_digits_at(data, middle + 1)
            if (
                start < middle < start + 16
                and middle + 1 < end < middle + 17
                and byte_at(data, middle) == gap
                and limits[0, 1] <= source <= limits[0, 2]
                and limits[1, 1] <= target <= limits[1, 2]
                and (prefix == 0 or start > p)
                and (not canonical or are_plain_integers(data, start, middle, end))
            ):
                first[row] = np.int64(source) - base
                second[row] = np.int64(target) - base
                c = byte_at(data, end)
                if c == gap and columns > 2:
                    column = 2
                    p = after_blanks(data, end + 1, classes)
                elif columns == 2:
                    if c == RETURN:
                        end += 1
                        c = byte_at(data, end)
                    if c == LINE_FEED:
                        row += 1
                        p = end + 1
                        continue
        if column == 0:
            p = after_blanks(data, p, classes)
            c = byte_at(data, p)
            if class_at(classes, data, p) == LINE_END:
                p += 1
                continue
            if prefix != 0 and c == prefix and class_at(classes, data, p + 1) != PLAIN:
                p = after_blanks(data, p + 1, classes)
            elif skipped[c]:
                p = after_line(data, p)
                continue
            elif prefix != 0:
                return row - begin, hard, status.WRONG_PREFIX, p, column
        while column < columns:
            if not delimited and class_at(classes, data, p) == LINE_END:
                return row - begin, hard, status.TOO_FEW_COLUMNS, p, column
            role = roles[column]
            if role in (FIRST_ID, SECOND_ID):
                k = role - FIRST_ID
                value, end, outcome = id_at(data, p, limits[k, 0], limits[k, 1], limits[k, 2])
                wrong = status.NO_INTEGER
                if canonical and outcome in (status.FINE, status.OUT_OF_RANGE) and not is_plain_integer(data, p, end):
                    outcome = status.NO_INTEGER
                if role == FIRST_ID:
                    first[row] = value - base
                else:
                    second[row] = value - base
            elif role == NUMBER:
                bits, end, outcome = number_at(data, p, mode, limits[2, 0], limits[2, 2])
                wrong = status.NO_NUMBER
                if outcome == wrong and byte_at(data, p) == QUOTE:
                    bits, end, outcome = number_at(data, p + 1, mode, limits[2, 0], limits[2, 2])
                    if byte_at(data, end) == QUOTE:
                        end += 1
                    elif outcome == status.FINE:
                        outcome = wrong
                numbers[row] = bits
                hard += mode in (status.DOUBLES, status.ROUNDED) and is_hard(bits)
            else:
                place = row * names + role - FIRST_NAME if role >= FIRST_NAME else -1
                end, outcome = _store_name(data, p, place, classes, delimited, spans)
                wrong = status.TEXT_AFTER_QUOTE
            kind = class_at(classes, data, end)
            if kind == PLAIN and outcome not in (status.OPEN_QUOTE, status.TEXT_AFTER_QUOTE):
                outcome = wrong
            if outcome != status.FINE:
                return row - begin, hard, outcome, p, column
            if column == 0 and (kind == DELIMITER or not delimited):
                gap = byte_at(data, end)
            if kind == BLANK:
                end = after_blanks(data, end + 1, classes)
                kind = class_at(classes, data, end)
                if delimited and kind == PLAIN:
                    return row - begin, hard, wrong, p, column
            column += 1
            if column < columns:
                if kind == LINE_END:
                    return row - begin, hard, status.TOO_FEW_COLUMNS, end, column
                if kind == DELIMITER:
                    end = after_blanks(data, end + 1, classes)
            p = end
        if class_at(classes, data, p) != LINE_END:
            return row - begin, hard, status.TOO_MANY_COLUMNS, p, column
        p += 1
        row += 1
    return row - begin, hard, status.FINE, np.int64(0), 0


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
    """Parse the tokens of one piece; line_ends (None: not needed) gets the tokens of the piece up to each line's end.

    Returns tokens, lines, hard doubles, outcome and place.
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
                value, end, outcome = id_at(data, p, limits[0], limits[1], limits[2])
                value -= base
                wrong = status.NO_INTEGER
            else:
                bits, end, outcome = number_at(data, p, mode, limits[0], limits[2])
                value = np.int64(bits)
                wrong = status.NO_NUMBER
                hard += mode in (status.DOUBLES, status.ROUNDED) and is_hard(bits)
            if class_at(classes, data, end) == PLAIN:
                outcome = wrong
            if outcome != status.FINE:
                return place - begin, line - first_line, hard, outcome, p
            values[place] = value  # what is no number may start at a byte that count_tokens did not count
            place += 1
            p = after_blanks(data, end, classes)
        p = _after_line_end(data, p)
        if line_ends is not None:
            line_ends[line] = place - begin
        line += 1
    return place - begin, line - first_line, hard, status.FINE, np.int64(0)


@njit(cache=True, nogil=True)
def find(data, classes, skipped, index, unit):
    """Where token, line or row number ``index`` starts, from 0; else -1 and how many there are.

    A row is a line that is not blank. Comments are neither.
    """
    p = 0
    found = 0
    while p < data.size:
        p = after_blanks(data, p, classes)
        is_comment = skipped[byte_at(data, p)]
        while unit == TOKENS and not is_comment and class_at(classes, data, p) != LINE_END:
            if found == index:
                return p, found
            found += 1
            while class_at(classes, data, p) == PLAIN:
                p += 1
            p = after_blanks(data, p, classes)
        if not is_comment and (unit == LINES or (unit == ROWS and class_at(classes, data, p) != LINE_END)):
            if found == index:
                return p, found
            found += 1
        p = _after_line_end(data, after_line(data, p) - 1)
    return np.int64(-1), found
