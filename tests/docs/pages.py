"""Pages of Markdown and the examples on them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
#: A fence, and whether a comment above it says that its example is for machines with a GPU.
FENCE = re.compile(r"^(<!-- needs a GPU -->\n\n)?```(python|pycon|sh)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Example:
    """A block of code on a page: Python to run, a session whose answers are checked, or lines for a shell."""

    kind: str
    code: str
    line: int
    needs_gpu: bool


def examples(page: Path) -> list[Example]:
    """The examples of a page, in their order."""
    text = page.read_text(encoding="utf-8")
    return [
        Example(found[2], found[3], text.count("\n", 0, found.start(3)), found[1] is not None)
        for found in FENCE.finditer(text)
    ]


def commands(code: str) -> list[str]:
    """The lines of a shell example that call clew, without their comments."""
    return [line.split(" #")[0].strip() for line in code.splitlines() if line.startswith("clew ")]
