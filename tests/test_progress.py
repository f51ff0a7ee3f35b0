"""Bars: for long work only, where somebody watches, one at a time; and Ctrl-C in what they show."""

from __future__ import annotations

import contextlib
import io
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from numba import types
from numba.extending import overload
from rich.console import Console

import clew
from clew import jit, progress
from clew.engines.cpu import team
from tests.interrupting import interrupt


@pytest.fixture
def screen(monkeypatch):
    """A terminal that is kept, on which bars are impatient."""
    shown = io.StringIO()
    monkeypatch.setattr(progress, "_console", lambda: Console(file=shown, force_terminal=True, width=100))
    monkeypatch.setattr(progress, "PATIENCE", 0.03)
    monkeypatch.setattr(progress, "REFRESH", 0.01)
    progress.turn(True)
    yield shown
    progress.turn(None)


def drawn(screen, text):
    """Wait for the thread that draws, which may be kept waiting itself where others are at work."""
    patience = time.perf_counter() + 60
    while text not in screen.getvalue():
        assert time.perf_counter() < patience, f"{text!r} was not drawn: {screen.getvalue()[-2000:]!r}"
        time.sleep(0.01)
    return True


@pytest.mark.quick
def test_long_work_has_a_bar_with_rate_that_is_wiped_away(screen):
    with progress.showing("reading large.clew", unit="B") as report:
        report(0, 400_000_000)
        assert drawn(screen, "reading large.clew")
        report(200_000_000, 400_000_000)
        assert drawn(screen, "50%")
        assert drawn(screen, "MB/s")
        assert drawn(screen, "0:00 left")  # at the latest when the expected time is over
    assert screen.getvalue().endswith("\x1b[2K")


def test_compiling_has_a_line(screen):
    @overload(len, jit_options={"cache": False})
    def _(thing):
        if isinstance(thing, types.Boolean):  # a type that has no length, which takes long to find
            drawn(screen, "compiling tests, once on this machine")
            return lambda thing: 0
        return None

    @jit.njit
    def length(thing):
        return len(thing)

    assert length(True) == 0


def test_the_time_left_runs_down_between_reports(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(progress, "perf_counter", lambda: now[0])
    stage = progress._Stage("searching", None, "sources", started=0.0)
    for now[0], done, left in (
        (10.0, 1, "0:30 left"),
        (15.0, 1, "0:25 left"),
        (20.0, 2, "0:20 left"),
        (99.0, 2, "0:00 left"),
    ):
        stage.report(done, 4)
        assert stage.left() == left
    assert stage.rate() == "0.1 sources/s"


def test_short_work_has_none(screen, monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE", 10)
    with progress.showing("reading small.clew") as report:
        report(4, 4)
    with progress.showing("known to be short", when=False) as report:
        assert report is None
    assert screen.getvalue() == ""


def test_nobody_watches_away_from_a_terminal(monkeypatch):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with progress.showing("reading") as report:
        assert report is None
    monkeypatch.setattr(sys, "stderr", None)
    assert not progress.is_enabled()


def test_work_within_work_shares_one_bar(screen):
    with progress.showing("running betweenness"), progress.showing("searching", lambda: (3, 4), unit="sources"):
        assert drawn(screen, "running betweenness: searching")
        assert drawn(screen, "75%")


def test_another_thread_stays_silent(screen):
    seen = []

    def other() -> None:
        with progress.showing("mine") as report:
            seen.append(report)

    with progress.showing("outer"):
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert seen == [None]


def test_an_error_within_takes_the_bar_away(screen):
    with pytest.raises(KeyboardInterrupt), progress.showing("reading"):
        raise KeyboardInterrupt
    assert progress._bar is None


def test_long_runs_and_reads_are_shown(screen, tmp_path, monkeypatch):
    graph = clew.generate.kronecker(13, seed=1)
    clew.pagerank(graph, tolerance=0, max_iterations=5000, device="cpu")
    assert "rounds/s" in screen.getvalue()
    path = tmp_path / "edges.txt"
    clew.write(graph, path)
    monkeypatch.setattr("clew.io.LONG", 0)
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    reported = []
    clew.read(path, progress=lambda done, total: reported.append(done))
    assert reported
    for _ in range(100):  # a read may be over before the bar's thread has had a turn
        clew.read(path)
        if "reading edges.txt" in screen.getvalue():
            return
    raise AssertionError(screen.getvalue()[-2000:])


def test_loops_over_pieces_are_shown(screen):
    seen = []
    for start in progress.over(range(0, 10, 4), "searching", unit="sources"):
        seen.append(start)
        assert drawn(screen, f"{start * 10}%" if start else "searching")
    assert seen == [0, 4, 8]
    with contextlib.suppress(ZeroDivisionError):
        for _ in progress.over(range(3), "searching"):
            raise ZeroDivisionError
    assert progress._bar is None


def test_rounds_left_are_told_from_how_changes_shrink():
    changes = np.zeros(100)
    changes[:5] = 0.5 ** np.arange(5)
    done, total = team.settling(changes, 0.5**10, 100)
    assert (done, round(total)) == (5, 11)
    assert team.settling(changes, 0.0, 70) == (5, 70)
    assert team.settling(np.zeros(9), 0.1, 70) == (0, None)


ALL_PAIRS = """
import clew
graph = clew.generate.random_weights(clew.generate.grid(110, 110), 1, 9)
clew.threads.set_count(2)
clew.all_pairs(clew.generate.random_weights(clew.generate.path(9), 1, 9), method="sparse")
print("ready", flush=True)
{call}
"""
CALLS = {
    "all_pairs by searches": 'clew.all_pairs(graph, method="sparse", device="cpu")',
    "betweenness": 'clew.betweenness(graph, device="cpu")',
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_ctrl_c_ends_searches_from_all_vertices(call):
    code = ALL_PAIRS.format(call=call)
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    time.sleep(1)
    _, errors = interrupt(process)
    assert "KeyboardInterrupt" in errors
    assert process.returncode == -signal.SIGINT
