"""``clew run``."""

from __future__ import annotations

import json
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pyarrow.parquet as pq
import pytest

import clew as library
from clew.algorithms.registry import ALGORITHMS
from clew.cli import run
from clew.errors import DeviceError
from clew.plan.plan import rehearse
from tests.cli.running import BAD_INPUT, OK, WRONG_USAGE, clew


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "named.csv"
    path.write_text("source,target\nann,bob\nbob,cy\ncy,dan\neve,ann\n")
    return path


@pytest.mark.quick
def test_every_algorithm_is_a_subcommand():
    code, out, _ = clew("run", "--help")
    assert code == OK
    for name in ALGORITHMS:
        assert name.replace("_", "-") in out
        assert clew("run", name, "--help")[0] == OK


@pytest.mark.quick
def test_a_person_reads_names(file):
    code, out, _ = clew("run", "bfs", file, "--source", "ann", "--verify")
    assert code == OK
    assert "bfs on named.csv" in out
    assert "verified" in out
    assert ["dan", "3", "cy"] in [line.split() for line in out.splitlines()]


@pytest.mark.quick
def test_a_program_reads_json(file):
    code, out, _ = clew("run", "bfs", file, "--source", "ann", "--top", 2, "--json", "--threads", 1)
    answer = json.loads(out)
    assert code == OK
    assert answer["facts"] == {"num_reached": 4}
    assert answer["top"] == [
        {"vertex": "dan", "depth": 3, "parent": "cy"},
        {"vertex": "cy", "depth": 2, "parent": "bob"},
    ]
    library.threads.set_count(None)


def test_the_path_to_a_vertex(file):
    code, out, _ = clew("run", "bfs", file, "--source", "ann", "--to", "dan")
    assert code == OK
    assert "ann → bob → cy → dan" in out
    assert json.loads(clew("run", "bfs", file, "--source", "bob", "--to", "bob", "--json")[1])["path"] == ["bob"]
    code, _, said = clew("run", "bfs", file, "--source", "ann", "--to", "eve")
    assert code != OK
    assert "there is no path to 'eve'" in said


@pytest.mark.parametrize("weights", ["1.5", "2"])
def test_what_is_out_of_reach_is_not_the_farthest(tmp_path, weights):
    path = tmp_path / "weighted.csv"
    path.write_text(f"source,target,weight\nann,bob,{weights}\neve,ann,1\n")
    for name in ("sssp", "bellman-ford"):
        _, out, _ = clew("run", name, path, "--source", "ann", "--json")
        first, *_, last = json.loads(out)["top"]
        assert first["vertex"] == "bob"
        assert last == {"vertex": "eve", "distance": None, "parent": None}
        _, out, _ = clew("run", name, path, "--source", "ann")
        assert ["eve", "-", "-"] in [line.split() for line in out.splitlines()]


@pytest.mark.parametrize("suffix", [".parquet", ".csv", ".npy", ".arrow", ".csv.gz"])
def test_results_are_written(file, tmp_path, suffix):
    path = tmp_path / f"out{suffix}"
    assert clew("run", "bfs", file, "--source", "ann", "-o", path)[0] == OK
    assert path.stat().st_size > 0
    if suffix == ".parquet":
        table = {row["vertex"]: row for row in pq.read_table(path).to_pylist()}
        assert table["eve"] == {"vertex": "eve", "depth": None, "parent": None}
        assert table["cy"]["parent"] == "bob"
    if suffix == ".csv":
        assert '"eve",,' in path.read_text().splitlines()
    if suffix == ".npy":  # raw numbers, with the mark of the array
        assert sorted(np.load(path).tolist()) == [-1, 0, 1, 2, 3]
        assert "everything but the array 'depth'" in clew("run", "bfs", file, "--source", "ann", "-o", path)[1]


def test_single_numbers_are_written(file, tmp_path):
    path = tmp_path / "out.csv"
    assert clew("run", "triangles", "--no-per-vertex", file, "-o", path)[0] == OK
    assert path.read_text().splitlines()[0] == '"total"'


def test_what_only_python_can_say_is_no_option():
    assert "--pairs" not in clew("run", "similarity", "--help")[1]


@pytest.mark.quick
@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--source", "zoe"], BAD_INPUT, "no vertex is called 'zoe'"),
        ([], BAD_INPUT, "this algorithm starts from a vertex. Add --source NAME, such as --source ann."),
        (["--to", "dan"], BAD_INPUT, "Add --source NAME, such as --source ann."),
        (["--source", "ann", "-o", "out.xlsx"], BAD_INPUT, "cannot write results to 'out.xlsx'"),
        (
            ["--source", "ann", "-o", "nowhere/out.csv"],
            BAD_INPUT,
            "nowhere/out.csv: there is no folder nowhere; expected",
        ),
        (["--source", "ann", "--threads", "0"], BAD_INPUT, "number of threads is 0"),
        (["--source", "ann", "--weights", "heavy"], WRONG_USAGE, "heavy"),
        (["--sauce", "ann"], WRONG_USAGE, "--sauce"),
    ],
)
def test_mistakes_get_a_sentence(file, arguments, code, message):
    answer = clew("run", "bfs", file, *arguments)
    assert answer[0] == code
    assert message in answer[2]


def test_where_results_go_is_looked_at_before_the_work(file, tmp_path, monkeypatch):
    monkeypatch.setattr("clew.cli.run.load", lambda *_, **__: pytest.fail("the graph was read"))
    assert clew("run", "bfs", file, "--source", "ann", "-o", tmp_path)[0] == BAD_INPUT
    assert "there is no folder" in clew("run", "bfs", file, "--source", "ann", "-o", tmp_path / "a" / "b.csv")[2]


def test_integers_are_integers(tmp_path):
    path = tmp_path / "numbers.el"
    path.write_text("0 1\n1 2\n")
    assert clew("run", "bfs", path, "--source", "1")[0] == OK
    assert "are integers" in clew("run", "bfs", path, "--source", "one")[2]


def test_several_sources(file, tmp_path):
    path = tmp_path / "depths.parquet"
    assert clew("run", "multi-source-bfs", file, "--source", "eve", "--source", "bob", "-o", path)[0] == OK
    assert {row["vertex"]: row["depth"] for row in pq.read_table(path).to_pylist()}["cy"] == [3, 1]
    assert "Add --source NAME" in clew("run", "multi-source-bfs", file)[2]


def test_a_number_where_python_also_takes_a_list(file):
    code, out, _ = clew("run", "betweenness", file, "--samples", 2, "--json")
    assert code == OK
    assert len(json.loads(out)["top"]) == 5


@pytest.mark.parametrize(
    ("arguments", "suffix", "message"),
    [
        (["all-pairs"], ".csv", "which .csv cannot store"),
        (["triangles", "--no-per-vertex"], ".npy", "no value per vertex, only total"),
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


def test_answers_for_pairs_are_summed_up(file):
    code, out, _ = clew("run", "all-pairs", file, "--top", 2, "--json")
    answer = json.loads(out)
    assert code == OK
    assert answer["facts"] == {
        "method": "sparse",
        "joined_pairs": 10,
        "possible_pairs": 20,
        "mean_distance": 2.0,
        "largest_distance": 4,
    }
    # Closeness: the share of the others that are reached, over their mean distance.
    assert answer["top"] == [
        {"vertex": "eve", "closeness": 0.4, "num_reached": 4, "mean_distance": 2.5, "largest_distance": 4},
        {"vertex": "ann", "closeness": 0.375, "num_reached": 3, "mean_distance": 2.0, "largest_distance": 3},
    ]
    code, out, _ = clew("run", "multi-source-bfs", file, "--source", "eve", "--source", "cy")
    assert code == OK
    assert "Top 2 by closeness" in out
    assert ["eve", "0.4", "4", "2.5", "4"] in [line.split() for line in out.splitlines()]
    empty = file.with_name("one.csv")
    empty.write_text("source,target\nann,ann\n")
    assert "1 vertex, 1 directed edge, unweighted" in clew("run", "all-pairs", empty)[1]


@pytest.mark.quick
def test_a_plan_alone(file):
    code, out, _ = clew("explain", "bfs", file, "--source", "ann")
    assert code == OK
    assert out.startswith("Plan of bfs")
    assert "bfs on named.csv" not in out
    code, out, _ = clew("explain", "bfs", file, "--source", "ann", "--run")
    assert "Predicted and measured" in out
    code, out, _ = clew("explain", "connected_components", file, "--json")
    assert json.loads(out)["plan"]["measured"] is None


def test_a_plan_that_cannot_run_advises_options(file):
    wanted = ("explain", "k-core", file, "--device", "emulated", "--edges", "device", "--fast-memory", "8B")
    code, out, _ = clew(*wanted)
    assert code == OK
    assert "Cannot run" in out
    assert "or --device cpu." in " ".join(out.split())
    assert 'device="cpu"' not in out
    assert "--edges auto, tiered or zero_copy" in json.loads(clew(*wanted, "--json")[1])["plan"]["missing"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["sssp", "--source", "ann"], "--weights random:1:255, or count edges with clew run bfs."),
        (["pagerank", "--weighted"], "Omit --weighted to follow all edges equally"),
        (["sssp", "--source", "ann", "--weights", "random:-9:-1"], "Try clew run bellman-ford"),
        (["bellman-ford", "--undirected", "--source", "ann", "--weights", "random:-9:-1"], "--directed"),
        (["bfs", "--source", "ann", "--format", "matrix-market"], "pass --format edge-list"),
    ],
)
def test_remedies_are_options(file, arguments, message):
    code, _, err = clew("run", arguments[0], file, *arguments[1:])
    told = " ".join(err.split())
    assert code == BAD_INPUT
    assert message in told
    assert "graph." not in told
    assert "clew." not in told


def test_a_wrong_answer_is_told_by_name(file, monkeypatch):
    def wrong(graph, source):
        result = library.bfs(graph, source)
        result.depth[graph.vertex("cy")] = 7
        return result

    check = run.checked
    monkeypatch.setattr(
        run, "checked", lambda graph, algorithm, _, chosen: check(graph, algorithm, wrong(graph, "ann"), chosen)
    )
    code, _, err = clew("run", "bfs", file, "--source", "ann", "--verify")
    assert code == BAD_INPUT
    assert "a vertex is one deeper than its parent" in err
    assert "'cy'" in err


def test_fewer_than_no_vertices_cannot_be_shown(file):
    code, _, err = clew("run", "bfs", file, "--source", "ann", "--top", "-1")
    assert code == WRONG_USAGE
    assert "--top" in err
    code, out, _ = clew("run", "bfs", file, "--source", "ann", "--top", "0")
    assert code == OK
    assert "Top" not in out


def test_the_time_to_read_is_that_of_reading(tmp_path):
    """In a new process, in which nothing is loaded yet; loading takes hundreds of milliseconds."""
    path = tmp_path / "small.el"
    path.write_text("0 1\n1 2\n")
    code = (
        "import time; started = time.perf_counter(); from pathlib import Path; from clew.cli.files import load\n"
        f"found = load(Path({str(path)!r}), None)[1]; print(found.seconds, time.perf_counter() - started)"
    )
    shares = []
    for _ in range(3):  # others may be at work on this machine
        out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        reading, everything = map(float, out.split())
        shares.append(reading / everything)
        if shares[-1] < 1 / 5:
            return
    raise AssertionError(shares)


def test_code_is_loaded_for_the_engine_that_will_run(monkeypatch):
    rehearsed = []
    monkeypatch.setattr("clew.plan.plan.rehearse", lambda *given: rehearsed.append(given[2]))
    graph = library.generate.path(3)

    def loaded_for(device, gpu):
        monkeypatch.setattr("clew.algorithms.registry.gpu_for", gpu)
        run.loaded(graph, ALGORITHMS["bfs"], {"source": 0, "device": device})

    def no_gpu(*_):
        raise DeviceError("there is no GPU.")

    loaded_for("auto", lambda *_: None)
    loaded_for("auto", lambda *_: object())
    loaded_for("cuda", no_gpu)
    assert rehearsed == ["cpu", "cuda"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--workers", 2], "--workers is for clusters. Add --cluster local"),
        (["--cluster", "local", "--threads", 2], "--threads is for one machine"),
        (["--cluster", "local", "--output", "ranks.csv"], "expected a name that ends in .parquet"),
        (["--cluster", "127.0.0.1:1"], "there is no Ray cluster at '127.0.0.1:1'"),
    ],
)
def test_a_cluster_that_cannot_be_used_is_refused(tmp_path, options, said):
    library.write(library.generate.path(3), tmp_path / "g.mtx")
    code, _, err = clew("run", "pagerank", tmp_path / "g.mtx", *options)
    assert code == BAD_INPUT
    assert said in err


def test_a_cluster_without_ray_says_how_to_install_it(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    for line in (["run", "pagerank", "edges", "--cluster", "local"], ["cluster", "status"]):
        code, _, err = clew(*line)
        assert code == BAD_INPUT
        assert "Install it with: " in err
        assert "pip install 'clew[cluster]'" in err


def test_workers_of_a_plan_are_a_forecast(tmp_path):
    library.write(library.generate.path(300), tmp_path / "g.mtx")
    code, out, _ = clew("explain", "pagerank", tmp_path / "g.mtx", "--workers", 6)
    assert code == OK
    assert "2 × 3" in out


def test_partitions_list_sizes(tmp_path):
    graph = library.Graph.from_edges([6000, 6001, 7], [6001, 6010, 8], directed=False)
    library.write(graph, tmp_path / "graph.clew")
    code, out, _ = clew("run", "connected-components", tmp_path / "graph.clew", "--top", 2, "--json")
    assert code == OK
    assert json.loads(out)["top"] == [{"component": 6000, "size": 3}, {"component": 7, "size": 2}]
    out = clew("run", "connected-components", tmp_path / "graph.clew", "--top", 2)[1]
    assert "6000" in out  # an id that can be pasted back
    assert "6,000" not in out
    out = clew("run", "bfs", tmp_path / "graph.clew", "--source", 6000, "--top", 2)[1]
    assert "6010" in out
    assert "6001" in out  # the parent
    assert "6,001" not in out


@pytest.mark.parametrize("weights", [None, [1, 300], [0.25, 0.5]])
def test_packed_graphs_stay_packed_while_code_is_loaded(monkeypatch, weights):
    packed = library.Graph.from_edges([0, 1], [1, 2], weights).packed()
    kinds = []

    def function(graph, **_):
        stored = graph.outgoing.stored_weights
        kinds.append((graph.is_packed, graph.weight_dtype, None if stored is None else stored.dtype))

    monkeypatch.setitem(ALGORITHMS, "bfs", SimpleNamespace(function=function))
    rehearse(packed, "bfs", "cpu", {"source": 0})
    stored = packed.outgoing.stored_weights
    assert kinds == [(True, packed.weight_dtype, None if stored is None else stored.dtype)]
    assert not packed.outgoing.is_unpacked
