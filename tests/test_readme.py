"""The README says what is true."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.quick
def test_the_tables_are_current():
    done = subprocess.run([sys.executable, str(ROOT / "tools" / "update_readme.py"), "--check"], check=False)
    assert done.returncode == 0, "run: python tools/update_readme.py"


@pytest.mark.quick
def test_ci_runs_what_the_readme_names():
    commands = (ROOT / ".ci" / "run").read_text().splitlines()
    assert commands[-1] == "make test"
    assert "make test" in (ROOT / "README.md").read_text()


def test_the_examples_run(tmp_path, monkeypatch, shared_data):
    text = (ROOT / "README.md").read_text()
    code = "".join(block.split("```")[0] for block in text.split("```python\n")[1:])
    code = code.replace("soc-Slashdot0902.txt.gz", str(shared_data / "snap" / "soc-Slashdot0902.txt.gz"))
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "README.md", "exec"), {})
    assert (tmp_path / "kron20.clew").exists()


def test_the_commands_of_the_readme_exist():
    from clew.cli.main import app

    names = {command.name or command.callback.__name__ for command in app.registered_commands}
    names |= {group.name for group in app.registered_groups}
    text = (ROOT / "README.md").read_text()
    shown = {
        line.split()[1] for line in text.splitlines() if line.startswith("clew ") and not line.startswith("clew is")
    }
    assert shown <= names
