"""Compare the size and the shape of the source with the limits in budget.toml; exit 1 where a number is above one.

Code lines are lines without blanks, comments and docstrings, so that nobody saves by documenting less. ``--folders``
prints them for every folder. ``tools/walk.py`` compares the number of files that a call runs through.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src"
CUDA = (".cuh", ".h", ".cpp")
SKIPPED = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING)
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
BODY = re.compile(r"^[^\s#/].*\)[^;{}]*\{$", re.MULTILINE)

Longest = tuple[int, str]


def python_files() -> list[Path]:
    """Every Python file below src."""
    return sorted(SOURCE.rglob("*.py"))


def cuda_files() -> list[Path]:
    """Every CUDA C++ file below src; the emulation, which only tests use, is C++ too."""
    return sorted(path for path in SOURCE.rglob("*") if path.suffix in CUDA)


def code_lines(path: Path) -> int:
    """The lines of a Python file that hold code."""
    text = path.read_text(encoding="utf-8")
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in SKIPPED and token.type != tokenize.ENDMARKER:
            lines.update(range(token.start[0], token.end[0] + 1))
    return len(lines - _docstring_lines(ast.parse(text)))


def cuda_code_lines(path: Path) -> int:
    """The lines of a CUDA C++ file that hold code."""
    return sum(bool(line.strip()) for line in COMMENT.sub("", path.read_text(encoding="utf-8")).splitlines())


def longest_file() -> Longest:
    """The longest file, with everything in it."""
    sizes = ((len(path.read_text(encoding="utf-8").splitlines()), _name(path)) for path in _all_files())
    return max(sizes)


def longest_function() -> Longest:
    """The longest Python function that is not compiled, without its docstring."""
    return max(_functions(lambda path: not path.stem.startswith("kernels")))


def longest_kernel() -> Longest:
    """The longest function that is compiled: Numba's, or CUDA C++."""
    return max([*_functions(lambda path: path.stem.startswith("kernels")), *_cuda_functions()])


def import_cycles() -> list[list[str]]:
    """Groups of modules that import each other, also inside functions; imports for type checkers do not count."""
    modules = {_module(path): path for path in python_files()}
    return [sorted(group) for group in _strong({name: _imports(path, modules) for name, path in modules.items()})]


def main() -> None:
    """Print every number with its limit."""
    limits = tomllib.loads((ROOT / "budget.toml").read_text())
    found: dict[str, tuple[int, str]] = {
        "python_lines": (sum(map(code_lines, python_files())), ""),
        "cuda_lines": (sum(cuda_code_lines(path) for path in cuda_files() if path.suffix == ".cuh"), ""),
        "files": (len(_all_files()), ""),
        "file_lines": longest_file(),
        "function_lines": longest_function(),
        "kernel_lines": longest_kernel(),
    }
    cycles = import_cycles()
    found["import_cycles"] = len(cycles), "; ".join(", ".join(group) for group in cycles)
    if "--folders" in sys.argv:
        _print_folders()
    over = 0
    for name, (number, where) in found.items():
        limit = limits["source"][name]
        over += number > limit
        print(f"{'over' if number > limit else '    '} {number:7,} of {limit:7,}  {name}  {where}")
    sys.exit(1 if over else 0)


def _print_folders() -> None:
    counts: Counter[str] = Counter()
    for path in python_files():
        counts[_name(path.parent)] += code_lines(path)
    for folder, count in sorted(counts.items()):
        print(f"{count:7,}  {folder}")


def _all_files() -> list[Path]:
    return [*python_files(), *(path for path in cuda_files() if path.suffix == ".cuh")]


def _name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def _docstring(node: ast.AST) -> ast.Expr | None:
    body = getattr(node, "body", None)
    first = body[0] if isinstance(body, list) and body else None
    said = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
    return first if said and isinstance(first, ast.Expr) else None


def _docstring_lines(tree: ast.Module) -> set[int]:
    found: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and (text := _docstring(node)) is not None:
            found.update(range(text.lineno, (text.end_lineno or text.lineno) + 1))
    return found


def _functions(wanted: Callable[[Path], bool]) -> Iterator[Longest]:
    for path in filter(wanted, python_files()):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef):
                text = _docstring(node)
                said = 0 if text is None else (text.end_lineno or text.lineno) - text.lineno + 1
                yield (node.end_lineno or node.lineno) - node.lineno + 1 - said, f"{_name(path)} {node.name}"


def _cuda_functions() -> Iterator[Longest]:
    """From a line that ends in an open brace after a parenthesis to the next closing brace in the first column."""
    for path in SOURCE.rglob("*.cuh"):
        text = path.read_text(encoding="utf-8")
        for start in BODY.finditer(text):
            end = text.find("\n}", start.end())
            yield text.count("\n", start.start(), end) + 1, f"{_name(path)} {start[0][:40]}"


def _module(path: Path) -> str:
    return ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")


def _imports(path: Path, modules: dict[str, Path]) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    skipped = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for inner in ast.walk(node)
    }
    found: set[str] = set()
    for node in (node for node in ast.walk(tree) if id(node) not in skipped):
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                found.add(whole if whole in modules else node.module)
        elif isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
    return {name for name in found if name in modules and name != _module(path)}


def _strong(graph: dict[str, set[str]]) -> list[set[str]]:
    """The strongly connected components of two vertices or more, by their definition: who reaches whom and back."""

    def reach(start: str) -> set[str]:
        seen, waiting = set[str](), [start]
        while waiting:
            for other in graph[waiting.pop()] - seen:
                seen.add(other)
                waiting.append(other)
        return seen

    reached = {name: reach(name) for name in graph}
    groups: list[set[str]] = []
    for name in graph:
        if name in reached[name] and not any(name in group for group in groups):
            groups.append({other for other in reached[name] if name in reached[other]})
    return groups


if __name__ == "__main__":
    main()
