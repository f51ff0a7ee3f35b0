"""``clew info``."""

from __future__ import annotations

import json

import pytest

import clew
from tests.cli import running
from tests.cli.running import BAD_INPUT, OK


@pytest.fixture
def graph():
    return clew.Graph.from_edges([0, 0, 1, 2], [1, 2, 2, 2], [5, 6, 7, 8], num_vertices=5)


@pytest.fixture
def path(tmp_path, graph):
    clew.write(graph, tmp_path / "small.clew")
    return tmp_path / "small.clew"


def test_facts_for_a_person(path):
    code, out, err = running.clew("info", path)
    assert (code, err) == (OK, "")
    facts = dict(line.strip().split("   ", 1) for line in out.strip().split("\n")[2:])
    facts = {what: value.strip() for what, value in facts.items()}
    assert facts["vertices"] == "5"
    assert facts["edges"] == "4 directed"
    assert facts["self-loops"] == "1"
    assert facts["bytes per stored edge"] == "24.00, offsets included"  # 6 offsets, 4 ids and 4 weights
    assert facts["on disk"] == f"{path.stat().st_size} B"
    assert facts["format"].startswith("clew")
    assert "time to read" in facts


@pytest.mark.quick
def test_facts_for_a_program(path, graph):
    code, out, err = running.clew("info", path, "--json", "--check")
    assert (code, err) == (OK, "")
    facts = json.loads(out)
    about_the_file = {key: facts.pop(key) for key in ("file", "format", "file_bytes", "seconds")}
    assert (facts.pop("columns"), facts.pop("decisions")) == ({}, [])
    assert facts == graph.describe().as_dict()
    assert about_the_file.pop("seconds") > 0
    assert about_the_file == {"file": str(path), "format": "clew", "file_bytes": path.stat().st_size}


def test_the_format_can_be_named(path):
    assert running.clew("info", path, "--format", "clew")[0] == OK
    code, out, err = running.clew("info", path, "--format", "parquet")
    assert (code, out) == (BAD_INPUT, "")
    assert "Parquet" in err
    assert "there is no format called 'nonsense'" in running.clew("info", path, "--format", "nonsense")[2]


def test_damage_is_found_when_asked_for(path):
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    code, out, err = running.clew("info", path, "--check")
    assert (code, out) == (BAD_INPUT, "")
    assert err.count("\n") == 1
    assert str(path) in err


@pytest.mark.parametrize("content", [b"", b"\xffnonsense\x00"])
def test_what_is_no_graph(tmp_path, content):
    path = tmp_path / "file"
    path.write_bytes(content)
    code, out, err = running.clew("info", path)
    assert (code, out) == (BAD_INPUT, "")
    assert err.startswith(f"{path}: ")
    assert err.count("\n") == 1


def test_what_is_no_graph_gets_a_sentence_with_an_option(tmp_path):
    (tmp_path / "empty.txt").touch()
    assert (
        "the file is empty; expected the format that '.txt' stands for"
        in running.clew("info", tmp_path / "empty.txt")[2]
    )
    (tmp_path / "noise.bin").write_bytes(bytes(range(128, 256)))
    assert "name it with --format" in running.clew("info", tmp_path / "noise.bin")[2]
