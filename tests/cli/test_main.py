"""The command as a whole: help, version, exit codes and what it says when something goes wrong."""

from __future__ import annotations

import subprocess
import sys

import pytest

import clew
from clew.cli import main
from clew.errors import GraphError, ResourceError
from tests.cli import running
from tests.cli.running import BAD_INPUT, OK, STOPPED, WRONG_USAGE

COMMANDS = ["demo", "info", "report", "convert", "relabel", "formats", "warmup", "bench", "doctor", "tiers"]
COMMANDS += ["run", "explain", "generate", "cluster"]


@pytest.mark.quick
def test_version():
    assert running.clew("--version") == (OK, f"clew {clew.__version__}\n", "")


def test_python_runs_the_package():
    found = subprocess.run([sys.executable, "-m", "clew", "--version"], capture_output=True, text=True, check=True)
    assert found.stdout == f"clew {clew.__version__}\n"


@pytest.mark.quick
def test_help_lists_every_command():
    code, out, _ = running.clew("--help")
    assert code == OK
    listed = [line.split()[0] for line in out.partition("Commands:")[2].partition("\n\n")[0].split("\n") if line]
    assert listed == COMMANDS


def test_no_command_shows_help():
    _, out, err = running.clew()
    assert running.clew("--help")[1].strip() == (out + err).strip()


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command):
    code, out, _ = running.clew(command, "--help")
    assert code == OK
    assert f"Usage: clew {command}" in out
    assert "None" not in out


@pytest.mark.quick
@pytest.mark.parametrize(
    "arguments", [["nonsense"], ["info"], ["info", "a", "b"], ["formats", "--nonsense"], ["convert", "a"]]
)
def test_wrong_usage(arguments):
    code, out, err = running.clew(*arguments)
    assert code == WRONG_USAGE
    assert out == ""
    assert "Usage: clew" in err


@pytest.mark.quick
@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (GraphError("the edges are wrong."), BAD_INPUT, "the edges are wrong.\n"),
        (ResourceError("too large."), BAD_INPUT, "too large.\n"),
        (MemoryError(), BAD_INPUT, "there is not enough memory: an allocation failed.\n"),
        (KeyboardInterrupt(), STOPPED, "interrupted; no file was written\n"),
    ],
)
def test_errors_become_a_sentence_and_an_exit_code(monkeypatch, error, code, said):
    def fail(*_, **__):
        raise error

    monkeypatch.setattr("clew.cli.graphs.load", fail)
    assert running.clew("info", "file") == (code, "", said)


def test_a_bug_is_not_hidden(monkeypatch):
    monkeypatch.setattr("clew.cli.graphs.load", lambda *_, **__: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        running.clew("info", "file")


def test_a_long_sentence_stays_on_one_line_where_nobody_reads_it(tmp_path):
    path = tmp_path / ("long" * 20) / ("name" * 20)
    _, _, err = running.clew("info", path)
    assert err == f"{path}: there is no such file.\n"


def test_the_entry_point_runs_the_application(monkeypatch):
    monkeypatch.setattr("sys.argv", ["clew", "--version"])
    with pytest.raises(SystemExit) as stopped:
        main.main()
    assert stopped.value.code == OK
