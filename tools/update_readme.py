"""Write what is generated: tables, counts and the picture of README.md, the lists of algorithms in docs/cluster.md and
docs/on-a-gpu.md, and the algorithms' names for type checkers.

With --check, say whether they are current.
"""

from __future__ import annotations

import re
import sys
import textwrap
from pathlib import Path

import times_picture

import _clew_nx
from clew.algorithms import ALGORITHMS
from clew.io.registry import formats

WIDTH = 121  # of a line with its end, as in pyproject.toml

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
CLUSTER = ROOT / "docs" / "cluster.md"
GPU = ROOT / "docs" / "on-a-gpu.md"
COMPARISON = ROOT / "docs" / "comparison.md"
PACKAGE = ROOT / "src" / "clew" / "algorithms" / "__init__.py"


def format_table() -> str:
    """A row for every registered format."""
    rows = []
    for one in formats():
        suffixes = " ".join(f"`{suffix}`" for suffix in one.suffixes)
        rows.append(f"| {one.title} | `{one.name}` | {suffixes} | yes | {'no' if one.read_only else 'yes'} |\n")
    return "".join(rows)


def algorithm_table() -> str:
    """A row for every registered algorithm."""
    rows = [(name, one.summary.replace("``", "`")) for name, one in sorted(ALGORITHMS.items())]
    return "".join(f"| `clew.{name}` | {summary} |\n" for name, summary in rows)


def cluster_list() -> str:
    """The algorithms that run on a cluster, and those that do not."""
    runs = {name: one.distributed or one.cluster is not None for name, one in sorted(ALGORITHMS.items())}
    yes, no = (", ".join(f"`{name}`" for name, here in runs.items() if here is wanted) for wanted in (True, False))
    lines = [f"- **Algorithms**: {yes}.", f"- **Refused by name**, with the advice to use `g.gather()`: {no}."]
    return "".join(textwrap.fill(line, WIDTH - 1, subsequent_indent="  ") + "\n" for line in lines)


def device_table() -> str:
    """The algorithms by where they run on a machine with a GPU."""
    own, slower, products, host = (
        "kernels of their own on the GPU | the GPU for large graphs",
        "kernels of their own, which were not faster than the CPU | the CPU",
        "products and searches on the GPU, with vectors copied there and back | the CPU",
        "the CPU | the CPU",
    )
    cells: dict[str, list[str]] = {own: [], slower: [], products: [], host: []}
    for name, one in sorted(ALGORITHMS.items()):
        fused = slower if one.stays_on_cpu is True else own
        cells[fused if one.cuda is not None else host if one.host else products].append(f"`{name}`")
    rows = "".join(f"| {', '.join(names)} | {where} |\n" for where, names in cells.items() if names)
    return f'| algorithms | `"cuda"` | `"auto"` |\n|---|---|---|\n{rows}'


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


def with_counts(text: str) -> str:
    """The text with the right number before "algorithms", "functions" of NetworkX and "formats"."""
    counts = {"algorithms": ALGORITHMS, "functions": _clew_nx.get_info()["functions"], "formats": formats()}
    for word, things in counts.items():
        text = re.sub(rf"\b\d+ {word}\b", f"{len(things)} {word}", text)
    return text


def generated() -> dict[Path, str]:
    """Every file as it should be."""
    pages = {path: path.read_text(encoding="utf-8") for path in (README, CLUSTER, GPU)}
    parts = (
        (README, "formats", format_table),
        (README, "algorithms", algorithm_table),
        (CLUSTER, "runs", cluster_list),
        (GPU, "devices", device_table),
    )
    for page, name, table in parts:
        begin, end = f"<!-- {name}: begin (made by tools/update_readme.py) -->\n", f"<!-- {name}: end -->\n"
        pages[page] = updated(pages[page], begin, end, table())
    begin, end = "    # algorithms: begin (made by tools/update_readme.py)\n", "    # algorithms: end\n"
    package = updated(PACKAGE.read_text(encoding="utf-8"), begin, end, algorithm_imports())
    comparison = with_counts(COMPARISON.read_text(encoding="utf-8"))
    pages |= {README: with_counts(pages[README]), COMPARISON: comparison, PACKAGE: package}
    return {**pages, times_picture.PICTURE: times_picture.picture()}


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
