"""What a parsing kernel finds at a place in the text; ``problem`` turns it into a sentence.

``OUT_OF_RANGE`` and ``NUMBER_OUT_OF_RANGE`` are integers beyond what an id column or the numbers hold so far.
``FRACTION`` is a fraction where only integers were seen so far, ``INEXACT`` an integer among doubles that a double
cannot hold. ``NO_NAME`` is nothing, or control characters, where a name belongs.
"""

from __future__ import annotations

FINE, NO_INTEGER, OUT_OF_RANGE, BEYOND_64_BITS, NO_NUMBER, FRACTION, NUMBER_OUT_OF_RANGE, INEXACT = range(8)
TOO_FEW_COLUMNS, TOO_MANY_COLUMNS, WRONG_PREFIX, OPEN_QUOTE, TEXT_AFTER_QUOTE, NO_NAME = range(8, 14)

#: What a column of numbers holds while it is read.
INTEGERS, DOUBLES, ROUNDED, INTEGRAL = range(4)
