"""Plain tables of a fixed width, for terminals, logs and notebooks."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

WIDTH = 110


def grid(rows: Sequence[Sequence[str]], *, right: Sequence[int] = (), width: int = WIDTH) -> list[str]:
    """Lines of columns two spaces apart; a long last column is wrapped."""
    if not rows:
        return []
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]) - 1)]
    left = sum(widths) + 2 * len(widths)
    lines = []
    for row in rows:
        cells = [
            cell.rjust(wide) if column in right else cell.ljust(wide)
            for column, (cell, wide) in enumerate(zip(row[:-1], widths, strict=True))
        ]
        wrapped = textwrap.wrap(row[-1], max(24, width - left), break_on_hyphens=False) or [""]
        lines.append("  ".join([*cells, wrapped[0]]).rstrip())
        lines += [" " * left + more for more in wrapped[1:]]
    return lines


def section(title: str, lines: Sequence[str]) -> list[str]:
    """A title and indented lines; empty if there are no lines."""
    return ["", title, *(f"  {line}".rstrip() for line in lines)] if lines else []
