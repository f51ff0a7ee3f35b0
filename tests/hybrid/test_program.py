"""Vertex programs whose state stays on the CPU: the same results and iterations as the CPU's engine has."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import clew
from clew.engines.choice import gpu_for
from clew.engines.cuda.operators import ltoir
from clew.engines.cuda.row_product import RowProduct
from clew.engines.cuda.vertices import functions_of
from clew.engines.hybrid import plans
from clew.engines.hybrid.pipeline import Pipeline, Settings
from clew.engines.hybrid.program import is_order_free, run_program
from clew.errors import OperatorError, ResourceError
from clew.program import _mask, _state
from examples.vertex_programs import BreadthFirst, Components, LabelPropagation, PageRank, ShortestPaths
from tests.cuda.test_program import Weighing as WeighingOnGpu


def run(program, graph, how):
    initial, active = program.start(graph)
    state = _state(program, initial, graph.num_vertices)
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
    product = RowProduct(gpu_for("emulated", 0), Weighing(), clew.monoids.plus, GRAPH)
    assert product.fields == ("light",)  # the rest of the state never leaves the CPU
    pytest.importorskip("numba_cuda")
    compiled = functions_of(Weighing(), np.dtype("float64")).operators
    with pytest.raises(OperatorError, match="apply"):
        ltoir("clew_apply", compiled["clew_apply"], "sm_90")
    for name, operator in product.made_of[1].items():
        assert ltoir(name, operator, "sm_90")


def test_few_active_vertices_for_long_are_left_to_the_cpu():
    graph = clew.generate.random_weights(clew.generate.path(2000), 1, 9, 1, "float64")
    done = check(BreadthFirst(0), graph, Settings(patience=8))
    assert done.trace["edges_gpu"].sum() == 0
    assert {"edges", "edges_cpu", "seconds_gpu", "form"} <= set(done.trace.columns)


def test_the_public_function():
    found = clew.run(ShortestPaths(1), GRAPH, device="hybrid-emulated")
    np.testing.assert_array_equal(found.distance, clew.sssp(GRAPH, 1, device="cpu").distance)
    for vertices in (0, 1):
        empty = clew.Graph.from_edges([], [], num_vertices=vertices)
        assert clew.run(Components(), empty, device="hybrid-emulated").label.tolist() == [0][:vertices]
    with pytest.raises(OperatorError, match=r'sees all messages of a vertex at once.*Use device="cpu"'):
        clew.run(LabelPropagation(), GRAPH, device="hybrid-emulated")


def test_the_cpu_alone_is_tried_and_taken_where_it_is_faster():
    graph = clew.generate.rmat(8, 8, seed=2)  # of its own: what was faster is remembered for a graph
    expected = clew.run(BreadthFirst(1), graph, device="cpu")
    for _ in range(6):
        found = clew.run(BreadthFirst(1), graph, device="hybrid-emulated")
        np.testing.assert_array_equal(found.depth, expected.depth)
        assert {"active", "edges", "edges_cpu", "bytes_up", "seconds_gpu", "form"} <= set(found.trace.columns)
        np.testing.assert_array_equal(found.trace["active"], expected.trace["active"])
    known = plans.measured("examples.vertex_programs.BreadthFirst", graph, gpu_for("emulated", 0))
    assert set(known) == {plans.CPU, plans.SPLIT}
    assert max(known.values()) < np.inf
    assert not is_order_free(PageRank())  # whose sums must not depend on who was faster


def test_memory_that_runs_out_midway_is_told(monkeypatch):
    graph = clew.generate.rmat(8, 8, seed=3)

    def fail(*_, **__):
        raise ResourceError("nothing is left")

    monkeypatch.setattr(Pipeline, "step", fail)
    with pytest.raises(ResourceError, match="nothing is left"):  # the state is not what it was: nobody goes on with it
        clew.run(BreadthFirst(1), graph, device="hybrid-emulated")
    monkeypatch.undo()
    np.testing.assert_array_equal(
        clew.run(BreadthFirst(1), graph, device="hybrid-emulated").depth,
        clew.run(BreadthFirst(1), graph, device="cpu").depth,
    )


CODE = """
import clew
from clew.engines.hybrid import plans
plans.ORDER = (plans.SPLIT,)  # either side alone has tests of its own
graph = clew.generate.rmat(8, 8, seed=1)
print("ready", flush=True)
clew.pagerank(graph, tolerance=0, max_iterations=10**9, device="hybrid-emulated")
"""


def test_control_c_between_iterations():
    with subprocess.Popen(
        [sys.executable, "-c", CODE], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "ready\n"
        try:
            for _ in range(20):  # one that comes while an array is freed is lost, as everywhere in Python
                time.sleep(2)
                process.send_signal(signal.SIGINT)
                if process.poll() is not None:
                    break
            _, errors = process.communicate(timeout=20)
        finally:
            process.kill()
    assert process.returncode == -signal.SIGINT
    assert "KeyboardInterrupt" in errors
