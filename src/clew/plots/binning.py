"""Many numbers summed up as few: how many fall into which range."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clew.dtypes import Array

PER_DECADE = 20
MOST_COLUMNS = 60
SKEWED = 30  # largest over median
WIDE = 1_000  # largest over smallest: from here on powers of ten tell more


@dataclass(frozen=True)
class Bins:
    """Ranges from ``low`` up to and with ``high`` (of fractions: up to), and how many numbers are in each."""

    low: Array
    high: Array
    count: Array

    @property
    def middle(self) -> Array:
        """Where to draw a range on a linear axis."""
        return (self.low + self.high) / 2

    @property
    def log_middle(self) -> Array:
        """Where to draw a range on an axis of powers."""
        return np.sqrt(self.low.astype(np.float64) * self.high)

    def labels(self) -> list[str]:
        """The ranges in words."""
        return [_range(low, high) for low, high in zip(self.low.tolist(), self.high.tolist(), strict=True)]


def whole_by_powers(count: Array) -> Bins:
    """From ``count[k]``, how many numbers are k: ranges of k ≥ 1 that grow, one number each at first; none is empty."""
    largest = max(1, count.size - 1)
    steps = np.unique(np.rint(10 ** np.arange(0, np.log10(largest) + 2 / PER_DECADE, 1 / PER_DECADE)).astype(np.int64))
    low = steps[steps <= largest]
    high = np.append(low[1:] - 1, largest)
    if count.size < 2:
        return _some(Bins(low, high, np.zeros(low.size, dtype=np.int64)))
    return _some(Bins(low, high, np.add.reduceat(count, low)))


def whole_by_steps(smallest: int, count: Array) -> Bins:
    """From ``count[k]``, how many numbers are smallest + k: ranges of equal width, few enough to stand side by side."""
    width = -(-count.size // MOST_COLUMNS) if count.size else 1
    first = np.arange(0, count.size, width)
    sums = np.add.reduceat(count, first) if count.size else count
    last = np.minimum(first + width, count.size) - 1
    return Bins(first + smallest, last + smallest, sums)


def by_steps(values: Array) -> Bins:
    """Finite numbers in ranges of equal width; one range where all are the same."""
    values = values.astype(np.float64, copy=False)
    if values.size and values.min() == values.max():
        return Bins(values[:1], values[:1], np.array([values.size]))
    count, edges = np.histogram(values, bins=min(MOST_COLUMNS, max(1, int(np.sqrt(values.size)))))
    return Bins(edges[:-1], edges[1:], count)


def by_powers(values: Array) -> Bins:
    """Positive numbers in ranges that grow; none is empty."""
    values = values.astype(np.float64, copy=False)
    low, high = np.log10(values.min()), np.log10(values.max())
    number = int(np.clip((high - low) * PER_DECADE / 2, 1, MOST_COLUMNS))
    count, edges = np.histogram(np.log10(values), bins=number, range=(low, high if high > low else low + 1e-9))
    return _some(Bins(10 ** edges[:-1], 10 ** edges[1:], count))


def spans_powers(values: Array) -> bool:
    """Whether all of the numbers are positive and some a thousand times as large as others."""
    return bool(values.size and values.min() > 0 and float(values.max()) >= WIDE * float(values.min()))


def is_skewed(values: Array) -> bool:
    """Whether few of the numbers are much larger than most, so that a linear axis would show one column only."""
    return spans_powers(values) and bool(float(values.max()) >= SKEWED * np.median(values))


def _some(bins: Bins) -> Bins:
    there = bins.count > 0
    return Bins(bins.low[there], bins.high[there], bins.count[there])


def number(value: float) -> str:
    """A number for people: digits grouped, or three significant ones."""
    if float(value).is_integer() and abs(value) < 1e15:
        return f"{int(value):,}"
    return f"{value:.3g}"


def _range(low: float, high: float) -> str:
    return number(low) if low == high else f"{number(low)}–{number(high)}"
