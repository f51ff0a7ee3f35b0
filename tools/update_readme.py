"""Write what is generated: README.md's tables of formats and algorithms, and the algorithms' names for type checkers.

With --check, say whether they are current.
"""

from __future__ import annotations

import sys
from pathlib import Path

from clew.algorithms import ALGORITHMS
from clew.io.registry import formats

WIDTH = 121  # of a line with its end, as in pyproject.toml

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
PACKAGE = ROOT / "src" / "clew" / "algorithms" / "__init__.py"


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


def algorithm_imports() -> str:
    """An import for every algorithm of the package."""
    own = sorted(name for name, one in ALGORITHMS.items() if one.function.__module__.startswith("clew."))
    lines = [f"    from clew.algorithms.{name} import {name} as {name}\n" for name in own]
    return "".join(line if len(line) <= WIDTH else _wrapped(line) for line in lines)


def _wrapped(line: str) -> str:
    """An import in the form that ``ruff format`` gives a long one."""
    module, _, names = line.rstrip("\n").partition(" import ")
    return f"{module} import (\n        {names},\n    )\n"


def updated(text: str, begin: str, end: str, wanted: str) -> str:
    """The text with ``wanted`` between two marks."""
    before, found, rest = text.partition(begin)
    assert found, begin
    return before + begin + wanted + end + rest.partition(end)[2]


def generated() -> dict[Path, str]:
    """Every file as it should be."""
    readme = README.read_text(encoding="utf-8")
    for name, table in (("formats", format_table), ("algorithms", algorithm_table)):
        begin, end = f"<!-- {name}: begin (made by tools/update_readme.py) -->\n", f"<!-- {name}: end -->\n"
        readme = updated(readme, begin, end, table())
    begin, end = "    # algorithms: begin (made by tools/update_readme.py)\n", "    # algorithms: end\n"
    package = updated(PACKAGE.read_text(encoding="utf-8"), begin, end, algorithm_imports())
    return {README: readme, PACKAGE: package}


def main() -> int:
    """Write, or check."""
    wanted = generated()
    if "--check" in sys.argv:
        return int(any(path.read_text(encoding="utf-8") != text for path, text in wanted.items()))
    for path, text in wanted.items():
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
