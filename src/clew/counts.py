"""Counts with their nouns: "1 vertex", "2 vertices", "1,000 edges"."""

from __future__ import annotations

PLURALS = {"vertex": "vertices", "entry": "entries"}


def counted(count: int, what: str, plural: str = "") -> str:
    """A count and its noun, given in the singular; ``plural`` is needed for irregular plurals."""
    return f"{count:,} {what if count == 1 else plural or PLURALS.get(what, what + 's')}"
