"""``clew relabel``."""

from __future__ import annotations

import json

import numpy as np
import pytest

import clew
from clew.placement import Degree, Placement
from tests.cli import running
from tests.cli.running import BAD_INPUT, OK, WRONG_USAGE
from tests.placement.example import example

STRATEGY = "degree:out_degree=2,cutoff=80"


@pytest.fixture
def origin(tmp_path):
    clew.write(example(), tmp_path / "in.adj")
    return tmp_path / "in.adj"


def test_ligra_with_the_boundary_at_the_top(origin, tmp_path):
    code, _, err = running.clew("relabel", origin, "--strategy", STRATEGY, "-o", tmp_path / "out.adj")
    assert (code, err) == (OK, "")
    words = (tmp_path / "out.adj").read_text().split()
    assert words[:4] == ["AdjacencyGraph", "6", "10", "17"]
    # The new ids of 0…9 are 0 1 6 7 2 3 8 4 5 9, so the row of 0 (1 and 3) is 1 7, that of 1 (2 and 4) is 2 6, …
    assert words[4:14] == ["0", "2", "4", "5", "6", "7", "10", "11", "14", "16"]
    assert " ".join(words[14:]) == "1 7 2 6 3 2 8 1 6 7 4 2 8 9 1 6 5"
    again = clew.read(tmp_path / "out.adj")
    placement = Placement.of(again)
    assert (placement.boundary, placement.permutation.tolist()) == (6, list(range(10)))
    expected = Degree(2, 80).place(example()).apply(example())
    assert np.array_equal(again.indptr, expected.indptr)
    assert np.array_equal(again.indices, expected.indices)


def test_clew_with_the_permutation(origin, tmp_path):
    assert running.clew("relabel", origin, "-s", STRATEGY, "-o", tmp_path / "out.clew")[0] == OK
    placed, expected = clew.read(tmp_path / "out.clew"), Degree(2, 80).place(example())
    placement = Placement.of(placed)
    assert placed == expected.apply(example())
    assert np.array_equal(placement.permutation, expected.permutation)
    assert (placement.boundary, placement.strategy) == (6, "degree:out_degree=2,cutoff_percentile=80")
    assert (placement.slow_bytes, placement.fast_bytes) == (expected.slow_bytes, expected.fast_bytes)
    assert clew.bfs(placed, 0).to_dict() == clew.bfs(example(), 0).to_dict()


def test_results_on_the_command_line_are_in_the_users_ids(origin, tmp_path):
    running.clew("relabel", origin, "-s", "random:seed=1,bias=0.5", "-o", tmp_path / "out.clew")
    answers = []
    for file in (origin, tmp_path / "out.clew"):
        _, out, _ = running.clew("run", "bfs", file, "--source", "0", "--top", "10", "--json", "--verify")
        answers.append({row["vertex"]: row["depth"] for row in json.loads(out)["top"]})
    assert answers[0] == answers[1]


def test_what_it_says(origin, tmp_path):
    out_file = tmp_path / "out.clew"
    code, out, err = running.clew("relabel", origin, "-s", "all-fast", "--fast-memory", "60", "-o", out_file)
    assert (code, err) == (OK, "")
    text = " ".join(out.split())
    assert "strategy all_fast" in text
    assert "slow memory 6 vertices, 92 B" in text
    assert "fast memory 4 vertices, 56 B" in text


def test_what_it_says_to_a_program(origin, tmp_path):
    _, out, _ = running.clew("relabel", origin, "-s", STRATEGY, "-o", tmp_path / "out.clew", "--json")
    said = json.loads(out)
    assert (said["boundary"], said["strategy"]) == (6, "degree:out_degree=2,cutoff_percentile=80")
    assert said["slow"] == {"vertices": 6, "bytes": 88}
    assert said["fast"] == {"vertices": 4, "bytes": 60}
    assert said["written"]["format"] == "clew"


def test_a_budget_may_be_an_option_or_a_knob(origin, tmp_path):
    option, knob = tmp_path / "option.clew", tmp_path / "knob.clew"
    assert running.clew("relabel", origin, "-s", "hot", "--fast-memory", "64", "-o", option)[0] == OK
    assert running.clew("relabel", origin, "-s", "hot:fast_memory=64", "-o", knob)[0] == OK
    assert clew.read(option) == clew.read(knob)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["-s", "nonsense", "-o", "out.clew"], "there is no strategy 'nonsense'"),
        (["-s", "all_fast", "--fast-memory", "much", "-o", "out.clew"], "'much' is not an amount of memory"),
        (["-s", "all_fast", "-o", "out.nonsense"], "'.nonsense'"),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_read(tmp_path, arguments, said):
    code, out, err = running.clew("relabel", tmp_path / "missing.adj", *arguments)
    assert (code, out) == (BAD_INPUT, "")
    assert said in err


def test_options_that_are_missing(origin):
    assert running.clew("relabel", origin)[0] == WRONG_USAGE
