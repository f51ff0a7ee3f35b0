"""Write the table of formats into README.md from the registry; with --check, say whether it is current."""

from __future__ import annotations

import sys
from pathlib import Path

from clew.io.registry import formats

README = Path(__file__).resolve().parents[1] / "README.md"
BEGIN = "<!-- formats: begin (made by tools/update_readme.py) -->\n"
END = "<!-- formats: end -->\n"


def table() -> str:
    """A row for every registered format."""
    rows = []
    for one in formats():
        suffixes = " ".join(f"`{suffix}`" for suffix in one.suffixes)
        yes_no = " | ".join("yes" if way else "no" for way in (one.read, one.write))
        rows.append(f"| {one.title} | `{one.name}` | {suffixes} | {yes_no} |\n")
    return "".join(rows)


def updated(text: str) -> str:
    """The README with the table as it should be."""
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    return before + BEGIN + table() + END + after


def main() -> int:
    """Write, or check."""
    text = README.read_text(encoding="utf-8")
    wanted = updated(text)
    if "--check" in sys.argv:
        return int(text != wanted)
    README.write_text(wanted, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
