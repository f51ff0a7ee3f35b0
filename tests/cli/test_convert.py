"""``clew convert``."""

from __future__ import annotations

import json

import numpy as np
import pytest

import clew
from tests.cli import running
from tests.cli.running import BAD_INPUT, OK, WRONG_USAGE


@pytest.fixture
def graph():
    return clew.Graph.from_edges([0, 0, 1, 2, 2], [1, 1, 0, 2, 3], [5, 6, 7, 8, 9])


@pytest.fixture
def origin(tmp_path, graph):
    clew.write(graph, tmp_path / "in.clew")
    return tmp_path / "in.clew"


@pytest.fixture
def destination(tmp_path):
    return tmp_path / "out.parquet"


def converted(origin, destination, *options):
    assert running.clew("convert", origin, destination, *options)[0] == OK
    return clew.read(destination)


@pytest.mark.quick
def test_from_one_format_to_another(origin, destination, graph):
    assert converted(origin, destination) == graph
    assert destination.read_bytes().startswith(b"PAR1")


def test_formats_can_be_named(origin, tmp_path, graph):
    assert converted(origin, tmp_path / "out", "--from", "clew", "--to", "npz") == graph


def test_cleaning(origin, destination, graph):
    source, target, weights = graph.edges()
    for duplicates in ("keep", "drop", "first", "min", "max", "sum"):
        expected = clew.Graph.from_edges(source, target, weights, duplicates=duplicates, loops="drop")
        assert converted(origin, destination, "--drop-loops", "--duplicates", duplicates) == expected


def test_symmetrizing(origin, destination, graph):
    assert converted(origin, destination, "--symmetrize") == graph.symmetrized()
    assert converted(origin, destination, "--symmetrize", "--duplicates", "sum") == graph.symmetrized("sum")


def test_pieces(origin, destination, graph):
    assert converted(origin, destination, "--largest-component") == graph.largest_component()
    assert converted(origin, destination, "--ego", "1") == graph.ego(1)
    assert converted(origin, destination, "--ego", "1", "--hops", "0").num_vertices == 1
    assert running.clew("convert", origin, destination, "--ego", "9")[0] == BAD_INPUT


def test_direction_can_be_overridden(tmp_path, destination, graph):
    clew.write(graph.symmetrized(), tmp_path / "both.clew")
    assert converted(tmp_path / "both.clew", destination).directed is False
    assert converted(tmp_path / "both.clew", destination, "--directed").directed is True


def test_weights(origin, destination, graph):
    assert converted(origin, destination, "--weights", "none") == graph.with_weights(None)
    expected = clew.generate.random_weights(graph, 1, 255, 7)
    assert converted(origin, destination, "--weights", "random:1:255:7") == expected
    fractions = converted(origin, destination, "--weights", "random:-0.5:0.5").weights
    assert fractions.dtype == np.float64
    assert (np.abs(fractions) <= 0.5).all()


@pytest.mark.parametrize("text", ["nonsense", "random", "random:1", "random:9:1", "random:1:2:3:4", "random:a:b"])
def test_weights_that_are_wrong_usage(origin, destination, text):
    code, out, err = running.clew("convert", origin, destination, "--weights", text)
    assert (code, out) == (WRONG_USAGE, "")
    assert "--weights" in err
    assert not destination.exists()


@pytest.mark.quick
def test_what_it_says(origin, destination):
    code, out, err = running.clew("convert", origin, destination, "--drop-loops", "--duplicates", "sum", "--symmetrize")
    assert (code, err) == (OK, "")
    text = " ".join(out.split())
    assert "5 edges given, 1 self-loop dropped, 1 duplicate merged" in text
    assert "4 vertices, 3 directed edges, int64 weights" in text
    assert "4 vertices, 2 undirected edges, int64 weights" in text
    assert destination.name in text.replace(" ", "")  # a long path is folded


def test_what_it_says_to_a_program(origin, destination):
    _, out, _ = running.clew("convert", origin, destination, "--symmetrize", "--json")
    said = json.loads(out)
    assert said["read"]["file"] == str(origin)
    assert (said["read"]["format"], said["read"]["edges"], said["read"]["directed"]) == ("clew", 5, True)
    assert (said["written"]["format"], said["written"]["edges"], said["written"]["directed"]) == ("parquet", 3, False)
    assert said["written"]["file_bytes"] == destination.stat().st_size


@pytest.mark.parametrize(
    ("name", "lost"),
    [
        ("out.mtx", ["the names of vertices, which are numbers there"]),
        ("out.csv", ["1 vertex without edges", "that edges go both ways: read it with --undirected"]),
        ("out.txt", ["1 vertex without edges"]),
        ("out.parquet", []),
    ],
)
def test_what_a_format_cannot_hold_is_said(tmp_path, name, lost):
    origin = tmp_path / "origin.clew"
    clew.write(clew.Graph.from_edges([0], [1], names=["ann", "bob", "cy"], directed=False), origin)
    assert json.loads(running.clew("convert", origin, tmp_path / name, "--json")[1])["lost"] == lost
    text = " ".join(running.clew("convert", origin, tmp_path / name)[1].split())
    assert text.count("not kept") == len(lost)
    assert all(f"not kept {one}" in text for one in lost)


def test_an_unknown_suffix_is_refused_before_anything_is_read(tmp_path):
    code, out, err = running.clew("convert", tmp_path / "missing.clew", tmp_path / "out.nonsense")
    assert (code, out) == (BAD_INPUT, "")
    assert "'.nonsense'" in err


def test_a_failure_leaves_what_was_there(origin, destination):
    destination.write_text("precious")
    origin.write_bytes(origin.read_bytes()[:100])
    assert running.clew("convert", origin, destination)[0] == BAD_INPUT
    assert destination.read_text() == "precious"
    assert sorted(path.name for path in destination.parent.iterdir()) == ["in.clew", "out.parquet"]


def test_to_stdout(origin, graph):
    code, out, err = running.clew("convert", origin, "-", "--to", "edge-list")
    assert (code, clew.read(out.encode())) == (OK, graph)
    assert "written" in err
    for options, message in (
        ([], "name the format with --to"),
        (["--to", "clew", "--json"], "so --json is not possible"),
        (["--to", "ldbc"], "expected NAME.e, NAME.v or NAME.properties"),
    ):
        code, out, err = running.clew("convert", origin, "-", *options)
        assert (code, out) == (BAD_INPUT, "")
        assert message in err


def test_the_delimiter_can_be_named(tmp_path, destination):
    path = tmp_path / "in.txt"
    for given, written in (("~", "~"), (";", ";"), ("tab", "\t"), (r"\t", "\t")):
        path.write_text(f"ann lee{written}bob\nbob{written}cy\n")
        graph = converted(path, destination, "--delimiter", given)
        assert graph.names.array.to_pylist() == ["ann lee", "bob", "cy"]
    for command in (["info"], ["run", "bfs", "--source", "bob"], ["explain", "pagerank"]):
        assert running.clew(*command, path, "--delimiter", "tab")[0] == OK
    assert "delimiter is 'ab'; expected one character" in running.clew("info", path, "--delimiter", "ab")[2]


def test_packing(origin, tmp_path, graph):
    packed, plain = tmp_path / "packed.clew", tmp_path / "plain.clew"
    assert converted(origin, packed, "--packed") == graph
    assert clew.read(packed).is_packed
    assert converted(packed, tmp_path / "again.clew").is_packed  # as it was
    assert not converted(packed, plain, "--unpacked").is_packed
    assert plain.read_bytes() == origin.read_bytes()
    code, _, err = running.clew("convert", origin, tmp_path / "out.mtx", "--packed")
    assert code == BAD_INPUT
    assert "--packed is for .clew files" in err


@pytest.mark.parametrize("name", ["in.csv", "./in.csv", "link.csv", "hard.csv"])
def test_a_file_is_not_written_over_itself(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    text = "source,target,weight,note\na,b,1,x\n"
    (tmp_path / "in.csv").write_text(text)
    (tmp_path / "link.csv").symlink_to("in.csv")
    (tmp_path / "hard.csv").hardlink_to("in.csv")
    commands = (
        ("convert", "in.csv", name, "--weights", "none"),
        ("relabel", "in.csv", "-s", "random:seed=1,bias=0.5", "-o", name),
        ("run", "bfs", "in.csv", "--source", "a", "-o", name),
    )
    for command in commands:
        code, out, err = running.clew(*command)
        assert (code, out) == (BAD_INPUT, "")
        assert "is the file that is read" in err
        assert "Write another file" in " ".join(err.split())
    assert (tmp_path / "in.csv").read_text() == text
