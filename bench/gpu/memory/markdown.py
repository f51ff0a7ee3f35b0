"""Tables as Markdown, and numbers as they read best in them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import exp, isfinite, log
from typing import Any

NOTHING = "–"


@dataclass(frozen=True)
class Reason:
    """Why there is no figure: a word for the table, and a sentence for below it."""

    word: str
    sentence: str = ""


NO_TIME = Reason("no time", "no time: the time for the table was up.")


def number(value: Any, unit: float = 1.0, after: str = "") -> str:
    """Three digits that mean something; a reason where there is none."""
    if isinstance(value, Reason):
        return value.word
    if value is None or not isfinite(value):
        return NOTHING
    scaled = value * unit
    if abs(scaled) >= 99.95:
        return f"{scaled:,.0f}{after}"
    if abs(scaled) >= 9.995:
        return f"{scaled:.1f}{after}"
    return f"{scaled:.2f}{after}" if abs(scaled) >= 0.0995 else f"{scaled:.3g}{after}"


def milliseconds(value: Any) -> str:
    """Seconds as milliseconds."""
    return number(value, 1e3)


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table, its first column the names."""
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines)


def reasons(cells: Iterable[Any]) -> str:
    """The sentences of cells without figures, each once."""
    sentences = dict.fromkeys(cell.sentence for cell in cells if isinstance(cell, Reason) and cell.sentence)
    return "\n".join(f"- {sentence}" for sentence in sentences)


def figures(values: Iterable[Any]) -> list[float]:
    """Those that are positive numbers."""
    return [value for value in values if isinstance(value, int | float) and isfinite(value) and value > 0]


def geometric_mean(values: Iterable[Any]) -> float | None:
    """Of those that are figures; None where none is."""
    found = figures(values)
    return exp(sum(map(log, found)) / len(found)) if found else None


def ratio(above: Any, below: Any) -> float | None:
    """How often one goes into the other, where both are figures."""
    return above / below if figures([above]) and figures([below]) else None
