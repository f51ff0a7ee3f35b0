"""Neighbours and weights in pairs, for searches over edges in two memories: the same answers, read from the pairs."""

from __future__ import annotations

import gc
from types import SimpleNamespace

import numpy as np
import pytest

import clew
from clew import threads
from clew.algorithms.paths.cuda_problem import Tuning
from clew.algorithms.sssp.cuda import sssp
from clew.engines.choice import gpu_for
from clew.engines.cuda.balance import frontiers
from clew.engines.cuda.emulation.device import EmulatedDevice
from clew.engines.cuda.memory import transfer
from clew.engines.cuda.memory.device_graph import plan_of, rows_on
from clew.engines.cuda.memory.edge_memory import BLOCK, write_pairs, write_pairs_on_all_cores
from clew.engines.cuda.memory.ledger import forget_all, ledger_of
from clew.placement import Hot
from clew.plan.where import put_edges
from tests.cuda.lines import read_by_lines
from tests.cuda.test_memory import with_every_failure
from tests.cuda.test_transfer import Gpu, Stream

pytestmark = pytest.mark.usefixtures("small_heap")

DIRECTED = clew.generate.random_weights(clew.generate.rmat(7, 8, seed=3), 1, 9, seed=1)
UNDIRECTED = clew.generate.random_weights(clew.generate.rmat(6, 8, seed=4).symmetrized(), 1, 9, seed=1)
PLACED = Hot(fast_memory=2000).place(DIRECTED).apply(DIRECTED)
EDGES = UNDIRECTED.num_arcs * 8
VALUES = {"sssp": "distance", "sswp": "width", "bellman_ford": "distance"}


@pytest.fixture
def device():
    device = gpu_for("emulated", 0)
    if device.name != "emulated":
        pytest.skip("what a real GPU has free depends on others")
    capacity = device.memory.capacity
    forget_all()
    gc.collect()
    yield device
    device.memory.capacity = capacity
    forget_all()


@pytest.fixture
def kernels(monkeypatch):
    """Whether the kernels that were asked for read pairs, by file."""
    seen: dict[str, list[bool]] = {}
    plain = EmulatedDevice.kernel

    def kernel(self, file, name, defines=None, operators=None):
        seen.setdefault(file, []).append(bool((defines or {}).get("PAIRED")))
        return plain(self, file, name, defines, operators)

    monkeypatch.setattr(EmulatedDevice, "kernel", kernel)
    return seen


@pytest.mark.parametrize("dtype", ["int32", "uint32", "float32"])
@pytest.mark.parametrize("name", VALUES)
def test_answers(device, kernels, name, dtype):
    """Values, by the CPU, for every type; for one of them the parents as well, and edges that are all in one memory."""
    graph = UNDIRECTED.with_weights(UNDIRECTED.weights.astype(dtype))
    expected = getattr(clew, name)(graph, 0, device="cpu").values[VALUES[name]]
    row, full = int(graph.degrees().max()) * 8, dtype == "int32"
    parents = []
    for budget in (0, row, EDGES // 2, EDGES - 1, EDGES) if full else (row, EDGES - 1):
        kernels.clear()
        before = device.memory.live_bytes
        with clew.memory("tiered", budget):
            found = getattr(clew, name)(graph, 0, device="emulated", deterministic=full).numpy().values
        np.testing.assert_array_equal(found[VALUES[name]], expected, err_msg=str(budget))
        parents.append(found["parent"].copy())
        del found
        assert not full or np.array_equal(parents[-1], parents[0]), budget
        tiered = 0 < budget < EDGES
        assert (plan_of(device, graph.outgoing).mode == "tiered") == tiered, budget
        assert kernels.keys() == ({"near_far.cuh", "shortest_path_tree.cuh"} if full else {"near_far.cuh"})
        assert {each for file in kernels.values() for each in file} == {tiered}, budget
        gc.collect()
        assert device.memory.live_bytes - before <= budget + 4 * (graph.num_vertices + 1)
        assert ledger_of(device).charged() <= budget
        forget_all()


def test_what_is_read_is_the_pairs(device):
    """Weights that are changed there, and nowhere else, change the answer."""
    expected = clew.sssp(UNDIRECTED, 0, device="cpu").distance
    with clew.memory("tiered", EDGES // 2):
        rows = rows_on(device, UNDIRECTED.outgoing, paired=True)
        assert rows.paired
        np.testing.assert_array_equal(rows.neighbours, UNDIRECTED.indices)
        np.testing.assert_array_equal(rows.weights, UNDIRECTED.weights)
        found = clew.sssp(UNDIRECTED, 0, device="emulated")
        np.testing.assert_array_equal(found.distance, expected)
        assert found.trace["bytes"].sum() == 8 * found.trace["edges"].sum() > 0
        rows.pairs.view(np.int32)[1::2] *= 2
        found = clew.sssp(UNDIRECTED, 0, device="emulated").distance
        assert rows_on(device, UNDIRECTED.outgoing, paired=True) is rows  # the second search has found them
    reached = expected < np.iinfo(np.int64).max
    np.testing.assert_array_equal(found[reached], 2 * expected[reached])


def test_a_placement_says_which_pairs_are_fast(device):
    source = PLACED.names[0]
    for name, value in VALUES.items():
        expected = getattr(clew, name)(PLACED, source, device="cpu")
        with clew.memory("tiered"):
            found = getattr(clew, name)(PLACED, source, device="emulated")
            rows = rows_on(device, PLACED.outgoing, paired=True)
        assert rows.paired
        assert rows.plan.cut == PLACED.indptr[PLACED.metadata["placement_boundary"]] > 0
        np.testing.assert_array_equal(found.values[value], expected.values[value], err_msg=name)


OTHER = UNDIRECTED.with_weights((UNDIRECTED.weights % 4).astype(np.float32))
#: What is run, on which graph, whether it reads pairs, and whether it finds the edges as the run before has left them.
TURNS = [
    (clew.sssp, UNDIRECTED, "distance", {"source": 0}, True, False),
    (clew.sssp, UNDIRECTED, "distance", {"source": 0}, True, True),
    (clew.sswp, UNDIRECTED, "width", {"source": 0}, True, True),
    (clew.sssp, OTHER, "distance", {"source": 0}, True, False),
    (clew.bellman_ford, UNDIRECTED, "distance", {"source": 0}, True, False),
    (clew.pagerank, UNDIRECTED, "rank", {"weighted": True}, False, False),
    (clew.sssp, UNDIRECTED, "distance", {"source": 0}, False, False),
    (clew.bfs, UNDIRECTED, "depth", {"source": 0}, False, True),
    (clew.sswp, UNDIRECTED, "width", {"source": 0}, False, True),
    (clew.bellman_ford, OTHER, "distance", {"source": 0}, False, False),
]


@pytest.mark.parametrize(
    ("mode", "budget"),
    [("tiered", EDGES // 3), ("auto", EDGES // 3), ("auto", EDGES - 1)],
    ids=["tiered", "few", "most"],
)
def test_one_form_at_a_time(device, mode, budget):
    """Whatever is asked for after what, answers are right, the budget is kept, and both are explained beforehand."""
    assert OTHER.indices is UNDIRECTED.indices
    before = device.memory.live_allocations
    with clew.memory(mode, budget):
        for k, (run, graph, value, options, paired, found) in enumerate(TURNS):
            plan = clew.explain(graph, run.__name__, "emulated", **options)
            foretold = next(choice.chosen for choice in plan.choices if choice.what == "edges")
            going = put_edges(plan, device).going
            expected = run(graph, **options, device="cpu").values[value]
            there = run(graph, **options, device="emulated").values[value]
            np.testing.assert_allclose(there, expected, rtol=1e-6, err_msg=str(k))
            made = plan_of(device, graph.outgoing)
            assert foretold == made.mode, k
            assert ledger_of(device).charged() == made.fast_bytes <= budget, k
            assert (not going) == found, k
            if run.__name__ in VALUES:
                assert made.fast_bytes == budget // 8 * 8, k
                assert rows_on(device, graph.outgoing, paired=True).paired == paired, k
    del there
    forget_all()
    gc.collect()
    assert device.memory.live_allocations == before


def test_negative_cycles(device, kernels):
    lower = UNDIRECTED.with_weights(UNDIRECTED.weights - 6)
    with clew.memory("tiered", EDGES // 2), pytest.raises(clew.errors.NegativeCycleError):
        clew.bellman_ford(lower, 0, device="emulated")
    assert set(kernels["shortest_path_tree.cuh"]) == {True}


def test_every_allocation_may_fail(device, kernels):
    def run():
        with clew.memory("auto", EDGES // 2):
            return clew.bellman_ford(UNDIRECTED, 0, device="emulated").distance

    tries, fine = with_every_failure(device, run)
    assert fine >= tries - 4
    assert kernels["near_far.cuh"].count(True) > tries


def test_less_memory_than_was_thought(device):
    """ "auto" tries again with fewer pairs on the device."""
    expected = clew.sssp(UNDIRECTED, 0, device="cpu").distance
    shares = set()
    for room in range(20_000, 4_000, -500):
        device.memory.capacity = device.memory.live_bytes + room
        try:
            np.testing.assert_array_equal(clew.sssp(UNDIRECTED, 0, device="emulated").distance, expected)
        except clew.ResourceError:
            assert room < 16_000  # what the search itself takes, of which the trace is the largest part
            break
        plan = plan_of(device, UNDIRECTED.outgoing)
        shares.add(plan.fast_bytes)
        assert rows_on(device, UNDIRECTED.outgoing, paired=True).paired == (plan.mode == "tiered")
        forget_all()
        gc.collect()
    assert len(shares) > 2


def test_what_has_no_pairs(device):
    source, target, weights = UNDIRECTED.edges()
    wide = clew.Graph.from_edges(source, target, weights, id_dtype="int64", directed=False)
    narrow = [UNDIRECTED.with_weights(UNDIRECTED.weights.astype(kind)) for kind in ("f8", "i8", "i2", "?")]
    for graph in (wide, *narrow):
        with clew.memory("tiered", 2000):
            rows = rows_on(device, graph.outgoing, paired=True)
        assert (rows.plan.mode, rows.paired) == ("tiered", False)
        del rows
    with clew.memory("tiered", 2000):
        found = clew.sssp(narrow[0], 0, device="emulated")
    np.testing.assert_array_equal(found.distance, clew.sssp(narrow[0], 0, device="cpu").distance)
    for mode in ("device", "managed", "zero_copy"):
        with clew.memory(mode):
            assert not rows_on(device, UNDIRECTED.outgoing, paired=True).paired
    with clew.memory("tiered", 2000):
        for weighted in (True, False):
            assert not rows_on(device, UNDIRECTED.outgoing, weights=weighted).paired
        assert not rows_on(device, UNDIRECTED.outgoing, weights=False, paired=True).paired


def test_drivers_that_cannot_split(device, monkeypatch):
    def refuse(*_):
        raise clew.errors.DeviceError("CUDA_ERROR_NOT_SUPPORTED")

    monkeypatch.setattr(type(device), "split", refuse)
    with clew.memory("tiered", EDGES // 2):
        rows = rows_on(device, UNDIRECTED.outgoing, paired=True)
        assert (rows.plan.mode, rows.paired) == ("zero_copy", False)
        assert rows_on(device, UNDIRECTED.outgoing, paired=True) is rows


@pytest.mark.parametrize("make", [clew.generate.kronecker, clew.generate.star], ids=["skewed", "one long row"])
def test_lines_of_pairs(device, make, monkeypatch):
    """Rows read a line at a time, as those of large graphs are; pairs begin anywhere in a line."""
    graph, source, expected = read_by_lines(monkeypatch, make)
    plain, skews = type(device).split, []
    for skew in (0, 1, 16, 31):

        def moved(self, array, fast_from_byte, beside, skew=skew):
            more = array.size + 32
            room = plain(self, np.resize(array, more), fast_from_byte, np.resize(beside, more))
            start = (skew - room.ctypes.data // 8) % 32
            made = room[start : start + array.size]
            write_pairs(made.view(np.uint8), 0, array, beside)
            return made

        monkeypatch.setattr(type(device), "split", moved)
        with clew.memory("tiered", graph.indices.nbytes):
            rows = rows_on(device, graph.outgoing, paired=True)
            assert rows.paired
            assert frontiers.order_from(rows) == 5
            skews.append(rows.pairs.ctypes.data // 8 % 32)
            del rows
            found = sssp(device, graph, source, tuning=Tuning(threads=64, alone=(0, 0), long_row=4))
        np.testing.assert_array_equal(found.distance, expected.distance)
        forget_all()
    assert skews == [0, 1, 16, 31]


@pytest.mark.parametrize("cores", [1, 3])
def test_pairs_of_every_size(cores):
    threads.set_count(cores)
    try:
        for size in (0, 1, 5, BLOCK - 1, BLOCK, 3 * BLOCK + 7):
            first, second = np.arange(size, dtype=np.int32), np.arange(size, dtype=np.float32) + 0.5
            for start in sorted({0, min(3, size), size}):
                target = np.full(8 * (size - start), 0xCD, np.uint8)
                write_pairs(target, 8 * start, first, second)
                np.testing.assert_array_equal(target.view(np.int32)[::2], first[start:])
                np.testing.assert_array_equal(target.view(np.float32)[1::2], second[start:])
                target[:] = 0xCD
                write_pairs_on_all_cores(target, first, second)
                np.testing.assert_array_equal(target.view(np.int32)[::2], first[: size - start])
                np.testing.assert_array_equal(target.view(np.float32)[1::2], second[: size - start])
    finally:
        threads.set_count(None)


@pytest.mark.parametrize("cut", [0, 64, 1024, 4000])
@pytest.mark.parametrize("beside", [False, True], ids=["alone", "pairs"])
def test_both_memories_are_filled(cut, beside, monkeypatch):
    """What a GPU's part of an array, and its pairs, go through: the host's pages, and buffers on the way."""
    first, second = np.arange(500, dtype=np.int32), np.arange(500, dtype=np.float32) / 4
    size = 4000 if beside else 2000
    cut, memory, gpu = min(cut, size), np.full(4096, 0xCD, np.uint8), Gpu()
    gpu.xp.get_default_memory_pool = lambda: SimpleNamespace(free_all_blocks=lambda: None)
    monkeypatch.setattr(Stream, "all", {})
    monkeypatch.setattr(transfer, "CHUNK", 256)
    run = SimpleNamespace(address=memory.ctypes.data, size=memory.size, cut=-(-cut // 64) * 64)
    asked = []
    monkeypatch.setattr(transfer.virtual, "in_two", lambda *given: asked.append(given) or run)
    monkeypatch.setattr(transfer.host_memory, "view_of", lambda *given: given[3:5])
    shape, kind = transfer.split(gpu, first, cut, second if beside else None)
    gpu.main.finish()
    assert (shape, kind) == ((500,), np.dtype(np.uint64 if beside else np.int32))
    assert asked == [(0, size, cut)]
    assert gpu.copies == -(-max(0, size - run.cut) // 256)
    assert (memory[size:] == 0xCD).all()
    if beside:
        np.testing.assert_array_equal(memory[:size].view(np.int32)[::2], first)
        np.testing.assert_array_equal(memory[:size].view(np.float32)[1::2], second)
    else:
        np.testing.assert_array_equal(memory[:size].view(np.int32), first)
