"""Span: a number that is not known exactly: the least it may be, what is likely, and the most."""

from __future__ import annotations

from typing import NamedTuple


class Span(NamedTuple):
    """From ``low`` to ``high``, most likely about ``likely``."""

    low: float
    likely: float
    high: float

    @classmethod
    def exactly(cls, value: float) -> Span:
        """A number that is known."""
        return cls(value, value, value)

    def times(self, factor: float | Span) -> Span:
        """The span of a product."""
        other = factor if isinstance(factor, Span) else Span.exactly(factor)
        return Span(self.low * other.low, self.likely * other.likely, self.high * other.high)

    def plus(self, other: Span) -> Span:
        """The span of a sum."""
        return Span(self.low + other.low, self.likely + other.likely, self.high + other.high)

    def at_most(self, most: float) -> Span:
        """The same, cut off above."""
        return Span(*(min(value, most) for value in self))

    def as_dict(self) -> dict[str, float]:
        """For JSON."""
        return self._asdict()


def duration(seconds: float) -> str:
    """A time in two digits or three, from microseconds to hours."""
    if seconds < 0.9995e-3:
        return f"{seconds * 1e6:.0f} µs"
    if seconds < 0.9995:
        return f"{seconds * 1e3:.3g} ms"
    if seconds < 120:
        return f"{seconds:.3g} s"
    return f"{seconds / 60:.3g} min" if seconds < 7200 else f"{seconds / 3600:.3g} h"
