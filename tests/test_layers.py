"""The shape of the package: which part may know which, and how light `import clew` is."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[1] / "src" / "clew"

# Data flows down this list; a module may import only from its own line and the lines above it.
LAYERS = (
    ("errors", "cache_folder", "weak", "free_memory"),
    ("dtypes", "compiled_cache", "late_code", "lean_passes", "jit", "threads", "progress", "checks"),
    ("kernels_strings", "strings"),
    ("names", "adjacency", "kernels_rows", "kernels_search"),
    ("build",),
    ("packed",),
    ("transform", "convert", "describe"),
    ("attributes", "pieces"),
    ("graph",),
    ("io", "generate"),
    ("operators", "layouts", "result", "edge_result", "pair_result", "walk_result", "trace", "workspace"),
    ("memory",),
    ("engines",),
    ("primitives",),
    ("program",),
    ("algorithms",),
    ("distributed",),
    ("placement",),
    ("tiers",),
    ("verify", "testing"),
    ("datasets",),
    ("plan",),
    ("plots",),
    ("reporting",),
    ("bench",),
    ("cli", "nx"),
    ("__main__",),
)
HEAVY = ("cupy", "ray", "networkx", "pandas", "matplotlib", "plotly", "numba", "pyarrow", "polars", "typer", "rich")


def layer_of(part: str) -> int:
    return next(index for index, parts in enumerate(LAYERS) if part in parts)


def imported_parts(path: Path) -> set[str]:
    """The parts of clew that a file imports, inside functions too; imports for type checkers do not count."""
    tree = ast.parse(path.read_text())
    skipped = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for inner in ast.walk(node)
    }
    parts = set()
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.ImportFrom) and node.module == "clew":
            parts.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("clew."):
            parts.add(node.module.split(".")[1])
        elif isinstance(node, ast.Import):
            parts.update(alias.name.split(".")[1] for alias in node.names if alias.name.startswith("clew."))
    return parts - {"__version__"}


FILES = sorted(path for path in SOURCE.rglob("*.py") if path != SOURCE / "__init__.py")


@pytest.mark.quick
@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_no_module_imports_from_a_layer_below_it(path):
    part = path.relative_to(SOURCE).parts[0].removesuffix(".py")
    for other in imported_parts(path):
        assert layer_of(other) <= layer_of(part), f"{part} may not import {other}"


@pytest.mark.quick
def test_the_cpu_engine_knows_nothing_of_the_others():
    for path in (SOURCE / "engines" / "cpu").rglob("*.py"):
        assert "clew.engines.cuda" not in path.read_text(), path
        assert "clew.engines.hybrid" not in path.read_text(), path


@pytest.mark.quick
def test_no_public_function_asks_which_device_it_is_on():
    for path in (SOURCE / "algorithms").glob("*/__init__.py"):
        text = path.read_text()
        assert "clew.engines" not in text, f"{path}: registry.run alone chooses the engine"
        assert not device_tests(text), f"{path}: registry.run alone asks which device it is"


def device_tests(text: str) -> list[str]:
    """Comparisons of ``device``, and calls of ``is_on_gpu``."""
    asked = []
    for node in ast.walk(ast.parse(text)):
        names = {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}
        compares = isinstance(node, ast.Compare | ast.Match) and "device" in names
        if compares or (isinstance(node, ast.Call) and ast.unparse(node.func).endswith("is_on_gpu")):
            asked.append(ast.unparse(node))
    return asked


@pytest.mark.quick
def test_questions_about_the_device_are_found():
    asked = ("device == 'cuda'", "device in GPUS", "is_on_gpu(x)")
    assert device_tests(f"def f(device, x):\n    return run(device, {', '.join(asked)})\n") == list(asked)


def run(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


@pytest.mark.quick
def test_import_clew_is_light():
    loaded = run("import sys, clew; print(*{name.partition('.')[0] for name in sys.modules})").split()
    assert [name for name in HEAVY if name in loaded] == []


def test_import_clew_takes_little_longer_than_numpy_and_scipy():
    # Of the processor, since others may be at work beside this.
    clock = "import time; start = time.process_time(); {}; print(time.process_time() - start)"
    base = min(float(run(clock.format("import numpy, scipy"))) for _ in range(3))
    ours = min(float(run(clock.format("import clew"))) for _ in range(3))
    assert ours <= base + 0.3


@pytest.mark.quick
def test_all_public_names_exist_and_have_docstrings():
    import clew

    for name in clew.__all__:
        assert getattr(clew, name).__doc__, name


@pytest.mark.quick
def test_no_open_ends_are_left_in_the_code():
    marks = ("TO" + "DO", "FIX" + "ME", "XX" + "X")
    for path in FILES:
        assert not any(mark in path.read_text() for mark in marks), path
