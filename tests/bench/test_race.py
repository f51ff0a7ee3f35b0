"""Races: who is asked, what is counted, and what happens to one that fails, is slow or is wrong."""

from __future__ import annotations

import json
import os
import stat
import sys
import time
from xml.etree import ElementTree

import numpy as np
import pytest

import clew
from bench.algorithms import rows
from clew import GraphError
from clew.bench import graphs, peers, report
from clew.bench.peers import RACED
from clew.bench.race import Contender, Outcome, OverTimeError, Rules, Score, Setting, races
from clew.bench.task import Answer, UnableError, compare, smallest_labels

HERE = [name for name in peers.LIBRARIES if peers.available(name)]


@pytest.mark.parametrize("directed", [True, False])
def test_all_libraries_agree(directed):
    graph = clew.generate.rmat(7, 4, seed=3) if directed else clew.generate.kronecker(7, seed=3)
    plain = graphs.simple(graph)
    done = list(races("small", plain, graphs.busiest(plain), RACED, HERE, [1], Rules(rounds=1, verify=True)))
    assert [outcome.algorithm for outcome in done] == list(RACED)
    for outcome in done:
        if directed and outcome.algorithm == "triangles":
            continue  # some count them in directed graphs, some don't
        assert outcome.verified == "yes", outcome
        for score in outcome.scores[1:]:
            agreed = score.agrees or score.compared == "nothing"  # NetworkX has no ranks after a fixed number of rounds
            assert agreed or score.why_not == report.MISSING, (outcome.algorithm, score)


def test_a_simple_graph_has_what_all_contenders_need():
    graph = clew.Graph.from_edges(["a", "a", "b", "b"], ["b", "b", "b", "a"])
    plain = graphs.simple(graph)
    assert (plain.num_edges, plain.num_loops, plain.names, plain.weighted) == (2, 0, None, True)
    weighted = graphs.simple(clew.Graph.from_edges([0, 1], [1, 2], [0.5, 2.5]))
    assert weighted.weights.tolist() == [0.5, 2.5]


@pytest.fixture
def setting(tmp_path):
    path = tmp_path / "graph.clew"
    clew.write(graphs.simple(clew.generate.grid(4, 4)), path)
    return Setting(path, 0, 1, "cpu")


def test_one_that_takes_too_long_is_ended_and_starts_anew(setting):
    contender = Contender("clew", setting)
    with pytest.raises(OverTimeError, match=r"took more than 0\.001 s"):
        contender.ask(0.001, do="prepare", algorithm="bfs")
    assert contender.process is None
    contender.ask(60, do="prepare", algorithm="bfs")
    assert contender.ask(60, do="run")["seconds"] > 0
    process = contender.process
    contender.close()
    assert process.poll() is not None


def test_a_process_that_ends_and_an_error_are_reasons(setting):
    contender = Contender("clew", setting)
    with pytest.raises(UnableError, match="does not have it"):
        contender.ask(60, do="prepare", algorithm="nonsense")
    with pytest.raises(UnableError, match="AssertionError"):
        contender.ask(60, do="run")  # nothing is ready
    contender.close()
    missing = Contender("clew", setting._replace(file=setting.file.with_name("missing.clew")))
    with pytest.raises(UnableError, match="its process ended"):
        missing.ask(60, do="run")
    missing.close()


PROGRAM = """#!{python}
import sys, time
if {slow}: time.sleep(60)
print("Trial Time:          0.25000")
print("Trial Time:          0.12500")
print("BFS Tree has {reached} nodes and 24 edges")
"""


def fake_gap(folder, *, reached=16, slow=False):
    """Programs that answer as GAP's search does, whatever they are asked."""
    for name in ("cc_sv", "bfs"):
        path = folder / name
        path.write_text(PROGRAM.format(python=sys.executable, reached=reached, slow=slow))
        path.chmod(path.stat().st_mode | stat.S_IXUSR)


@pytest.mark.parametrize(("reached", "agrees"), [(16, True), (15, False)])
def test_programs_measure_themselves_and_their_facts_are_compared(tmp_path, monkeypatch, reached, agrees):
    fake_gap(tmp_path, reached=reached)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    assert peers.available("gap")
    plain = graphs.simple(clew.generate.grid(4, 4))
    [outcome] = races("grid4", plain, 0, ["bfs"], ["gap"], [1], Rules(rounds=1))
    score = outcome.scores[1]
    assert (score.seconds, score.agrees, score.compared) == (0.125, agrees, "reached")
    # A wrong answer is nobody's fastest.
    assert (outcome.fastest(["gap"]) is score) == agrees
    assert any("15 vertices reached instead of 16" in line for line in report.remarks([outcome])) == (not agrees)


def test_a_slow_program_does_not_stop_the_race(tmp_path, monkeypatch):
    fake_gap(tmp_path, slow=True)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    plain = graphs.simple(clew.generate.grid(4, 4))
    started = time.perf_counter()
    [outcome] = races("grid4", plain, 0, ["bfs"], ["gap"], [1], Rules(rounds=1, limit=5))
    assert time.perf_counter() - started < 50
    assert outcome.scores[0].seconds is not None
    assert "took more than 5 s" in outcome.scores[1].why_not
    assert rows([outcome], ["clew", "gap"])[0][4] == "too slow"


def values(numbers):
    return Answer(np.array(numbers))


@pytest.mark.quick
@pytest.mark.parametrize(
    ("algorithm", "ours", "theirs", "difference"),
    [
        ("bfs", values([0, 1, -1]), values([0, 1, -1]), None),
        ("bfs", values([0, 1, -1]), values([0, 2, -1]), "1 values differ, the first at 1: 2 instead of 1"),
        ("bfs", values([0, 1]), values([0]), "1 values instead of 2"),
        ("sssp", values([0.0, 0.3, np.inf]), values([0.0, 0.1 + 0.2, np.inf]), None),
        ("sssp", values([0.0, 1.0]), values([0.0, np.inf]), "1 values differ"),
        ("sssp", values([0.0, 1.0, np.inf]), Answer(facts={"reached": 3}), "3 vertices reached instead of 2"),
        ("pagerank", values([0.5, 0.5]), values([0.2, 0.2]), None),  # up to a factor
        ("pagerank", values([0.5, 0.5]), values([0.2, 0.3]), "ranks differ by 0.2"),
        ("pagerank", values([0.4, 0.2]), Answer(facts={"top": {0: 0.2, 1: 0.1}}), None),
        ("betweenness", values([4.0, 2.0]), Answer(facts={"top": {0: 1.0, 1: 0.6}}), "highest scores differ by 0.1"),
        ("betweenness", values([4.0, 2.0]), Answer(facts={"top": {0: np.nan}}), "not numbers"),
        ("connected_components", values([0, 0, 2]), Answer(facts={"components": 3}), "3 components instead of 2"),
        ("triangles", Answer(np.int64(7)), Answer(facts={"total": 7}), None),
        ("triangles", Answer(np.int64(7)), values(8), "1 values differ"),
    ],
)
def test_answers_are_compared(algorithm, ours, theirs, difference):
    found = compare(algorithm, ours, theirs)
    assert found is None if difference is None else difference in found


def test_labels_are_named_by_their_smallest_vertex():
    assert smallest_labels([7, 3, 7, 5, 3]).tolist() == [0, 1, 0, 3, 1]


def outcome_of(graph, ours, **others):
    scores = [Score("clew", ours), *(Score(name, seconds, agrees=True) for name, seconds in others.items())]
    return Outcome(graph, "bfs", 1, scores)


def test_means_are_geometric_and_over_the_fastest_of_a_group():
    outcomes = [outcome_of("a", 1.0, gap=4.0, scipy=3.0, igraph=8.0), outcome_of("b", 2.0, gap=2.0, scipy=6.0)]
    found = {mean.against: (mean.ratio, mean.graphs) for mean in report.means(outcomes)}
    assert found["GAP"] == (pytest.approx(2.0), 2)
    assert found["the fastest Python library"] == (pytest.approx(3.0), 2)
    assert found["the fastest of all"] == (pytest.approx(3**0.5), 2)
    assert rows(outcomes, ["clew", "gap"])[0] == ["a", "bfs", "1", "1,000", "4,000", "3.00x scipy"]


def test_the_first_run_counts_only_until_there_is_another():
    score = Score("scipy")
    score.add({"seconds": 1.0, "cpu_seconds": 0.9}, warm=False)
    assert (score.seconds, score.rounds) == (1.0, 0)
    score.add({"seconds": 3.0, "cpu_seconds": 2.0}, warm=True)
    score.add({"seconds": 2.0, "cpu_seconds": 2.5}, warm=True)
    assert (score.seconds, score.cpu_seconds, score.rounds) == (2.0, 2.0, 2)


def test_everything_can_be_written():
    outcomes = [outcome_of("a<b", 1.0, gap=4.0, scipy=0.01), Outcome("c", "sssp", 2, [Score("clew", why_not="no")])]
    assert json.loads(json.dumps(report.as_dict(outcomes)))["races"][0]["scores"][1]["ratio"] == 4
    picture = ElementTree.fromstring(report.svg(outcomes, "a title"))
    circles = [node for node in picture.iter() if node.tag.endswith("circle")]
    assert len(circles) == 4  # two in the legend, two in the picture


@pytest.mark.parametrize("name", ["kron0", "kron99", "grid", "cube3", ""])
def test_names_that_are_no_graphs(name):
    with pytest.raises(GraphError, match="there is no graph called"):
        graphs.generated(name)


@pytest.mark.quick
def test_names_of_graphs():
    assert graphs.generated("grid7").num_vertices == 49
    assert graphs.generated("rmat5d").directed
    assert graphs.generated("delaunay4").num_vertices == 16
    assert graphs.generated("kron6") == clew.generate.kronecker(6, seed=1)
