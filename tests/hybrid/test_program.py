"""Vertex programs whose state stays on the CPU: the same results and iterations as the CPU's engine has."""

from __future__ import annotations

import gc
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import clew
from clew.engines.choice import gpu_for
from clew.engines.cuda.balance.symmetric_rows import directions_on
from clew.engines.cuda.memory.ledger import forget_all
from clew.engines.cuda.program import program as cuda
from clew.engines.cuda.program.functions import functions_of
from clew.engines.cuda.toolchain.compiler import ltoir
from clew.engines.hybrid import exchange, program
from clew.engines.hybrid.pipeline import Rates, Settings
from clew.engines.hybrid.program import CPU, GPU, PIPELINE, run_hybrid, run_program
from clew.engines.hybrid.row_product import RowProduct
from clew.errors import OperatorError, ResourceError
from clew.program import _mask, _state
from examples.vertex_programs import BreadthFirst, Components, LabelPropagation, PageRank, ShortestPaths
from tests.cuda.test_program import Weighing as WeighingOnGpu
from tests.interrupting import interrupt
from tests.on_gpu import emulation_only


def run(program, graph, how):
    initial, active = program.start(graph)
    state = _state(program, initial, np.arange(graph.num_vertices))
    chosen = _mask(active, graph.num_vertices)
    return state, run_program(gpu_for("emulated", 0), program, graph, state, chosen, how)


def check(program, graph, how, rtol=0.0):
    state, done = run(program, graph, how)
    expected = clew.run(program, graph, device="cpu")
    for name, values in expected.values.items():
        np.testing.assert_allclose(state[name], values, rtol=rtol, err_msg=name)
    assert (done.iterations, done.converged) == (expected.iterations, expected.converged)
    for column in {"active", "direction", "changed"} & expected.trace.columns.keys():
        np.testing.assert_array_equal(done.trace[column], expected.trace[column])
    assert (done.trace["seconds"] > 0).all()
    return done


def graph_of_its_own(seed):
    """What was faster is remembered for a graph."""
    return clew.generate.random_weights(clew.generate.rmat(8, 8, seed=seed), 1, 9, 1, "float64")


GRAPH = clew.generate.random_weights(clew.generate.rmat(9, 8, seed=1), 1, 9, 1, "float64")
WAYS = [Settings(), Settings(None, 0), Settings(None, 200), Settings("sparse", 128), Settings("bitmap", 0)]


@pytest.mark.parametrize("how", WAYS, ids=str)
def test_examples(how):
    check(BreadthFirst(3), GRAPH, how)
    check(ShortestPaths(3), GRAPH, how)
    check(PageRank(), GRAPH.symmetrized(), how, rtol=1e-9)


def test_both_directions():
    check(Components(), GRAPH, Settings(None, 200))


class Weighing(WeighingOnGpu):
    """What apply does with lists is nothing for a GPU."""

    @staticmethod
    def apply(total, vertex):
        vertex.seen += 1
        vertex.light = np.searchsorted(np.array([1.0, 2.0]), total) < 2
        vertex.mass = vertex.mass / 2 + total
        return vertex.seen < 3 or vertex.light


def test_a_program_whose_apply_no_gpu_can_run():
    for how in (Settings(), Settings(None, 320)):
        check(Weighing(), GRAPH, how, rtol=1e-12)
    device = gpu_for("emulated", 0)
    rows = directions_on(device, GRAPH, Weighing.direction, weights=True)
    product = RowProduct(device, Weighing(), clew.monoids.plus, rows)
    assert product.fields == ("light",)  # the rest of the state never leaves the CPU
    pytest.importorskip("numba_cuda")
    compiled = functions_of(Weighing(), np.dtype("float64"), clew.monoids.plus).operators
    with pytest.raises(OperatorError, match="apply"):
        ltoir("clew_apply", compiled["clew_apply"], "sm_90")
    for name, operator in product.operators.items():
        assert ltoir(name, operator, "sm_90")


def test_few_active_vertices_for_long_are_left_to_the_cpu():
    graph = clew.generate.random_weights(clew.generate.path(2000), 1, 9, 1, "float64")
    done = check(BreadthFirst(0), graph, Settings(patience=8))
    assert done.trace["edges_gpu"].sum() == 0
    assert {"edges", "edges_cpu", "seconds_gpu", "form"} <= set(done.trace.columns)


@pytest.mark.quick
def test_the_public_function():
    found = clew.run(ShortestPaths(1), GRAPH, device="hybrid-emulated")
    np.testing.assert_array_equal(found.distance, clew.sssp(GRAPH, 1, device="cpu").distance)
    assert set(found.trace["form"]) == {"gpu"}  # where a program compiles for the GPU and fits
    for vertices in (0, 1):
        empty = clew.Graph.from_edges([], [], num_vertices=vertices)
        assert clew.run(Components(), empty, device="hybrid-emulated").label.tolist() == [0][:vertices]
    with pytest.raises(OperatorError, match=r'sees all messages of a vertex at once.*Use device="cpu"'):
        clew.run(LabelPropagation(), GRAPH, device="hybrid-emulated")


def dispatched(program, graph, *order):
    """By the engines given, the first that can."""
    initial, active = program.start(graph)
    state, chosen = _state(program, initial, np.arange(graph.num_vertices)), _mask(active, graph.num_vertices)
    return run_hybrid(gpu_for("emulated", 0), program, graph, state, chosen, order=order)


@pytest.mark.parametrize("engine", [GPU, PIPELINE, CPU])
def test_every_engine_gives_the_same(engine):
    expected = clew.run(BreadthFirst(1), GRAPH, device="cpu")
    with clew.memory("auto", GRAPH.num_arcs // 2):  # an eighth of the edges are in the GPU's memory
        done, values = dispatched(BreadthFirst(1), GRAPH, engine)
    np.testing.assert_array_equal(values["depth"], expected.depth)
    columns = {"active", "edges", "direction", "edges_cpu", "bytes_up", "seconds", "seconds_gpu", "form"}
    assert columns <= set(done.trace.columns)
    np.testing.assert_array_equal(done.trace["active"], expected.trace["active"])
    assert (set(done.trace["form"]) == {engine}) == (engine != PIPELINE)


def test_one_side_has_the_time_of_the_run():
    done, _ = dispatched(BreadthFirst(1), GRAPH, GPU)
    np.testing.assert_array_equal(done.trace["seconds_gpu"], done.trace["seconds"])
    np.testing.assert_array_equal(done.trace["edges_gpu"], done.trace["edges"])
    assert not done.trace["seconds_cpu"].any()
    assert not done.trace["edges_cpu"].any()
    assert "bytes" not in done.trace.columns


def test_sums_are_those_of_who_is_asked():
    graph = GRAPH.symmetrized()
    found = clew.run(PageRank(), graph, device="hybrid-emulated")
    np.testing.assert_array_equal(found.rank, clew.run(PageRank(), graph, device="emulated").rank)
    assert {"active", "changed", "edges_gpu", "form"} <= set(found.trace.columns)
    done, values = dispatched(PageRank(), graph, PIPELINE)
    np.testing.assert_array_equal(values["rank"], run(PageRank(), graph, Settings())[0]["rank"])
    assert done.trace["bytes_up"].min() > 0


@pytest.mark.parametrize("cuts", [(1, 0, 1), (1, 1, 0), (0, 1, 0)])
def test_wherever_the_cut_moves(cuts, monkeypatch):
    graph = clew.generate.random_weights(clew.generate.rmat(7, 8, seed=2), 1, 9, 1, "float64")  # one block of rows
    wanted = iter(cuts * 20)
    monkeypatch.setattr(Rates, "cut", lambda *_: next(wanted))
    done = check(ShortestPaths(1), graph, Settings(tiny=0))
    sides = [done.trace[f"edges_{side}"].any() for side in ("cpu", "gpu")]
    assert all(sides)


def test_memory_is_given_back_by_finalizers_that_run_anywhere():
    with exchange._lock:  # by the same thread
        exchange._give_back((0, 64), np.zeros(64, np.uint8))
    assert (0, 64) not in exchange._free


def test_what_does_not_compile_for_a_gpu_is_left_to_the_pipeline(monkeypatch):
    asked = []

    def refuse(*_):
        asked.append(1)
        raise OperatorError("apply cannot be compiled")

    monkeypatch.setattr(cuda, "_kernel", refuse)

    class Own(Weighing):
        pass

    for seed in (4, 5):
        graph = graph_of_its_own(seed)
        expected = clew.run(Own(), graph, device="cpu")
        for _ in range(2):
            found = clew.run(Own(), graph, device="hybrid-emulated")
            np.testing.assert_allclose(found.mass, expected.mass, rtol=1e-12)
            assert found.trace["form"][0] == "dense/bitmap"
    assert len(asked) == 1  # not for every graph
    refused = len(program._refused)
    del Own
    gc.collect()
    assert len(program._refused) == refused - 1


class Misspelt(BreadthFirst):
    @staticmethod
    def apply(total, vertex):
        vertex.dephts = total
        return True


def test_what_compiles_for_nobody_is_told():
    with pytest.raises(OperatorError, match="dephts"):
        clew.run(Misspelt(1), GRAPH, device="hybrid-emulated")


@pytest.mark.parametrize("engine", [GPU, PIPELINE])
def test_whose_memory_runs_out_midway_leaves_the_state_as_it_was(monkeypatch, engine):
    graph = graph_of_its_own(3)
    module = cuda if engine == GPU else program
    whole = module.run_program

    def fail(*args):
        whole(*args)
        raise ResourceError("nothing is left")

    monkeypatch.setattr(module, "run_program", fail)
    done, values = dispatched(BreadthFirst(1), graph, engine, CPU)
    expected = clew.run(BreadthFirst(1), graph, device="cpu")
    np.testing.assert_array_equal(values["depth"], expected.depth)
    assert done.iterations == expected.iterations > 1  # from a state that was changed already it is one
    assert set(done.trace["form"]) == {CPU}


@emulation_only
@pytest.mark.parametrize("room", [500, 3000])  # for half of the state; for all of it, but no messages
def test_state_that_does_not_fit(monkeypatch, room):
    graph, device = graph_of_its_own(6), gpu_for("emulated", 0)
    forget_all()
    monkeypatch.setattr(device.memory, "capacity", device.memory.live_bytes + room)
    found = clew.run(BreadthFirst(1), graph, device="hybrid-emulated")
    np.testing.assert_array_equal(found.depth, clew.run(BreadthFirst(1), graph, device="cpu").depth)
    assert set(found.trace["form"]) == {CPU}


def test_a_state_that_the_gpu_has_no_room_for_stays_on_the_cpu(monkeypatch):
    graph = graph_of_its_own(7)

    def too_large(*_):
        raise ResourceError("the state does not fit")

    monkeypatch.setattr(cuda, "run_program", too_large)
    found = clew.run(Weighing(), graph, device="hybrid-emulated")
    np.testing.assert_allclose(found.mass, clew.run(Weighing(), graph, device="cpu").mass, rtol=1e-12)
    assert found.trace["edges_gpu"].sum() > 0  # the pipeline has one of three fields there


CODE = """
import clew
import numpy as np
from clew.engines.choice import gpu_for
from clew.engines.hybrid.program import run_program
from clew.program import _mask, _state
from examples.vertex_programs import PageRank
class Endless(PageRank):
    max_iterations = 10**9
    @staticmethod
    def apply(total, vertex):
        vertex.rank = vertex.base + total
        return True
graph = clew.generate.rmat(8, 8, seed=1)
initial, active = Endless().start(graph)
state = _state(Endless(), initial, np.arange(graph.num_vertices))
print("ready", flush=True)
run_program(gpu_for("emulated", 0), Endless(), graph, state, _mask(active, graph.num_vertices))
"""


@emulation_only  # in a process of its own
def test_control_c_between_iterations():
    with subprocess.Popen(
        [sys.executable, "-c", CODE], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "ready\n"
        time.sleep(2)
        _, errors = interrupt(process)
    assert process.returncode == -signal.SIGINT
    assert "KeyboardInterrupt" in errors
