"""Write the tables of formats and algorithms into README.md; with --check, say whether they are current."""

from __future__ import annotations

import sys
from pathlib import Path

from clew.algorithms import ALGORITHMS
from clew.io.registry import formats

README = Path(__file__).resolve().parents[1] / "README.md"


def format_table() -> str:
    """A row for every registered format."""
    rows = []
    for one in formats():
        suffixes = " ".join(f"`{suffix}`" for suffix in one.suffixes)
        yes_no = " | ".join("yes" if way else "no" for way in (one.read, one.write))
        rows.append(f"| {one.title} | `{one.name}` | {suffixes} | {yes_no} |\n")
    return "".join(rows)


def algorithm_table() -> str:
    """A row for every registered algorithm."""
    rows = [(name, one.summary.replace("``", "`")) for name, one in sorted(ALGORITHMS.items())]
    return "".join(f"| `clew.{name}` | {summary} |\n" for name, summary in rows)


TABLES = {"formats": format_table, "algorithms": algorithm_table}


def updated(text: str) -> str:
    """The README with the tables as they should be."""
    for name, table in TABLES.items():
        begin, end = f"<!-- {name}: begin (made by tools/update_readme.py) -->\n", f"<!-- {name}: end -->\n"
        before, found, rest = text.partition(begin)
        assert found, name
        text = before + begin + table() + end + rest.partition(end)[2]
    return text


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
