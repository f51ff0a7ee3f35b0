"""What can go wrong with a GPU gives a clew error, leaves nothing behind, and the next try is right."""

from __future__ import annotations

import contextlib
import functools
import gc
import importlib
import sys
import weakref
from types import SimpleNamespace

import numpy as np
import pytest

import clew
from clew.algorithms.registry import ALGORITHMS
from clew.engines import choice, survey
from clew.engines.choice import gpu_for
from clew.engines.cuda.memory.ledger import forget_all
from clew.engines.cuda.toolchain import cuda_device, failures
from clew.errors import ClewError, DeviceError, MissingDependencyError, ResourceError
from examples.vertex_programs import Components
from tests.on_gpu import emulation_only

pytestmark = pytest.mark.usefixtures("small_heap")

GRAPH = clew.generate.random_weights(clew.generate.rmat(6, 5, seed=2).symmetrized(), 1, 9, seed=1)
ON_GPU = [
    "bfs",
    "sssp",
    "sswp",
    "bellman_ford",
    "all_pairs",
    "pagerank",
    "connected_components",
    "triangles",
    "clustering_coefficient",
    "label_propagation",
    "betweenness",
    "k_core",
    "coloring",
    "maximal_independent_set",
    "minimum_spanning_forest",
    "k_truss",
    "strongly_connected_components",
    "condensation",
    "similarity",
    "most_similar",
    "multi_source_bfs",
    "triadic_census",
    "bridges",
    "articulation_points",
    "biconnected_components",
    "edge_betweenness",
    "minimum_cut",
]


#: Algorithms that read packed edges on a GPU.
PACKED = (
    "pagerank",
    "bfs",
    "sssp",
    "sswp",
    "bellman_ford",
    "connected_components",
    "k_core",
    "label_propagation",
    "coloring",
    "maximal_independent_set",
    "triangles",
    "clustering_coefficient",
    "multi_source_bfs",
    "program",
)


def function_of(name):
    """The algorithm of this name, or a vertex program."""
    if name == "minimum_cut":
        return functools.partial(clew.minimum_cut, source=0, sink=GRAPH.num_vertices - 1)
    return functools.partial(clew.run, Components()) if name == "program" else ALGORITHMS[name].function


@emulation_only
@pytest.mark.parametrize(("name", "packed"), [*((name, False) for name in ON_GPU), *((name, True) for name in PACKED)])
def test_every_allocation_may_fail(name, packed):
    function = function_of(name)
    device = gpu_for("emulated", 0)
    expected = function(GRAPH, device="cpu")

    def run():
        with clew.memory(edges="device", packed=packed):  # "auto" would try again
            return function(GRAPH, device="emulated")

    forget_all()
    gc.collect()
    before = device.memory.live_allocations
    failures_met = 0
    for k in range(1, 500):
        device.memory.fail_at(k)
        found, said = None, ""
        try:
            found = run()
        except ResourceError as error:
            said = str(error)
        finally:
            device.memory.fail_at(None)
        if found is not None:
            break
        failures_met += 1
        assert "bytes" in said
        assert 'device="cpu"' in said
        forget_all()
        if device.memory.live_allocations != before:  # a cycle may hold some
            gc.collect()
        assert device.memory.live_allocations == before, f"memory is left after failure {k}"
    assert failures_met >= 3
    for value, array in expected.values.items():
        if value != "parent" and array.dtype.kind != "f":
            assert np.array_equal(found.numpy().values[value], array)
    again = run()
    for value, array in found.values.items():
        if value != "parent":
            assert np.array_equal(again.values[value], array)


def cuda_error(text, module="cupy_backends.cuda.api.runtime"):
    return type("CUDARuntimeError", (RuntimeError,), {"__module__": module})(text)


@pytest.mark.quick
@pytest.mark.parametrize(
    ("error", "kind", "said"),
    [
        (cuda_error("cudaErrorLaunchTimeout: the launch timed out and was terminated"), DeviceError, "timed out"),
        (cuda_error("cudaErrorNoKernelImageForDevice"), DeviceError, "NoKernelImage"),
        (cuda_error("CUDA_ERROR_DEVICE_UNAVAILABLE", "cuda.core._utils"), DeviceError, "UNAVAILABLE"),
        (cuda_error("cudaErrorMemoryAllocation: out of memory"), ResourceError, "bytes"),
        (MemoryError("out of memory"), ResourceError, "bytes"),
    ],
)
def test_errors_of_the_libraries_become_sentences(error, kind, said):
    with pytest.raises(kind, match=said) as caught, failures.clean("a kernel failed", 1 << 20):
        raise error
    assert 'device="cpu"' in str(caught.value)


def test_what_failed_lets_go_of_its_arrays_at_once():
    """Whoever tries again with less cannot wait for the collector of cycles: the memory would still be taken."""
    held = []

    def fail():
        array = np.empty(1)
        held.append(weakref.ref(array))
        with failures.clean("no room"):
            raise MemoryError(array.size)

    gc.disable()
    try:
        with contextlib.suppress(ResourceError):
            fail()
        assert held[0]() is None
    finally:
        gc.enable()


def test_other_errors_pass_through():
    with pytest.raises(ZeroDivisionError), failures.clean("a kernel failed"):
        raise ZeroDivisionError
    with pytest.raises(KeyboardInterrupt), failures.clean("a kernel failed"):
        raise KeyboardInterrupt
    with pytest.raises(ClewError, match="as it was"), failures.clean("a kernel failed"):
        raise ClewError("as it was")


@pytest.mark.quick
@pytest.mark.skipif(failures.reason_unavailable() is None, reason="there is a GPU")
def test_without_a_gpu():
    graph = clew.generate.path(4)
    with pytest.raises((DeviceError, MissingDependencyError), match=r"cuda|GPU|driver"):
        clew.bfs(graph, 0, device="cuda")
    assert clew.bfs(graph, 0, device="auto").depth.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("cudaErrorInsufficientDriver: driver is insufficient", "too old"),
        ("cudaErrorNoDevice: no CUDA-capable device is detected", "no NVIDIA GPU"),
        ("cudaErrorSystemNotReady", "does not respond: cudaErrorSystemNotReady"),
    ],
)
def test_drivers_and_devices_that_are_not_there(said, expected):
    assert expected in failures._driver_problem(cuda_error(said))


def test_the_way_out_without_a_gpu(monkeypatch):
    monkeypatch.setattr(failures, "reason_unavailable", lambda: failures.NO_GPU)
    with pytest.raises(DeviceError, match=r'no NVIDIA GPU on this machine\. Use the CPU .*device="cpu"') as caught:
        failures.check_available()
    told = caught.value.on_command_line()
    assert "--device cpu" in told
    assert "device=" not in told


def test_a_kernel_that_cannot_be_started():
    def fail(*_):
        raise cuda_error("CUDA_ERROR_LAUNCH_FAILED", "cuda.core._utils")

    device = object.__new__(cuda_device.CudaDevice)
    stream, device.watch = SimpleNamespace(ptr=7), None
    device._current, device._streams, device._start = (lambda: stream), {7: stream}, fail
    kernel = cuda_device.CudaKernel("bfs", None)
    with pytest.raises(DeviceError, match="the kernel bfs cannot be started: CUDA_ERROR_LAUNCH_FAILED"):
        device.start(kernel, (1, 32, 0, False, 1), ())


@pytest.fixture
def auto(monkeypatch):
    """Every graph is large enough for the GPU that seems to be there, whose place the emulation takes."""
    monkeypatch.delenv("CLEW_DEVICE", raising=False)
    monkeypatch.setattr(failures, "reason_unavailable", lambda: None)
    monkeypatch.setattr(failures, "_lost", None)
    device = gpu_for("emulated", 0)
    monkeypatch.setattr(cuda_device, "the_device", lambda: device)
    for module in (choice, importlib.import_module("clew.plan.where")):  # clew.plan.where is a function, too
        monkeypatch.setattr(module, "WORTH_A_GPU", 0)
    choice._why_not_at_first.cache_clear()
    yield monkeypatch
    choice._why_not_at_first.cache_clear()


def planned_and_found():
    """What "auto" finds on a small graph, and what the plan says about the engine."""
    graph = clew.generate.path(4)
    (engine, *_) = clew.explain(graph, "bfs", "auto").choices
    return clew.bfs(graph, 0, device="auto").numpy().depth.tolist(), engine.chosen, engine.why


class OldDevice:
    """What cuda.core says about a GPU of 2017."""

    arch, properties = "70", SimpleNamespace(multiprocessor_count=80)

    def __init__(self, ordinal):
        pass

    def set_current(self):
        pass


class BusyDevice(OldDevice):
    def set_current(self):
        raise cuda_error("CUDA_ERROR_DEVICE_UNAVAILABLE", "cuda.core._utils")


class NoDevice(OldDevice):
    def __init__(self, ordinal):
        raise cuda_error("CUDA_ERROR_NOT_INITIALIZED", "cuda.core._utils")


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (OldDevice, "this GPU is of generation sm_70; clew's kernels need sm_75"),
        (BusyDevice, "the GPU cannot be used: CUDA_ERROR_DEVICE_UNAVAILABLE"),
        (NoDevice, "the GPU cannot be used: CUDA_ERROR_NOT_INITIALIZED"),
    ],
)
def test_a_gpu_that_cannot_be_used_leaves_auto_to_the_cpu(auto, kind, said):
    core = pytest.importorskip("cuda.core")
    asked = []
    auto.setattr(core, "Device", lambda ordinal: (asked.append(1), kind(ordinal))[1])
    auto.setattr(cuda_device, "find_cupy", lambda: SimpleNamespace(cuda=SimpleNamespace(Device=gpu_that_is_used)))
    auto.setattr(cuda_device, "the_device", cuda_device.CudaDevice)
    depths, engine, why = planned_and_found()
    assert (depths, engine) == ([0, 1, 2, 3], "cpu")
    assert said in why
    assert clew.pagerank(clew.generate.path(4), device="auto").rank.size == 4
    assert len(asked) == 1
    assert said in survey.graphics()
    assert not any(tier.kind == "device" for tier in clew.tiers.tiers())
    with pytest.raises(DeviceError, match=said) as caught:
        clew.bfs(clew.generate.path(4), 0, device="cuda")
    assert 'device="cpu"' in str(caught.value)


def gpu_that_is_used(_):
    return SimpleNamespace(use=lambda: None)


@emulation_only  # a real GPU needs the CuPy whose place something else takes here
def test_a_gpu_that_failed_for_good_is_not_used_again(auto):
    assert on_auto() == ([0, 1, 2, 3], True)
    answers = [(1, 2)]

    def mem_get_info():
        if not answers:
            raise cuda_error("cudaErrorIllegalAddress")
        return answers[0]

    cupy = SimpleNamespace(cuda=SimpleNamespace(runtime=SimpleNamespace(memGetInfo=mem_get_info)))
    auto.setitem(sys.modules, "cupy", cupy)
    for after in (True, False):
        with pytest.raises(DeviceError), failures.clean("a kernel failed"):
            raise cuda_error("cudaErrorIllegalAddress")
        assert on_auto() == ([0, 1, 2, 3], after)
        answers.clear()
        assert on_auto() == ([0, 1, 2, 3], after)
    _, engine, why = planned_and_found()
    assert engine == "cpu"
    assert "the GPU failed earlier in this process (a kernel failed: cudaErrorIllegalAddress)" in why
    assert gpu_for("cuda", 0) is gpu_for("emulated", 0)  # who insists on it gets it


def on_auto():
    """What "auto" finds, and whether on the GPU."""
    graph = clew.generate.path(4)
    return clew.bfs(graph, 0, device="auto").numpy().depth.tolist(), gpu_for("auto", graph.num_arcs) is not None


def test_a_hidden_gpu_is_told(auto):
    auto.setenv("CLEW_DEVICE", "cpu")
    depths, engine, why = planned_and_found()
    assert (depths, engine) == ([0, 1, 2, 3], "cpu")
    assert why == "6 edges are enough for a GPU, but CLEW_DEVICE=cpu hides every GPU"


@pytest.mark.quick
def test_unknown_devices_are_refused():
    with pytest.raises(clew.errors.GraphError, match="device is 'tpu'"):
        clew.bfs(clew.generate.path(3), 0, device="tpu")


def test_what_has_no_kernels_runs_as_products():
    graph = clew.generate.rmat(5, 4, seed=1)
    clew.verify.katz(graph, clew.katz(graph, device="emulated"))
    found, expected = (clew.hits(graph, device=device) for device in ("emulated", "cpu"))
    np.testing.assert_allclose(found.hub, expected.hub, rtol=1e-6, atol=1e-12)
    near, there = (clew.random_walk_with_restart(graph, 0, device=device) for device in ("emulated", "cpu"))
    np.testing.assert_allclose(near.numpy().visiting, there.visiting, rtol=1e-6, atol=1e-12)
