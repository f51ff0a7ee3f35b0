"""Print code lines per folder, without blanks, comments and docstrings: nobody saves by writing less of those."""

from __future__ import annotations

import ast
import io
import tokenize
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("src", "tests", "bench", "tools", "examples")
SKIPPED = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING)


def code_lines(path: Path) -> int:
    """The number of lines of ``path`` that hold code."""
    text = path.read_text(encoding="utf-8")
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in SKIPPED and token.type != tokenize.ENDMARKER:
            lines.update(range(token.start[0], token.end[0] + 1))
    return len(lines - _docstring_lines(ast.parse(text)))


def _docstring_lines(tree: ast.Module) -> set[int]:
    found: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) and node.body:
            first = node.body[0]
            if (
                isinstance(first, ast.Expr)
                and isinstance(first.value, ast.Constant)
                and isinstance(first.value.value, str)
            ):
                found.update(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    return found


def main() -> None:
    """Print a row per folder and the total."""
    counts: Counter[str] = Counter()
    files: Counter[str] = Counter()
    for top in FOLDERS:
        for path in sorted((ROOT / top).rglob("*.py")):
            folder = str(path.parent.relative_to(ROOT))
            counts[folder] += code_lines(path)
            files[folder] += 1
    for folder in sorted(counts):
        print(f"{counts[folder]:7,}  {files[folder]:3} files  {folder}")
    print(f"{sum(counts.values()):7,}  {sum(files.values()):3} files  in all")


if __name__ == "__main__":
    main()
