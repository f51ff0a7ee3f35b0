"""The values of a result: what they mean, and how many of them fall into which range."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clew.checks import counted
from clew.dtypes import Array
from clew.result import Result

#: Values that name a group of vertices, and the word for the group.
WORDS = {"label": "group", "color": "colour", "member": "member", "left": "side", "parent": "parent", "mate": "mate"}
WORDS |= {"community": "community"}
LONGEST_LABEL = 24
PER_DECADE = 20
MOST_COLUMNS = 60
MOST_COUNTED = 1 << 24  # integers in a range of this size are counted one by one
SKEWED = 30  # largest over median
WIDE = 1_000  # largest over smallest, from which on axes are logarithmic


def answered(name: str | None, column: Array, result: Result | None = None) -> Array:
    """Where the numbers are results and not markers such as "unreached".

    A result knows which vertices were reached. In other arrays, only the usual markers are recognised.
    """
    known = np.ones(column.shape, dtype=bool)
    if column.dtype.kind == "f":
        known = np.isfinite(column)
    elif column.dtype.kind in "iu":
        limits = np.iinfo(column.dtype)
        known = (column < limits.max) & ((column > limits.min) | (limits.min == 0))
        if name in ("depth", "parent", "mate", "label"):
            known &= column >= 0
    if result is not None and result.unreached is not None:
        known &= result.numpy().reached.reshape(known.shape)
    return known


def labels_of(result: Result | None, name: str, values: Array) -> list[str]:
    """The names of groups: vertices by name, booleans as yes and no."""
    if values.dtype.kind == "b":
        return ["yes" if value else "no" for value in values]
    if result is not None and name in result._vertices and values.dtype.kind in "iu":
        return [str(vertex) for vertex in result.names_of(values)]
    return [str(value) for value in values.tolist()]


def short(label: str) -> str:
    """A label, cut if it is long."""
    return label if len(label) <= LONGEST_LABEL else label[: LONGEST_LABEL - 1] + "…"


@dataclass(frozen=True)
class Bins:
    """Ranges from ``low`` to ``high`` (inclusive for integers), and how many numbers are in each."""

    low: Array
    high: Array
    count: Array

    @classmethod
    def of_counts(cls, count: Array) -> Bins:
        """Nonempty ranges of growing width from 1 on; ``count[k]`` is the number of k."""
        largest = max(1, count.size - 1)
        powers = np.arange(0, np.log10(largest) + 2 / PER_DECADE, 1 / PER_DECADE)
        steps = np.unique(np.rint(10**powers).astype(np.int64))
        low = steps[steps <= largest]
        high = np.append(low[1:] - 1, largest)
        sums = np.add.reduceat(count, low) if count.size > 1 else np.zeros(low.size, dtype=np.int64)
        return cls(low, high, sums).nonempty()

    @classmethod
    def by_powers(cls, values: Array) -> Bins:
        """Positive numbers in nonempty ranges of growing width."""
        values = values.astype(np.float64, copy=False)
        low, high = np.log10(values.min()), np.log10(values.max())
        number = int(np.clip((high - low) * PER_DECADE / 2, 1, MOST_COLUMNS))
        count, edges = np.histogram(np.log10(values), bins=number, range=(low, high if high > low else low + 1e-9))
        return cls(10 ** edges[:-1], 10 ** edges[1:], count).nonempty()

    @classmethod
    def by_steps(cls, values: Array) -> Bins:
        """Some finite numbers in ranges of equal width; one range if all are equal."""
        smallest, largest = values.min(), values.max()
        if values.dtype.kind != "f" and int(largest) - int(smallest) <= MOST_COUNTED:
            count = np.bincount(values.astype(np.int64) - int(smallest))
            width = -(-count.size // MOST_COLUMNS)
            first = np.arange(0, count.size, width)
            last = np.minimum(first + width, count.size) - 1
            return cls(first + int(smallest), last + int(smallest), np.add.reduceat(count, first))
        values = values.astype(np.float64, copy=False)
        if smallest == largest:
            return cls(values[:1], values[:1], np.array([values.size]))
        count, edges = np.histogram(values, bins=min(MOST_COLUMNS, max(1, int(np.sqrt(values.size)))))
        return cls(edges[:-1], edges[1:], count)

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
        ranges = zip(self.low.tolist(), self.high.tolist(), strict=True)
        return [number(low) if low == high else f"{number(low)}–{number(high)}" for low, high in ranges]

    def hover(self, what: str, noun: str = "vertex") -> list[str]:
        """The range and the count of every bin, such as "degree 3: 5 vertices"."""
        pairs = zip(self.labels(), self.count.tolist(), strict=True)
        return [f"{what} {label}: {counted(many, noun)}" for label, many in pairs]

    def nonempty(self) -> Bins:
        """The ranges that have a number."""
        kept = self.count > 0
        return Bins(self.low[kept], self.high[kept], self.count[kept])


def spans_powers(values: Array) -> bool:
    """Whether all numbers are positive, and the largest is a thousand times the smallest."""
    return bool(values.size and values.min() > 0 and float(values.max()) >= WIDE * float(values.min()))


def is_skewed(values: Array) -> bool:
    """Whether a few numbers are much larger than most, so that a linear axis would show a single column."""
    return spans_powers(values) and bool(float(values.max()) >= SKEWED * np.median(values))


def number(value: float) -> str:
    """A number with grouped digits, or with three significant ones."""
    if float(value).is_integer() and abs(value) < 1e15:
        return f"{int(value):,}"
    return f"{value:.3g}"
