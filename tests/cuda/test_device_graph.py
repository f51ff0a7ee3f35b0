"""What a graph has on a device: found by its arrays, evicted by last use, and freed with the graph."""

from __future__ import annotations

import ast
import gc
import tomllib
from pathlib import Path

import numpy as np
import pytest

import clew
from clew.adjacency import Adjacency
from clew.engines.choice import gpu_for
from clew.engines.cuda.balance import tiling
from clew.engines.cuda.memory.device_graph import graph_on, incoming_on, offsets_on, plan_of, rows_on
from clew.engines.cuda.memory.ledger import forget_all, ledger_of
from clew.engines.cuda.products import spmv
from clew.graph import Graph
from clew.layouts import coo
from tests.on_gpu import emulation_only
from tools.budget import import_cycles
from tools.walk import walk

pytestmark = pytest.mark.usefixtures("small_heap")
SOURCE = Path(clew.__file__).parent
ROOT = Path(__file__).parents[2]


@pytest.fixture
def device():
    forget_all()
    gc.collect()
    yield gpu_for("emulated", 0)
    forget_all()


def fresh(directed: bool = True) -> Graph:
    source = np.arange(200) % 20
    return Graph.from_edges(source, (source * 7 + np.arange(200)) % 20, np.arange(200.0), 20, directed=directed)


@emulation_only
def test_the_least_recently_used_graph_is_evicted_first(device):
    first, second, third = fresh(), fresh(), fresh()
    with clew.memory("tiered", 2 * first.num_arcs * 4):
        rows_on(device, first.outgoing, weights=False)
        rows_on(device, second.outgoing, weights=False)
        rows_on(device, first.outgoing, weights=False)
        rows_on(device, third.outgoing, weights=False)
        assert plan_of(device, second.outgoing) is None
        assert plan_of(device, first.outgoing) is not None
        plan_of(device, first.outgoing)  # looking is no use
        rows_on(device, second.outgoing, weights=False)
        assert plan_of(device, first.outgoing) is None
        assert plan_of(device, third.outgoing) is not None


@emulation_only
def test_everything_goes_with_the_graph_at_once(device):
    """In-edges, layouts and facts too, without the collector of cycles."""
    before, known = device.memory.live_allocations, len(ledger_of(device).graphs)
    graph = fresh()
    gc.disable()
    try:
        rows = incoming_on(device, graph)
        tiling.tiles_of(device, rows)
        spmv.layout_on(device, coo(graph))
        clew.sssp(graph, 0, device="emulated")
        assert device.memory.live_allocations > before
        assert ledger_of(device).charged() > 0
        del graph, rows
        assert device.memory.live_allocations == before
        assert ledger_of(device).charged() == 0
        assert len(ledger_of(device).graphs) == known
    finally:
        gc.enable()


def test_offsets_that_are_equal_are_there_once(device):
    graph = fresh()
    rows = rows_on(device, graph.outgoing)
    again = Adjacency(graph.indptr.copy(), graph.indices, graph.weights)
    assert rows_on(device, again) is rows
    assert offsets_on(device, again) is rows.offsets


def test_both_directions_are_one_family(device):
    graph, other = fresh(), fresh()
    graph.incoming  # noqa: B018, the in-edges are then taken from the host
    incoming_on(device, graph)
    incoming_on(device, other)
    out, into, third = (graph_on(device, array) for array in (graph.indices, graph.incoming.indices, other.indices))
    assert out.family is into.family
    assert out.family is not third.family
    assert third.in_edges is not None
    assert third.in_edges.family is third.family


def test_no_cache_is_keyed_by_the_place_of_an_object():
    """An id is another object's as soon as the first is gone."""
    for folder in ("engines", "algorithms", "build", "plan"):
        for path in (SOURCE / folder).rglob("*.py"):
            called = {node.func.id for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)
                      and isinstance(node.func, ast.Name)}  # fmt: skip
            assert "id" not in called, path


def test_the_engines_import_each_other_one_way():
    assert [group for group in import_cycles() if any(name.startswith("clew.engines") for name in group)] == []


@emulation_only
def test_a_search_walks_few_files():
    limit = tomllib.loads((ROOT / "budget.toml").read_text())["walks"]["bfs_cuda"]
    graph = clew.generate.path(50)
    files = walk(lambda: clew.bfs(graph, 0, device="emulated"))
    assert len(files) <= limit, sorted(files)
