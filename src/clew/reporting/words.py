"""Numbers and names as text for people."""

from __future__ import annotations

import math
from typing import Any

from clew.describe import human_bytes

LONGEST_NAME = 64
SHORT = {"seconds": "s", "milliseconds": "ms", "microseconds": "µs", "nanoseconds": "ns"}


def whole(value: Any) -> str:
    """A whole number with its digits in groups."""
    return f"{int(value):,}"


def number(value: Any) -> str:
    """A number with the significant digits."""
    if not math.isfinite(value):
        return "–"
    if float(value).is_integer() and abs(value) < 1e15:
        return f"{int(value):,}"
    return f"{value:,.2f}" if 0.1 <= abs(value) < 1e6 else f"{value:.3g}"


def percent(value: Any) -> str:
    """A share, with enough digits to tell it from 0 and from 100 %."""
    if not math.isfinite(value):
        return "–"
    if value in (0, 1):
        return f"{value:.0%}"
    if value < 0.0001:
        return "< 0.01%"
    digits = 1 if 0.01 <= value <= 0.999 else 2
    return f"{math.floor(value * 10000) / 10000:.2%}" if value > 0.999 else f"{value:.{digits}%}"


def scientific(value: Any) -> str:
    """A number that may be very small."""
    return f"{value:.3g}"


def octets(value: Any) -> str:
    """A number of bytes."""
    return human_bytes(int(value))


def rate(value: Any) -> str:
    """Bytes per second."""
    for unit, size in (("GB/s", 1e9), ("MB/s", 1e6), ("kB/s", 1e3)):
        if value >= size:
            return f"{value / size:,.1f} {unit}"
    return f"{value:.0f} B/s"


def duration(value: Any) -> str:
    """A time, from nanoseconds to minutes."""
    if value >= 120:
        return f"{value / 60:.1f} min"
    factor, unit = unit_of(value)
    digits = max(0, 1 - math.floor(math.log10(value * factor))) if value > 0 else 0
    return f"{value * factor:.{min(digits, 1)}f} {SHORT[unit]}"


def unit_of(seconds: float) -> tuple[float, str]:
    """The unit for times up to ``seconds``: how many of it a second has, and its name."""
    units = {"seconds": 1.0, "milliseconds": 1e3, "microseconds": 1e6}
    return next(((factor, unit) for unit, factor in units.items() if seconds * factor >= 1), (1e9, "nanoseconds"))


def name(value: Any) -> str:
    """A vertex's name, cut where it is too long for a line."""
    label = str(value)
    return label if len(label) <= LONGEST_NAME else f"{label[: LONGEST_NAME - 1]}…"


def listed(items: list[str]) -> str:
    """``a, b and c``."""
    return " and ".join([", ".join(items[:-1]), items[-1]] if len(items) > 1 else items)
