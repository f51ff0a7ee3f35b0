"""``clew demo`` and how results look."""

from __future__ import annotations

import re
import sys

import numpy as np
import pytest

import clew
from clew import progress
from clew.cli import demo, output
from clew.describe import human_bytes
from tests.cli import running
from tests.cli.running import OK


@pytest.mark.parametrize("width", [80, 120])
def test_the_demo_answers_its_questions(monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    code, out, err = running.clew("demo", "--no-report")
    assert (code, err) == (OK, "")
    assert max(len(line) for line in out.split("\n")) <= width
    lines = [" ".join(line.split()) for line in out.split("\n")]
    assert "vertices 63,857" in lines
    assert "Depends 2 263,239 90.0%" in lines
    first = lines[lines.index("Which packages do most others depend on?") + 3]
    assert first.startswith("libc6 21,809 34.2% ━━━")
    first = lines[lines.index("Which packages have the most dependencies?") + 3]
    assert first.startswith("med-bio 644 ━━━")
    assert re.search(r"NetworkX took .+ for PageRank on this machine, [\d,]+ times as long as clew", " ".join(lines))
    assert "\x1b" not in out


def test_a_bar_is_shown_while_an_answer_is_computed_and_not_while_it_is_printed(monkeypatch):
    titles = []

    def section(graph):
        titles.extend(stage.title for stage in progress._bar.stages)
        return demo.Answer("Which?", [demo.PACKAGE], [("libc6",)], "")

    monkeypatch.setattr(demo, "SECTIONS", [section])
    monkeypatch.setattr(progress, "_asked", True)
    monkeypatch.setattr(output, "heading", lambda *_: titles.append(progress._bar))
    assert running.clew("demo", "--no-report")[0] == OK
    assert titles[1:3] == ["analysing; the first time, code is compiled and cached", None]


def test_the_demo_ends_with_a_report_and_says_where_it_is(monkeypatch, tmp_path):
    monkeypatch.setattr(demo, "SECTIONS", [])
    monkeypatch.setenv("COLUMNS", "300")
    monkeypatch.chdir(tmp_path)
    code, out, err = running.clew("demo")
    assert (code, err) == (OK, "")
    path = tmp_path / "clew-report.html"
    told = out[out.index("The report") :].split()
    assert out.index("The report") < out.index("NetworkX took")
    assert str(path) in told
    assert human_bytes(path.stat().st_size).split()[0] in told
    assert "libc6" in path.read_text(encoding="utf-8")


def test_the_demo_does_without_a_report_where_plotly_is_missing(monkeypatch, tmp_path):
    monkeypatch.setattr(demo, "SECTIONS", [])
    monkeypatch.setitem(sys.modules, "plotly", None)
    code, out, _ = running.clew("demo", "-o", tmp_path / "report.html")
    assert code == OK
    assert "pip install 'clew[plots]'" in " ".join(out.split())
    assert not list(tmp_path.iterdir())


def test_the_top_of_a_list_is_stable():
    graph = clew.Graph.from_edges([0, 1, 2], [3, 3, 4], names=["a", "b", "c", "d", "e"])
    assert demo.top(graph, graph.degrees("in"))[:3] == [("d", 2, 2), ("e", 1, 2), ("a", 0, 2)]
    assert demo.top(graph, np.zeros(5, dtype=np.int64))[0] == ("a", 0, 0)


def test_lines_and_shares():
    assert demo.bar(10, 10) == "━" * demo.BAR
    assert demo.bar(5, 10) == "━" * (demo.BAR // 2)
    assert demo.bar(0, 10) == ""
    assert demo.bar(1, 10**6) == "━"
    assert (demo.share(1, 3), demo.share(0, 0)) == ("33.3%", "–")


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.0004, "0 ms"), (0.0126, "13 ms"), (1, "1.0 s"), (119.96, "120.0 s"), (300, "5.0 min")]
)
def test_durations(seconds, text):
    assert output.duration(seconds) == text
