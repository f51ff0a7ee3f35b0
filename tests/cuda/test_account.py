"""One budget for all edges on a device: both directions and weights, whatever runs after what."""

from __future__ import annotations

import gc
from functools import lru_cache

import numpy as np
import pytest

import clew
from clew.engines.choice import gpu_for
from clew.engines.cuda.memory.device_graph import incoming_on, plan_of, rows_on
from clew.engines.cuda.memory.ledger import Ledger, forget_all, ledger_of
from clew.graph import Graph
from tests.cuda.test_memory import Spread

pytestmark = pytest.mark.usefixtures("small_heap")

DIRECTED = clew.generate.random_weights(clew.generate.rmat(6, 64, seed=3), 1, 9, seed=1)
UNDIRECTED = clew.generate.random_weights(clew.generate.rmat(6, 40, seed=4).symmetrized(), 1, 9, seed=1)
GRAPHS = {"directed": DIRECTED, "undirected": UNDIRECTED}
#: Offsets, and what algorithms keep of vertices.
BESIDE_EDGES = 48 * 64


class Reach(Spread):
    """The smallest id that can be reached along edges."""

    direction = "out"


RUNS = {
    "bfs": lambda g, d: clew.bfs(g, 0, device=d).depth,
    "pagerank": lambda g, d: clew.pagerank(g, device=d).rank,
    "sssp": lambda g, d: clew.sssp(g, 0, device=d).distance,
    "components": lambda g, d: clew.connected_components(g, device=d).label,
    "weighted_pagerank": lambda g, d: clew.pagerank(g, weighted=True, device=d).rank,
    "sswp": lambda g, d: clew.sswp(g, 0, device=d).width,
    "again": lambda g, d: clew.bfs(g, 0, device=d).depth,
}
#: Those that do not stream.
OTHERS = {
    "program": lambda g, d: clew.run(Reach(), g, device=d).least,
    "triangles": lambda g, d: clew.triangles(g, device=d).count,
    "spmv": lambda g, d: clew.spmv(g, np.arange(g.num_vertices, dtype=np.float64), device=d),
}


@pytest.fixture
def device():
    device = gpu_for("emulated", 0)
    if device.name != "emulated":
        pytest.skip("what a real GPU has free depends on others")
    forget_all()
    gc.collect()
    yield device
    forget_all()


@pytest.fixture
def most(monkeypatch):
    """The largest sum that was ever charged, by the ledger itself."""
    seen = [0]
    plain = Ledger.charge

    def charge(ledger, *charged):
        plain(ledger, *charged)
        seen.append(ledger.charged())

    monkeypatch.setattr(Ledger, "charge", charge)
    return lambda: max(seen)


@lru_cache(maxsize=4)
def expected(kind: str) -> dict[str, np.ndarray]:
    return {name: np.array(run(GRAPHS[kind], "cpu")) for name, run in {**RUNS, **OTHERS}.items()}


def budgets(graph: Graph, mode: str) -> dict[str, int]:
    whole = graph.num_arcs * 8
    row = int(np.diff(graph.indptr).max()) * 8
    every = {"0": 0, "row": row, "third": whole // 3, "less": whole - 1, "exact": whole, "both": 2 * whole}
    few = {
        "auto": ("0", "third", "exact", "both"),
        "tiered": ("row", "less"),
        "zero_copy": ("exact",),
    }
    some = few[mode]
    return {name: every[name] for name in some}


@pytest.mark.parametrize(
    ("kind", "mode"),
    [("directed", mode) for mode in ("auto", "tiered", "zero_copy")] + [("undirected", "tiered")],
)
def test_no_run_exceeds_the_budget(device, most, kind, mode):
    graph = GRAPHS[kind]
    for label, budget in budgets(graph, mode).items():
        forget_all()
        gc.collect()
        before, above = device.memory.live_bytes, most()
        assert ledger_of(device).charged() == 0
        with clew.memory(mode, budget):
            for name, run in {**RUNS, **OTHERS}.items():
                found = np.array(run(graph, "emulated"))
                np.testing.assert_allclose(found, expected(kind)[name], rtol=1e-6, err_msg=f"{label} {name}")
                assert ledger_of(device).charged() <= budget, (label, name)
        gc.collect()
        assert device.memory.live_bytes - before <= budget + BESIDE_EDGES, label
        assert most() <= max(budget, above), label
    assert most() > 0 or mode == "zero_copy"


def test_a_direction_that_nobody_asks_for_has_no_share(device):
    graph, whole = DIRECTED, DIRECTED.num_arcs * 4
    with clew.memory("tiered", whole):
        clew.pagerank(graph, device="emulated")  # in-edges alone
        assert plan_of(device, graph.incoming).mode == "device"
        assert plan_of(device, graph.outgoing) is None
        clew.bfs(graph, 0, device="emulated")  # the others come when they are asked for, and nothing is moved
        assert plan_of(device, graph.incoming).mode == "device"
        assert plan_of(device, graph.outgoing).fast_bytes == 0
    forget_all()
    with clew.memory("tiered", whole):
        clew.bfs(graph, 0, device="emulated")  # asks for both
        shares = [plan_of(device, way).fast_bytes for way in (graph.outgoing, graph.incoming)]
        assert shares == [whole // 2, whole // 2]
        before = rows_on(device, graph.outgoing, weights=False).neighbours
        clew.pagerank(graph, device="emulated")
        assert rows_on(device, graph.outgoing, weights=False).neighbours is before


def test_in_edges_are_turned_on_the_device_only_where_there_is_room_for_them(device):
    whole = DIRECTED.num_arcs * 4
    for budget, turned in ((2 * whole, True), (2 * whole - 1, False)):
        forget_all()
        fresh = Graph.from_csr(DIRECTED.indptr.copy(), DIRECTED.indices.copy(), directed=True)
        with clew.memory("auto", budget):
            rows_on(device, fresh.outgoing, weights=False)
            incoming_on(device, fresh, weights=False)
        assert fresh.has_incoming is not turned
        assert budget - 64 - 4 <= ledger_of(device).charged() <= budget


def test_in_edges_that_were_turned_on_the_device_heed_a_budget_that_comes_later(device):
    whole = DIRECTED.num_arcs * 4
    fresh = Graph.from_csr(DIRECTED.indptr.copy(), DIRECTED.indices.copy(), directed=True)
    found = clew.pagerank(fresh, device="emulated").rank
    assert not fresh.has_incoming
    assert ledger_of(device).charged() == 2 * whole
    for budget in (0, whole // 3):
        with clew.memory("auto", budget):
            np.testing.assert_allclose(clew.pagerank(fresh, device="emulated").rank, found)
        assert ledger_of(device).charged() <= budget


def test_shares_of_edges_are_in_the_budget(device, most):
    """Weighted PageRank has a number for every in-edge beside its neighbour, made when it runs."""
    whole = DIRECTED.num_arcs * 4
    found = clew.pagerank(DIRECTED, weighted=True, device="cpu").rank
    for budget in (whole, 4 * whole):
        with clew.memory("auto", budget):
            np.testing.assert_allclose(clew.pagerank(DIRECTED, weighted=True, device="emulated").rank, found)
        assert whole - 64 - 4 <= most() <= budget
    assert most() >= 3 * whole  # where there is room, they are where the edges are


def test_in_edges_without_weights_are_the_same_rows_every_time(device):
    """What is made of rows is kept with them, such as layouts and how often they were multiplied with."""
    fresh = Graph.from_csr(DIRECTED.indptr.copy(), DIRECTED.indices.copy(), DIRECTED.weights, directed=True)
    weighted = incoming_on(device, fresh)
    plain = incoming_on(device, fresh, weights=False)
    assert not fresh.has_incoming
    assert weighted.weights is not None
    assert plain.weights is None
    assert plain.neighbours is weighted.neighbours
    assert incoming_on(device, fresh, weights=False) is plain
    assert incoming_on(device, fresh) is weighted


@pytest.mark.quick
def test_other_graphs_make_room_for_the_one_in_use(device):
    first, second = DIRECTED, clew.generate.rmat(6, 50, seed=8)
    budget = first.num_arcs * 4
    with clew.memory("tiered", budget):
        clew.connected_components(first, device="emulated")
        clew.connected_components(second, device="emulated")
        assert plan_of(device, first.outgoing) is None
        assert plan_of(device, second.outgoing).mode == "device"
        held = rows_on(device, second.outgoing, weights=False)  # a run that goes on reading what was dropped
        clew.connected_components(first, device="emulated")
        assert plan_of(device, first.outgoing).fast_bytes == budget - second.num_arcs * 4
        assert held.num_arcs * 4 + plan_of(device, first.outgoing).fast_bytes == ledger_of(device).charged() == budget
    with clew.memory("device", budget - 8), pytest.raises(clew.ResourceError, match=r"may have .* are free"):
        clew.connected_components(first, device="emulated")


def test_graphs_of_the_same_size_are_not_taken_for_one(device):
    """The same graph in another numbering: its edges are others."""
    first, budget = DIRECTED, DIRECTED.num_arcs * 8
    second = first.relabeled(np.random.default_rng(1).permutation(first.num_vertices))
    with clew.memory("tiered", budget):
        for graph, other in ((first, second), (second, first), (first, second)):
            clew.bfs(graph, 0, device="emulated")
            assert plan_of(device, graph.outgoing).mode == plan_of(device, graph.incoming).mode == "device"
            assert plan_of(device, other.outgoing) is None
            assert plan_of(device, other.incoming) is None
        held = rows_on(device, first.incoming, weights=False)
        clew.bfs(first.reversed(), 0, device="emulated")  # the same two directions
        assert rows_on(device, first.incoming, weights=False) is held
    assert ledger_of(device).charged() == budget


def test_wide_ids_have_the_pages_that_they_fill(device):
    source, target, _ = clew.generate.star(40).edges()
    wide = Graph.from_edges(source, target, None, 41, id_dtype="int64", directed=False)
    with clew.memory("tiered", 64):  # 8 ids of 8 bytes are a page of the emulation's
        rows_on(device, wide.outgoing, weights=False)
    assert plan_of(device, wide.outgoing).fast_bytes == 64
