"""``balance`` of bfs, sssp and sswp: however a GPU shares the edges among threads, the answers are the same."""

from __future__ import annotations

from functools import cache
from typing import get_args

import numpy as np
import pytest

import clew
from clew.algorithms.arguments import Balance
from clew.algorithms.bfs import cuda as bfs
from clew.algorithms.paths import cuda_problem as problems
from clew.engines.choice import gpu_for
from clew.engines.cuda.balance import frontiers
from clew.engines.cuda.memory.device_graph import rows_on
from clew.engines.cuda.memory.ledger import forget_all
from clew.engines.cuda.toolchain.device import shared_bytes

SEARCHES = ("bfs", "sssp", "sswp")
CUTS = (1, 4, 128)
WAYS = [*({"balance": name} for name in get_args(Balance)), *({"balance": "degree_cut", "cut": cut} for cut in CUTS)]
SHAPES = {
    "kronecker": lambda: clew.generate.kronecker(7, seed=3),
    "directed": lambda: clew.generate.rmat(6, 6, 0.45, 0.22, 0.22, seed=4),
    "star": lambda: clew.generate.star(300),
    "path": lambda: clew.generate.path(40),
    "no edges": lambda: clew.Graph.from_edges([], [], num_vertices=3),
}


@cache
def shape(name: str) -> clew.Graph:
    return clew.generate.random_weights(SHAPES[name](), 1, 9, 1, "int32")


@pytest.mark.parametrize("way", WAYS, ids=lambda way: "-".join(map(str, way.values())))
@pytest.mark.parametrize("name", SEARCHES)
def test_every_strategy_gives_the_same(name, way):
    search = getattr(clew, name)
    for of in SHAPES:
        graph = shape(of)
        found, expected = search(graph, 1, device="emulated", **way), search(graph, 1, device="cpu")
        getattr(clew.verify, name)(graph, 1, found)
        value = next(iter(expected.values))
        np.testing.assert_array_equal(found.numpy().values[value], expected.values[value])
        assert found.num_reached == expected.num_reached
        if name == "bfs":
            assert found.iterations == expected.iterations
            assert {"frontier", "edges", "direction", "bytes", "seconds"} <= set(found.trace.columns)
        steady = search(graph, 1, deterministic=True, device="emulated", **way).numpy()
        if name == "bfs":
            np.testing.assert_array_equal(steady.parent, search(graph, 1, deterministic=True, device="cpu").parent)


@pytest.mark.parametrize("way", [{"balance": "degree_cut"}, {"balance": "merge_path"}], ids=str)
def test_wide_ids_and_edges_on_the_host(way):
    made = shape("kronecker")
    source, target, weights = made.edges()
    wide = clew.Graph.from_edges(source, target, weights, made.num_vertices, directed=False, id_dtype="int64")
    for graph in (made, wide):
        with clew.memory("zero_copy"):
            clew.verify.bfs(graph, 0, clew.bfs(graph, 0, device="emulated", **way))
            clew.verify.sssp(graph, 0, clew.sssp(graph, 0, device="emulated", **way))


def test_what_is_asked_for_reaches_the_kernel(monkeypatch):
    graph, asked = shape("kronecker"), []
    real = problems.defines
    forget_all()  # searches that are ready do not ask again

    def noted(*given, **options):
        asked.append(real(*given, **options))
        return asked[-1]

    monkeypatch.setattr(problems, "defines", noted)
    for name in SEARCHES:
        getattr(clew, name)(graph, 0, balance="degree_cut", cut=8, device="emulated")
        assert (asked[-1]["BALANCE"], asked[-1]["CUT"]) == (frontiers.BALANCES["degree_cut"], 8)
        assert ("UNIT" in asked[-1]) == (name == "bfs")
    asked.clear()
    clew.bfs(graph, 0, device="emulated")  # has a kernel of its own
    clew.sssp(graph, 0, device="emulated")
    (macros,) = asked
    assert (macros["BALANCE"], macros["CUT"], macros["THREADS"]) == (frontiers.BALANCES["auto"], 0, 1024)
    assert "UNIT" not in macros


@pytest.mark.parametrize("cut", [1, 16, 128])
def test_pieces_fit_into_shared_memory(cut):
    device = gpu_for("emulated", 0)
    rows = rows_on(device, shape("kronecker").outgoing, weights=False)
    threads = problems.threads_of(device, rows, bfs.EDGES, problems.tuning_of("degree_cut", cut))
    assert 32 <= threads <= problems.CUT_THREADS
    assert threads * cut * 8 < shared_bytes(device)
    assert problems.tuning_of("auto") is problems.DEFAULT  # the default search is the same as ever


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"balance": "fair"}, "balance is 'fair'; expected 'auto', 'thread', 'warp', 'block', 'merge_path' or"),
        ({"balance": "degree_cut", "cut": 0}, "cut is 0; expected 1 to 128"),
        ({"balance": "degree_cut", "cut": 1.5}, "cut is 1.5; expected an integer"),
        ({"cut": 8}, r"cut is 8 and balance is 'auto'.*Use balance=\"degree_cut\""),
        ({"balance": "warp", "cut": 8}, "cut is 8 and balance is 'warp'"),
    ],
)
@pytest.mark.parametrize("name", SEARCHES)
def test_what_cannot_be_asked_for(name, given, said):
    for device in ("emulated", "cpu"):
        with pytest.raises(clew.GraphError, match=said):
            getattr(clew, name)(shape("path"), 0, device=device, **given)


@pytest.mark.parametrize("device", ["cpu", "auto"])
@pytest.mark.parametrize("name", SEARCHES)
def test_the_cpu_refuses_all_but_auto(name, device):
    search = getattr(clew, name)
    search(shape("path"), 0, balance="auto", device=device)
    with pytest.raises(
        clew.GraphError, match=r"'degree_cut', which applies to GPUs only.*Use device=\"cuda\""
    ) as caught:
        search(shape("path"), 0, balance="degree_cut", device=device)
    assert "--balance" in caught.value.on_command_line()


def test_the_plan_tells_it():
    graph = shape("kronecker")
    for name in SEARCHES:
        plan = clew.explain(graph, name, "emulated", balance="degree_cut", cut=8)
        told = {choice.what: choice for choice in plan.choices}
        assert told["load balance"].chosen == "degree_cut"
        assert "at most 8 edges" in told["load balance"].why
        assert any(share.what == "pieces" for share in plan.memory)
        plan.run()
