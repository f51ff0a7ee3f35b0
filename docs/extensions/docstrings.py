"""Docstrings as Sphinx likes them: the papers under "References" become a list, an initial is no number of an item."""

from __future__ import annotations

import re
from typing import Any

from sphinx.application import Sphinx

ENTRY = re.compile(r"\s*[A-Z]\. ")


def list_references(_app: Sphinx, _what: str, _name: str, _obj: Any, _options: Any, lines: list[str]) -> None:
    """Turn every line that begins with an initial into an item; runs before Napoleon has found the sections."""
    for start, line in enumerate(lines[:-1]):
        if line.strip() == "References" and set(lines[start + 1].strip()) == {"-"}:
            break
    else:
        return
    for place in range(start + 2, len(lines)):
        if not lines[place].strip():
            return
        lines[place] = ("- " if ENTRY.match(lines[place]) else "  ") + lines[place].strip()


def setup(app: Sphinx) -> dict[str, bool]:
    """Register it, ahead of Napoleon."""
    app.connect("autodoc-process-docstring", list_references, priority=100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
