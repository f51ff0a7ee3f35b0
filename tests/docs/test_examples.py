"""Every example in the docs runs, and answers what the page says it does."""

from __future__ import annotations

import doctest
import importlib
import shlex
from pathlib import Path

import pytest

import clew
from clew.cli.main import app
from clew.engines.cuda.toolchain.failures import reason_unavailable
from tests.cli import running
from tests.docs.pages import DOCS, ROOT, commands, examples

#: Run by a process of its own, because it changes the settings of NetworkX: tests/nx/test_docs.py.
ELSEWHERE = {DOCS / "from-networkx.md"}
PAGES = sorted(page for page in DOCS.rglob("*.md") if page not in ELSEWHERE and examples(page))
#: Commands that measure the machine or take long by design; tests/cli runs them in a small form.
NOT_RUN = {"bench", "demo", "doctor", "tiers", "warmup"}
SESSION = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """A working folder with the files that examples read."""
    graph = clew.generate.random_weights(clew.generate.rmat(8, edge_factor=4, seed=1), 1, 9, seed=1)
    (tmp_path / "edges").mkdir()
    for name in ("graph.mtx.gz", "graph.mtx", "edges.csv", "edges/1.parquet", "edges/2.parquet"):
        clew.write(graph, tmp_path / name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run_shell(code: str) -> None:
    for command in commands(code):
        name, *arguments = shlex.split(command)[1:]
        if name not in NOT_RUN:
            done = running.clew(name, *arguments)
            assert done[0] == running.OK, f"{command}: {done[2]}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(DOCS)))
def test_its_examples_run(page, folder):
    names: dict[str, object] = {}
    for example in examples(page):
        if example.needs_gpu and reason_unavailable() is not None:
            continue
        if example.kind == "python":
            # The lines before it make errors name the line of the page.
            exec(compile("\n" * example.line + example.code, str(page), "exec"), names)
        elif example.kind == "sh":
            run_shell(example.code)
        else:
            session = doctest.DocTestParser().get_doctest(example.code, names, page.name, str(page), example.line)
            said: list[str] = []
            doctest.DocTestRunner(optionflags=SESSION).run(session, out=said.append, clear_globs=False)
            assert not said, "".join(said)
            names = session.globs


def test_the_commands_of_the_readme_run(folder):
    for example in examples(ROOT / "README.md"):
        if example.kind == "sh":
            run_shell(example.code)


@pytest.mark.quick
def test_all_commands_on_all_pages_exist():
    known = {command.name or command.callback.__name__ for command in app.registered_commands}
    known |= {group.name for group in app.registered_groups}
    for page in [*DOCS.rglob("*.md"), ROOT / "README.md"]:
        for example in examples(page):
            assert {command.split()[1] for command in commands(example.code)} <= known, page


def modules_with_examples() -> list[str]:
    source = ROOT / "src"
    files = [path for path in (source / "clew").rglob("*.py") if ">>> " in path.read_text(encoding="utf-8")]
    return sorted(".".join(path.relative_to(source).with_suffix("").parts).removesuffix(".__init__") for path in files)


@pytest.mark.parametrize("name", modules_with_examples())
def test_the_examples_of_docstrings_run(name):
    found = doctest.testmod(importlib.import_module(name), optionflags=SESSION)
    assert found.attempted > 0
    assert found.failed == 0
