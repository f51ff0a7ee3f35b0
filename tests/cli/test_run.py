"""``clew run``."""

from __future__ import annotations

import json

import numpy as np
import pyarrow.parquet as pq
import pytest

import clew as library
from clew.algorithms.registry import ALGORITHMS
from tests.cli.running import BAD_INPUT, OK, WRONG_USAGE, clew


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "named.csv"
    path.write_text("source,target\nann,bob\nbob,cy\ncy,dan\neve,ann\n")
    return path


def test_every_algorithm_is_a_subcommand():
    code, out, _ = clew("run", "--help")
    assert code == OK
    for name in ALGORITHMS:
        assert name.replace("_", "-") in out
        assert clew("run", name, "--help")[0] == OK


def test_a_person_reads_names(file):
    code, out, _ = clew("run", "bfs", file, "--source", "ann", "--verify")
    assert code == OK
    assert "bfs on named.csv" in out
    assert "verified" in out
    assert ["dan", "3", "cy"] in [line.split() for line in out.splitlines()]


def test_a_program_reads_json(file):
    code, out, _ = clew("run", "bfs", file, "--source", "ann", "--top", 2, "--json", "--threads", 1)
    answer = json.loads(out)
    assert code == OK
    assert answer["facts"] == {"reached": 4}
    assert answer["top"] == [
        {"vertex": "dan", "depth": 3, "parent": "cy"},
        {"vertex": "cy", "depth": 2, "parent": "bob"},
    ]
    library.threads.set_count(None)


@pytest.mark.parametrize("suffix", [".parquet", ".csv", ".npy", ".arrow", ".csv.gz"])
def test_results_are_written(file, tmp_path, suffix):
    path = tmp_path / f"out{suffix}"
    assert clew("run", "bfs", file, "--source", "ann", "-o", path)[0] == OK
    assert path.stat().st_size > 0
    if suffix == ".parquet":
        table = {row["vertex"]: row for row in pq.read_table(path).to_pylist()}
        assert table["eve"] == {"vertex": "eve", "depth": -1, "parent": None}
        assert table["cy"]["parent"] == "bob"
    if suffix == ".npy":
        assert sorted(np.load(path).tolist()) == [-1, 0, 1, 2, 3]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--source", "zoe"], BAD_INPUT, "no vertex is called 'zoe'"),
        ([], BAD_INPUT, "name one with --source"),
        (["--source", "ann", "-o", "out.xlsx"], BAD_INPUT, "cannot write results to 'out.xlsx'"),
        (["--source", "ann", "--threads", "0"], BAD_INPUT, "number of threads is 0"),
        (["--source", "ann", "--weights", "heavy"], WRONG_USAGE, "heavy"),
        (["--sauce", "ann"], WRONG_USAGE, "--sauce"),
    ],
)
def test_mistakes_get_a_sentence(file, arguments, code, message):
    answer = clew("run", "bfs", file, *arguments)
    assert answer[0] == code
    assert message in answer[2]


def test_integers_are_integers(tmp_path):
    path = tmp_path / "numbers.el"
    path.write_text("0 1\n1 2\n")
    assert clew("run", "bfs", path, "--source", "1")[0] == OK
    assert "are integers" in clew("run", "bfs", path, "--source", "one")[2]


def test_several_sources(file, tmp_path):
    path = tmp_path / "depths.parquet"
    assert clew("run", "multi-source-bfs", file, "--source", "eve", "--source", "bob", "-o", path)[0] == OK
    assert {row["vertex"]: row["depth"] for row in pq.read_table(path).to_pylist()}["cy"] == [3, 1]
    assert "name one with --source" in clew("run", "multi-source-bfs", file)[2]


def test_a_number_where_python_also_takes_a_list(file):
    code, out, _ = clew("run", "betweenness", file, "--samples", 2, "--json")
    assert code == OK
    assert len(json.loads(out)["top"]) == 5


@pytest.mark.parametrize(
    ("arguments", "suffix", "message"),
    [
        (["all-pairs"], ".csv", "a cell of a .csv file holds one"),
        (["triangles", "--no-per-vertex"], ".npy", "no value per vertex, but total"),
    ],
)
def test_results_that_a_file_cannot_hold(file, tmp_path, arguments, suffix, message):
    path = tmp_path / f"out{suffix}"
    code, _, err = clew("run", *arguments, file, "-o", path)
    assert code == BAD_INPUT
    assert message in " ".join(err.split())
    assert not path.exists()


def test_where_edges_are_kept(tmp_path):
    file = tmp_path / "graph.el"
    file.write_text("0 1\n1 2\n2 3\n3 0\n")
    for more in (["--edges", "zero_copy"], ["--edges", "tiered", "--fast-memory", "8B"], ["--fast-memory", "1KiB"]):
        code, out, _ = clew("run", "bfs", file, "--source", 0, "--device", "emulated", "--verify", *more)
        assert code == OK
        assert "verified" in out
    code, _, err = clew("run", "bfs", file, "--source", 0, "--edges", "disk")
    assert code == BAD_INPUT
    assert "edges is 'disk'" in err
    code, _, err = clew(
        "run", "bfs", file, "--source", 0, "--device", "emulated", "--edges", "device", "--fast-memory", "8B"
    )
    assert "needs 32 bytes of GPU memory" in err
    assert code == BAD_INPUT


def test_a_plan_is_shown_before_the_run_and_compared_after_it(file):
    code, out, _ = clew("run", "bfs", file, "--source", "ann", "--explain")
    assert code == OK
    assert out.index("Plan of bfs") < out.index("bfs on named.csv") < out.index("Predicted and measured")
    assert "load balance" in out
    code, out, _ = clew("run", "pagerank", file, "--explain", "--json")
    plan = json.loads(out)["plan"]
    assert code == OK
    assert plan["engine"] == "cpu"
    assert plan["measured"]["seconds"] > 0
