"""The size and the shape of the source: the tools that compare them with budget.toml, and the tests of `make quick`."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
TESTS = ROOT / "tests"
#: Test modules have no quick test where every test starts processes that take seconds.
SLOW_FOLDERS = {"environment"}
FOLDERS = sorted(path for path in TESTS.iterdir() if path.is_dir() and any(path.glob("test_*.py")))


@pytest.fixture
def budget(tmp_path, monkeypatch) -> Any:
    """The tool, over a small source tree of its own."""
    spec = importlib.util.spec_from_file_location("budget", ROOT / "tools" / "budget.py")
    assert spec is not None
    assert spec.loader is not None
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    source = tmp_path / "src" / "clew"
    source.mkdir(parents=True)
    (source / "one.py").write_text(
        '"""Text."""\n\n# why\nfrom clew import two\n\n\ndef f():\n    """Text."""\n    return two\n'
    )
    (source / "two.py").write_text("def g():\n    from clew import one\n\n    return one\n")
    (source / "kernels.py").write_text("def k(a):\n    a += 1\n    a += 2\n    a += 3\n    return a\n")
    (source / "k.cuh").write_text("// why\nvoid k(int a) {\n    a = 1;\n\n}\n")
    (tmp_path / "budget.toml").write_bytes((ROOT / "budget.toml").read_bytes())
    monkeypatch.setattr(tool, "ROOT", tmp_path)
    monkeypatch.setattr(tool, "SOURCE", tmp_path / "src")
    monkeypatch.setattr(sys, "argv", ["budget.py"])
    return tool


@pytest.mark.quick
def test_the_budget_counts_code_without_comments_and_docstrings(budget):
    assert sum(map(budget.code_lines, budget.python_files())) == 3 + 3 + 5
    assert [budget.cuda_code_lines(path) for path in budget.cuda_files()] == [3]


@pytest.mark.quick
def test_the_budget_finds_long_functions_and_files(budget):
    assert budget.longest_function() == (4, "src/clew/two.py g")
    assert budget.longest_kernel() == (5, "src/clew/kernels.py k")
    assert budget.longest_file() == (9, "src/clew/one.py")


@pytest.mark.quick
def test_the_budget_finds_cycles_also_inside_functions(budget):
    assert budget.import_cycles() == [["clew.one", "clew.two"]]


@pytest.mark.quick
@pytest.mark.parametrize("name", tomllib.loads((ROOT / "budget.toml").read_text())["source"])
def test_a_number_above_its_limit_fails_the_check(budget, name, capsys):
    path = budget.ROOT / "budget.toml"
    path.write_text(re.sub(rf"^{name} = \d+", f"{name} = 0", path.read_text(), flags=re.MULTILINE))
    with pytest.raises(SystemExit) as stopped:
        budget.main()
    assert stopped.value.code == 1
    over = [line for line in capsys.readouterr().out.splitlines() if line.startswith("over")]
    assert any(f" {name} " in line for line in over)


@pytest.mark.quick
def test_calls_run_through_no_more_files_than_the_budget_allows():
    done = subprocess.run([sys.executable, ROOT / "tools" / "walk.py"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    "folder", [path for path in FOLDERS if path.name not in SLOW_FOLDERS], ids=lambda path: path.name
)
def test_every_part_has_quick_tests(folder):
    assert any("mark.quick" in path.read_text(encoding="utf-8") for path in folder.glob("test_*.py"))
