"""What a parsing kernel can find at a place in the text; ``tables`` and ``tokens`` turn it into sentences."""

from __future__ import annotations

FINE = 0
NO_INTEGER = 1  # something else where an integer belongs
OUT_OF_RANGE = 2  # an integer beyond what the column takes (now)
BEYOND_64_BITS = 3
NO_NUMBER = 4
FRACTION = 5  # a fraction where only integers were seen so far
NUMBER_OUT_OF_RANGE = 6  # an integer beyond what the numbers take (now)
INEXACT = 7  # an integer that a double cannot hold, among doubles
TOO_FEW_COLUMNS = 8
TOO_MANY_COLUMNS = 9
WRONG_PREFIX = 10
OPEN_QUOTE = 11
TEXT_AFTER_QUOTE = 12
NO_NAME = 13  # nothing, or control characters, where a name belongs

#: What a column of numbers holds while it is read.
INTEGERS, DOUBLES, ROUNDED, INTEGRAL = 0, 1, 2, 3
