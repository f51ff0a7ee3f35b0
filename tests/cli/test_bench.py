"""``clew bench``: real processes, on graphs small enough that they are done at once."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest

from clew.algorithms.registry import ALGORITHMS
from tests.cli.running import BAD_INPUT, OK, WRONG_USAGE, clew


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "named.csv"
    path.write_text("source,target\nann,bob\nbob,cy\ncy,ann\ncy,ann\ncy,dan\neve,eve\n")
    return path


def test_a_person_reads_a_table(file):
    code, out, _ = clew("bench", file, "--algorithms", "bfs,k-core", "--peers", "scipy", "--repeat", 1, "--threads", 1)
    assert code == OK
    lines = [line.split() for line in out.splitlines()]
    assert ["bfs", "1", "clew"] in [line[:3] for line in lines]
    assert any(line[:1] == ["scipy"] and line[-2:] == ["the", "same"] for line in lines)
    assert sum(line[-1:] == ["verified"] for line in lines) == 2
    assert "5 vertices, 4 directed edges, int32 weights" in out  # no loop, no duplicate, and weights


def test_a_program_reads_json(file, tmp_path):
    target, picture = tmp_path / "out.json", tmp_path / "out.svg"
    options = ["--algorithms", "sssp,pagerank", "--undirected", "--source", "cy", "--peers", "scipy", "--repeat", 2]
    code, _, _ = clew("bench", file, *options, "--threads", "1,2", "--json", target, "--plot", picture)
    assert code == OK
    answer = json.loads(target.read_text())
    assert (answer["vertices"], answer["edges"], answer["source"]) == (5, 4, "cy")
    races = answer["races"]
    assert [(race["algorithm"], race["threads"]) for race in races] == [
        ("sssp", 1),
        ("pagerank", 1),
        ("sssp", 2),
        ("pagerank", 2),
    ]
    for race in races:
        ours, theirs = race["scores"]
        assert (race["verified"], ours["contender"], theirs["contender"]) == ("yes", "clew", "scipy")
        assert ours["rounds"] == theirs["rounds"] == 2
        assert theirs["agrees"]
        assert theirs["ratio"] == pytest.approx(theirs["seconds"] / ours["seconds"])
    assert ElementTree.fromstring(picture.read_text()).tag.endswith("svg")


def test_a_generated_graph_alone_and_json_on_stdout():
    code, out, _ = clew(
        "bench", "grid5", "--algorithms", "triangles", "--peers", "none", "--no-verify", "--repeat", 1, "--json", "-"
    )
    answer = json.loads(out)
    assert code == OK
    assert answer["vertices"] == 25
    assert [len(race["scores"]) for race in answer["races"]] == [1]
    assert answer["races"][0]["verified"] == ""


def test_every_algorithm_can_be_timed():
    acyclic = {"topological_order"}  # and a grid is not
    names = ",".join(ALGORITHMS.keys() - acyclic)
    code, out, _ = clew("bench", "grid4", "--algorithms", names, "--peers", "none", "--repeat", 1, "--json", "-")
    assert code == OK
    for race in json.loads(out)["races"]:
        [score] = race["scores"]
        assert score["seconds"] is not None, (race["algorithm"], score["why_not"])
        assert race["verified"] == "yes", race["algorithm"]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--algorithms", "dfs"], WRONG_USAGE, "no algorithm called 'dfs'"),
        (["--algorithms", ","], WRONG_USAGE, "no algorithm is given"),
        (["--peers", "boost"], WRONG_USAGE, "no peer called 'boost'"),
        (["--peers", "lagraph"], BAD_INPUT, "lagraph is not installed; put it on the PATH"),
        (["--threads", "1,x"], WRONG_USAGE, "not a list of numbers"),
        (["--threads", "0"], WRONG_USAGE, "not a list of numbers"),
        (["--repeat", "0"], WRONG_USAGE, "repeat"),
        (["--source", "zoe"], BAD_INPUT, "no vertex is called 'zoe'"),
        (["--json", "no/such/folder.json"], BAD_INPUT, "there is no folder no/such; expected one to write into"),
        (["--weights", "heavy"], WRONG_USAGE, "heavy"),
    ],
)
def test_mistakes_get_a_sentence_before_any_work(file, monkeypatch, arguments, code, message):
    monkeypatch.setattr("clew.cli.bench.races", lambda *_: pytest.fail("nothing may start"))
    monkeypatch.setenv("PATH", "")
    answer = clew("bench", file, *arguments)
    assert answer[0] == code
    assert message in " ".join(answer[2].split())


def test_what_clew_refuses_is_an_error(file):
    code, _, err = clew("bench", file, "--algorithms", "bfs", "--peers", "none", "--device", "tpu")
    assert code == BAD_INPUT
    assert "device is 'tpu'" in err


@pytest.mark.parametrize("name", ["kron0", "grid99999999", "nonsense", "kron"])
def test_unknown_graphs(name):
    code, _, err = clew("bench", name, "--algorithms", "bfs", "--peers", "none")
    assert code == BAD_INPUT
    assert name in err
