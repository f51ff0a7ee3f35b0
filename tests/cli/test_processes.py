"""The command as a process: what it loads, Ctrl-C, broken pipes, colours and bars on a terminal."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import clew
from tests.cli import running
from tests.cli.running import STOPPED

HEAVY = ("numba", "pyarrow", "scipy", "pandas", "networkx")


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["generate", "rmat", "--help"]])
def test_help_loads_nothing_heavy(arguments):
    code = (
        f"import sys, atexit; from clew.cli.main import main; sys.argv[1:] = {arguments!r}; "
        f"atexit.register(lambda: print([m for m in {HEAVY!r} if m in sys.modules], file=sys.stderr)); main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == "[]\n"


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """A graph that takes seconds to compress."""
    path = tmp_path_factory.mktemp("large") / "large.clew"
    clew.write(clew.generate.uniform(1 << 20, 1 << 24), path)
    return path


def test_ctrl_c_leaves_no_trace_of_a_half_written_file(tmp_path, large):
    destination = tmp_path / "out.clew.gz"
    destination.write_text("precious")
    running_process = running.process("convert", large, destination)
    while not any(path.stat().st_size for path in tmp_path.glob(".*.part")):  # until something has been written
        assert running_process.poll() is None, running_process.communicate()
        time.sleep(0.02)
    running_process.send_signal(signal.SIGINT)
    out, err = running_process.communicate(timeout=60)
    assert (running_process.returncode, out, err) == (STOPPED, "", "interrupted; no file was written\n")
    assert list(tmp_path.iterdir()) == [destination]
    assert destination.read_text() == "precious"


@pytest.mark.parametrize("arguments", [["formats"], ["formats", "--json"]])
def test_a_broken_pipe_is_quiet(arguments):
    reading, writing = os.pipe()
    os.close(reading)
    command = [*running.COMMAND, *arguments]
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writing)
    assert done.stderr == ""


@pytest.mark.parametrize("as_json", [False, True])
def test_names_that_stdout_cannot_spell(tmp_path, monkeypatch, as_json):
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    path = tmp_path / "brücke.csv"
    path.write_text("zoë,bob…\nbob…,zoë\n", encoding="utf-8")
    done = running.process("run", "pagerank", path, *["--json"] * as_json)
    out, err = done.communicate(timeout=60)
    assert (done.returncode, err) == (0, "")
    if as_json:
        answer = json.loads(out)
        assert answer["read"]["file"] == str(path)
        assert [row["vertex"] for row in answer["top"]] == ["zoë", "bob…"]
    else:
        assert r"br\xfccke.csv" in out
        assert r"zo\xeb" in out
        assert "bob..." in out


@pytest.mark.parametrize("stdin", ["-", "/dev/stdin"])
@pytest.mark.parametrize("arguments", [["info"], ["convert", "--to", "edge-list"], ["run", "pagerank"]])
def test_a_graph_comes_out_of_a_pipe(tmp_path, arguments, stdin):
    destination = [tmp_path / "out.csv"] if arguments[0] == "convert" else []
    command = [*running.COMMAND, *arguments, stdin, *map(str, destination)]
    done = subprocess.run(command, input="ann,bob\nbob,cy\n", capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "2 directed" in done.stdout


def test_a_graph_goes_through_pipes_from_format_to_format(tmp_path):
    (tmp_path / "in.csv").write_text("ann,bob,3\nbob,cy,4\n")
    with (
        running.process("convert", tmp_path / "in.csv", "-", "--to", "arrow") as first,
        running.process("convert", "-", "-", "--to", "edge-list", stdin=first.stdout) as second,
    ):
        out, err = second.communicate(timeout=60)
        assert first.stderr.read().count("written") == 1
    assert (first.returncode, second.returncode, out) == (0, 0, "ann bob 3\nbob cy 4\n")
    assert "2 directed edges" in err


def test_nobody_reads_on():
    with running.process("generate", "uniform", "100000", "1000000", "-o", "-", "--to", "edge-list") as writing:
        assert writing.stdout.readline()
        writing.stdout.close()
        assert writing.stderr.read() == ""


@pytest.mark.parametrize("arguments", [["formats"], ["formats", "--json"]])
def test_a_full_disk_gets_a_sentence(arguments):
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*running.COMMAND, *arguments], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert (done.returncode, done.stderr) == (1, "the disk of the output is full.\n")


@pytest.mark.parametrize(("environment", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False)])
def test_colours_only_where_they_are_wanted(tmp_path, environment, coloured):
    text = on_a_terminal(["info", tmp_path / "missing"], environment)
    assert text.endswith("there is no such file." + ("\x1b[0m" if coloured else ""))
    assert ("\x1b[31m" in text) is coloured


def on_a_terminal(arguments, environment):
    """All that a process shows on a terminal of its own."""
    ours, theirs = pty.openpty()
    variables = {
        name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR", "COLORTERM")
    }
    done = subprocess.Popen(
        [*running.COMMAND, *map(str, arguments)],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**variables, "TERM": "xterm-256color", "COLUMNS": "400", **environment},
    )
    os.close(theirs)
    shown = b""
    with contextlib.suppress(OSError):  # how Linux says that the other side has closed
        while piece := os.read(ours, 4096):
            shown += piece
    os.close(ours)
    done.wait()
    return shown.decode().strip()
