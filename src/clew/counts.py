"""Counts as sentences have them: "1 vertex", "2 vertices", "1,000 edges"."""

from __future__ import annotations

PLURALS = {"vertex": "vertices", "entry": "entries"}


def counted(count: int, what: str, plural: str = "") -> str:
    """So many of something, which is named in the singular; its plural is given where it does not just end in s."""
    return f"{count:,} {what if count == 1 else plural or PLURALS.get(what, what + 's')}"
