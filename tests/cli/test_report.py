"""``clew report``."""

from __future__ import annotations

import json
import sys

import pytest

from clew.reporting import machine_sections
from tests.cli import running
from tests.cli.running import BAD_INPUT, OK


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.setattr(machine_sections, "MEASURED", 1 << 20)
    path = tmp_path / "edges.txt"
    path.write_text("ann bob\nbob cleo\ncleo ann\ncleo dan\n")
    return path


def test_a_report_is_written_and_told_of(file, tmp_path):
    page = tmp_path / "page.html"
    code, out, err = running.clew("report", file, "-o", page, "--source", "dan", "--threads", "2", "--json")
    assert (code, err) == (OK, "")
    told = json.loads(out)
    assert told["written"]["file"] == str(page)
    assert told["written"]["file_bytes"] == page.stat().st_size
    text = page.read_text(encoding="utf-8")
    assert "<bdi>edges.txt</bdi>" in text
    assert "From dan, 1 vertex is reachable" in text
    assert "Reading the file" in text


def test_the_page_is_report_html_unless_named(file, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, _ = running.clew("report", file, "--title", "Friends")
    assert code == OK
    assert "written   report.html  (" in out
    assert "<title>Friends" in (tmp_path / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("-o", "page.pdf"), "a report is an HTML page; expected a name that ends in .html."),
        (("-o", "nowhere/page.html"), "there is no folder nowhere; expected one to write into."),
        (("--source", "eve"), "no vertex is called 'eve'"),
        (("--fast-memory", "much"), "much"),
        (("--device", "abacus"), "device is 'abacus'"),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(file, tmp_path, monkeypatch, options, sentence):
    monkeypatch.chdir(tmp_path)
    code, out, err = running.clew("report", file, *options)
    assert (code, out) == (BAD_INPUT, "")
    assert sentence in err
    assert [path.name for path in tmp_path.iterdir()] == ["edges.txt"]


def test_without_plotly_the_remedy_is_named(file, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "plotly", None)
    code, _, err = running.clew("report", file, "-o", tmp_path / "page.html")
    assert code == BAD_INPUT
    assert "pip install 'clew[plots]'" in err
