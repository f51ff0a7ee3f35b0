"""Which way hybrid takes: each is tried, the fastest is kept, and asking costs next to nothing."""

from __future__ import annotations

import sys
import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import numpy as np
import pytest

import clew
from clew.engines.choice import gpu_for
from clew.engines.cuda import rows
from clew.engines.cuda.rows import forget_all, rows_on
from clew.engines.hybrid import plans
from clew.engines.hybrid.plans import CPU, GPU, SPLIT, ZERO_COPY, fastest, give_up, measured, next_try, one_sided, only
from clew.errors import GraphError, OperatorError, ResourceError
from clew.memory import current
from clew.result import Trace
from tests.on_gpu import emulation_only


@pytest.fixture
def graph():
    yield clew.generate.kronecker(6, seed=1)
    forget_all()


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    """A clock that only waiting moves: who else has the cores makes no difference."""
    now = [0.0]
    monkeypatch.setattr(plans, "time", SimpleNamespace(perf_counter=lambda: now[0]))
    return now


def ways_that_take(graph, device, taken, seconds, clock):
    """Ways that only wait; the GPU's for other times where edges are left on the host."""

    def way(name):
        def run():
            there = ZERO_COPY if name == GPU and current().edges == "zero_copy" else name
            if name == GPU:
                rows_on(device, graph.outgoing, weights=False)
            taken.append(there)
            clock[0] += seconds[there]
            return there

        return run

    return {name: way(name) for name in (SPLIT, GPU, CPU)}


@pytest.mark.parametrize("best", [GPU, ZERO_COPY, CPU, SPLIT])
def test_the_fastest_of_all_is_taken(graph, best, clock):
    device, taken = gpu_for("emulated", 0), []
    seconds = {GPU: 0.03, ZERO_COPY: 0.03, CPU: 0.03, SPLIT: 0.03, best: 0.005}
    ways = ways_that_take(graph, device, taken, seconds, clock)
    with clew.memory("auto", graph.num_arcs * 4 // 8):
        for _ in range(11):
            assert fastest("waiting", graph, device, ways) == taken[-1]
        known = measured("waiting", graph, device)
    assert taken[:8] == [GPU, GPU, ZERO_COPY, ZERO_COPY, CPU, CPU, SPLIT, SPLIT]
    assert set(taken[8:]) == {best}
    assert min(known, key=known.get) == best


@emulation_only  # whose pages are small enough to have half of these edges
def test_what_cannot_win_is_not_tried_again(graph, clock):
    device, taken = gpu_for("emulated", 0), []
    other = clew.generate.kronecker(6, seed=2)
    for each, first in ((graph, [GPU, GPU, CPU, CPU, SPLIT, SPLIT]), (other, [GPU, GPU, CPU, SPLIT])):
        # The first run of all may have to compile, so it is not to be judged by.
        ways = ways_that_take(each, device, taken, {GPU: 0.001, ZERO_COPY: 0.0, CPU: 0.1, SPLIT: 0.1}, clock)
        with clew.memory("auto", each.num_arcs * 4 // 2):  # half of the edges are fast
            for _ in range(len(first) + 2):
                fastest("hopeless", each, device, ways)
        assert taken == [*first, GPU, GPU]
        taken.clear()


def test_what_is_given_up_is_not_tried(graph, clock):
    device, taken = gpu_for("emulated", 0), []
    ways = ways_that_take(graph, device, taken, {GPU: 0.001, ZERO_COPY: 0.0, CPU: 0.0, SPLIT: 0.0}, clock)
    of = ("given up", graph, device)
    with clew.memory("auto", graph.num_arcs * 4 // 2):
        give_up(*of, SPLIT)  # nothing is known yet, so this says nothing
        assert next_try(*of) is None
        fastest(*of, ways)
        assert next_try(*of) == GPU
        give_up(*of, SPLIT)
        while next_try(*of) is not None:
            fastest(*of, ways)
        assert measured(*of)[SPLIT] == float("inf")
    assert SPLIT not in taken
    assert CPU in taken


def failing(error, taken, name):
    def run():
        taken.append(name)
        raise error

    return run


def test_who_cannot_leaves_it_to_the_next(graph, clock):
    device, taken = gpu_for("emulated", 0), []
    ways = ways_that_take(graph, device, taken, {CPU: 0, SPLIT: 0}, clock)
    ways[GPU] = failing(OperatorError("not for a GPU"), taken, GPU)
    for _ in range(5):
        fastest("unfit", graph, device, ways)
    assert taken[:5] == [GPU, CPU, CPU, SPLIT, SPLIT]
    assert taken.count(GPU) == 1
    taken.clear()
    ways = {way: failing(ResourceError(f"no room for {way}"), taken, way) for way in (GPU, SPLIT, CPU)}
    with pytest.raises(ResourceError, match="no room for split"):
        fastest("large", graph, device, ways)
    assert taken == [GPU, GPU, CPU, SPLIT]  # the second time with all edges on the host
    ways[CPU] = failing(OperatorError("not for a CPU"), taken, CPU)
    with pytest.raises(OperatorError, match="not for a CPU"):
        fastest("broken", graph, device, ways)


def test_options_may_leave_out_a_way(graph, clock):
    """One that was taken before, or is the fastest, and one that was not there at first."""
    device, taken = gpu_for("emulated", 0), []
    ways = ways_that_take(graph, device, taken, {GPU: 0.04, ZERO_COPY: 0.04, CPU: 0.04, SPLIT: 0.02}, clock)
    fewer = {way: ways[way] for way in (GPU, CPU)}
    fastest("some", graph, device, fewer)
    for _ in range(12):
        fastest("some", graph, device, ways)
    assert fastest("some", graph, device, ways) == SPLIT
    assert fastest("some", graph, device, fewer) in fewer
    graph = clew.generate.random_weights(graph, 1, 9, seed=1)
    for options in ({}, {"deterministic": True}) * 8:
        clew.sssp(graph, 0, device="hybrid-emulated", **options)
    for options in ({}, {"weighted": True}) * 8:
        clew.pagerank(graph, device="hybrid-emulated", max_iterations=2, tolerance=0, **options)


def test_threads_may_ask_at_once(graph):
    device, ways = gpu_for("emulated", 0), {way: (lambda way=way: way) for way in (GPU, CPU, SPLIT)}
    fewer = {way: ways[way] for way in (GPU, CPU)}
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as pool:
            for name in range(60):  # each begins with nothing known
                asked = [(name, graph, device, ways if k % 2 else fewer) for k in range(16)]
                for found in pool.map(lambda given: fastest(*given), asked):
                    assert found in ways
    finally:
        sys.setswitchinterval(before)


def test_one_way_only(graph, clock):
    device, taken = gpu_for("emulated", 0), []
    ways = ways_that_take(graph, device, taken, dict.fromkeys((GPU, ZERO_COPY, CPU, SPLIT), 0), clock)
    for way in plans.ORDER:
        with only(way):
            assert fastest("chosen", graph, device, ways) == way
    with only(SPLIT):
        assert fastest("chosen", graph, device, {CPU: ways[CPU]}) == CPU  # there is nothing else
    with pytest.raises(GraphError, match="'both'; expected one of 'gpu'"), only("both"):
        pass


@emulation_only  # where nothing else has the cores
def test_bad_luck_is_made_good(graph, clock):
    """The CPU is disturbed in all of its tries, and takes little longer than both: later it is found to be faster."""
    device, taken, seconds = gpu_for("emulated", 0), [], {CPU: 0.022, SPLIT: 0.02}
    ways = ways_that_take(graph, device, taken, seconds, clock)
    del ways[GPU]
    for _ in range(5):
        fastest("unlucky", graph, device, ways)
    assert taken == [CPU, CPU, SPLIT, SPLIT, CPU]
    assert plans.is_settled("unlucky", graph, device)
    seconds[CPU] = 0.01
    for _ in range(plans.AGAIN + 3):
        fastest("unlucky", graph, device, ways)
    assert taken[5:] == [SPLIT] * plans.AGAIN + [CPU] * 3


@pytest.mark.usefixtures("short_runs")
def test_short_runs_have_more_tries(graph, clock):
    """They vary by several times: a CPU that is disturbed in its first is found to be the faster one."""
    device, taken, seconds = gpu_for("emulated", 0), [], {CPU: 0.008, SPLIT: 0.002}
    ways = ways_that_take(graph, device, taken, seconds, clock)
    del ways[GPU]
    for k in range(plans.MORE_TRIES * 2 + 2):
        seconds[CPU] = 0.008 if k < plans.TRIES else 0.0005
        fastest("short", graph, device, ways)
    assert taken[:-2] == [CPU] * plans.MORE_TRIES + [SPLIT] * plans.MORE_TRIES
    assert taken[-2:] == [CPU, CPU]


def test_luck_is_forgotten():
    record = plans._Record()
    record.seconds.extend([0.1, 0.5, 0.5, 0.5])
    assert record.best == 0.5


def test_asking_costs_microseconds(graph, clock):
    device = gpu_for("emulated", 0)
    ways = {CPU: lambda: 1}
    fastest("nothing", graph, device, ways)
    best = float("inf")
    for _ in range(200):
        start = time.perf_counter()
        fastest("nothing", graph, device, ways)
        best = min(best, time.perf_counter() - start)
    assert best < 100e-6


def test_one_side_has_the_time_of_the_run():
    columns = {"frontier": np.array([1, 2]), "edges": np.array([3, 4]), "bytes": np.array([12, 16])}
    trace = one_sided(Trace({**columns, "seconds": np.array([0.5, 0.25])}), GPU)
    assert trace["seconds_gpu"].tolist() == [0.5, 0.25]
    assert trace["seconds_cpu"].tolist() == trace["edges_cpu"].tolist() == [0, 0]
    assert "bytes" not in trace.columns


@emulation_only
def test_edges_are_not_moved_again_and_again_for_a_way_that_is_close(graph, clock, monkeypatch):
    device, taken, puts = gpu_for("emulated", 0), [], []
    ways = ways_that_take(graph, device, taken, {GPU: 0.02, ZERO_COPY: 0.022, CPU: 0.5, SPLIT: 0.5}, clock)
    plain = rows._put
    monkeypatch.setattr(rows, "_put", lambda *given: puts.append(given) or plain(*given))
    with clew.memory("auto", graph.num_arcs * 4 // 8):
        for _ in range(8 * plans.AGAIN):
            fastest("close", graph, device, ways)
    assert len(puts) <= 5
