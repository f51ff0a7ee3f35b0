"""Breadth-first search on the GPU's kernels, emulated: against the checker and the CPU engine."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

import clew
from clew.algorithms.bfs import cuda as engine
from clew.engines.choice import gpu_for
from tests.algorithms.graphs import graphs

SIZES = (1, 2, 31, 32, 33, 63, 64, 65, 127, 1000)


def check(graph, source=0, **options):
    found = clew.bfs(graph, source, device="emulated", **options).numpy()
    clew.verify.bfs(graph, source, found)
    expected = clew.bfs(graph, source, device="cpu", **options)
    assert np.array_equal(found.depth, expected.depth)
    assert found.num_reached == expected.num_reached
    assert found.iterations == len(found.trace) == found.depth.max() + 1
    assert found.trace["frontier"].sum() == found.num_reached
    if options.get("deterministic"):
        assert np.array_equal(found.parent, expected.parent)
    return found


@pytest.mark.quick
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("shape", ["path", "cycle", "star", "complete"])
def test_shapes(shape, size):
    if (shape == "complete" and size > 130) or (shape == "cycle" and size < 3):
        pytest.skip("too many edges, or too few vertices")
    check(getattr(clew.generate, shape)(size), size // 2)


@pytest.mark.parametrize("degree", [engine.BIG - 1, engine.BIG, engine.BIG + 1, 2 * engine.BIG, 5 * engine.BIG + 7])
def test_hubs_are_cut(degree):
    star = clew.generate.star(degree + 1)
    check(star, 0)
    check(star, 1)


@pytest.mark.parametrize("scale", [6, 9, 11])
@pytest.mark.parametrize("deterministic", [False, True])
def test_skewed_graphs_are_pulled_and_pushed(scale, deterministic):
    graph = clew.generate.rmat(scale, 16, seed=scale).symmetrized()
    hub = int(np.argmax(np.diff(graph.indptr)))
    found = check(graph, hub, deterministic=deterministic)
    if scale > 6:
        assert set(found.trace["direction"]) == {"push", "pull"}


def test_directed_graphs_are_pulled_along_in_edges():
    check(clew.generate.rmat(10, 24, seed=5), 0)


def test_a_search_goes_on_after_the_host_had_a_look(monkeypatch):
    monkeypatch.setattr(engine, "LEVELS_PER_LAUNCH", 3)
    check(clew.generate.grid(9, 14), 5)
    graph = clew.generate.rmat(10, 16, seed=2).symmetrized()
    check(graph, int(np.argmax(np.diff(graph.indptr))))


def test_pulling_at_every_level_and_at_none():
    graph = clew.generate.rmat(9, 8, seed=4).symmetrized()
    device, expected = gpu_for("emulated", 0), clew.bfs(graph, 0, device="cpu").depth
    for cost in (0.0, 1e30):
        found = engine.bfs(device, graph, 0, pull_cost=cost)
        assert np.array_equal(device.download(found.depth), expected)


@pytest.mark.quick
def test_ids_of_64_bits():
    graph = clew.generate.grid(8, 8)
    wide = clew.Graph.from_csr(graph.indptr, graph.indices, directed=False, id_dtype="int64")
    check(wide, 9)


@settings(max_examples=30, deadline=None)
@given(graph=graphs())
def test_any_graph(graph):
    if graph.num_vertices:
        check(graph, 0)
