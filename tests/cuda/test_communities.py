"""Louvain and Leiden by the kernels of the GPU, run on the CPU: valid, good, and the same in every run."""

from __future__ import annotations

import numpy as np
import pytest

import clew
from clew.algorithms.communities import cuda
from clew.engines.cuda.emulation.device import the_emulation
from clew.testing import check_algorithm

BOTH = ("leiden", "louvain")
SMALL_TABLES = {"SHORT_ROW": 1, "SLOTS": 64}  # every kind of row occurs in small graphs


@pytest.fixture(autouse=True)
def all_levels_on_the_device(monkeypatch):
    monkeypatch.setattr(cuda, "SMALL", 0)


@pytest.mark.parametrize("name", BOTH)
@pytest.mark.parametrize("small", [0, 1 << 18])
def test_unusual_graphs(name, small, monkeypatch):
    monkeypatch.setattr(cuda, "SMALL", small)
    assert check_algorithm(name, devices=("emulated",)) > 10


@pytest.mark.parametrize("n", [2, 33, 513])
def test_sizes(n):
    graph = clew.generate.path(n)
    for name in BOTH:
        getattr(clew.verify, name)(graph, getattr(clew, name)(graph, device="emulated"))


@pytest.mark.parametrize("name", BOTH)
def test_neither_the_tables_nor_the_ids_nor_the_run_change_anything(name):
    graph = clew.generate.kronecker(9, seed=2)
    wide = clew.Graph.from_csr(graph.indptr, graph.indices, directed=False, id_dtype="int64")
    expected = getattr(clew, name)(graph, max_iterations=2, device="emulated")
    assert expected.modularity == pytest.approx(clew.modularity(graph, expected), abs=1e-14)
    for same, constants in ((graph, {}), (graph, SMALL_TABLES), (wide, {})):
        found = cuda.communities(the_emulation(), same, 1.0, 2, None, False, refine=name == "leiden", **constants)
        np.testing.assert_array_equal(found.community, expected.community)


@pytest.mark.parametrize("name", BOTH)
@pytest.mark.parametrize("small", [0, 1 << 18])
def test_they_are_as_good_as_those_of_the_cpu(name, small, monkeypatch):
    monkeypatch.setattr(cuda, "SMALL", small)
    graph = clew.generate.random_weights(clew.generate.grid(30, 40, delete=0.1, seed=1), 0, 9, seed=1, dtype="float64")
    find = getattr(clew, name)
    found = find(graph, device="emulated", seed=3, hierarchy=True)
    getattr(clew.verify, name)(graph, found)
    assert found.modularity > find(graph, device="cpu").modularity - 0.01


@pytest.mark.parametrize("name", BOTH)
def test_vertices_without_edges_stay_on_the_device(name, monkeypatch):
    """The level that goes to the CPU has only some of the parts; the others are communities of their own."""
    shortest, on_host = [], cuda.Links.on_host

    def noted(level):
        shortest.append(np.diff(level.edges[0].astype(np.int64)).min())
        return on_host(level)

    monkeypatch.setattr(cuda, "SMALL", 1 << 18)
    monkeypatch.setattr(cuda.Links, "on_host", noted)
    triangles = np.arange(30).reshape(10, 3)
    source, target = triangles.ravel(), np.roll(triangles, 1, axis=1).ravel()
    ring = 40 + np.arange(300)
    source, target = np.append(source, ring), np.append(target, 40 + (np.arange(300) + 1) % 300)
    graph = clew.Graph.from_edges(source, target, num_vertices=350, directed=False)
    found = getattr(clew, name)(graph, device="emulated", hierarchy=True)
    getattr(clew.verify, name)(graph, found)
    assert shortest
    assert min(shortest) > 0
    sizes = np.bincount(found.community)
    assert (sizes == 3).sum() >= 10
    assert (sizes == 1).sum() == 20


def test_a_round_that_lowers_the_modularity_is_undone(monkeypatch):
    """With one group, all vertices of a complete graph join others at once."""
    monkeypatch.setattr(cuda, "GROUPS", 1)
    graph = clew.generate.complete(40)
    found = clew.louvain(graph, device="emulated")
    clew.verify.louvain(graph, found)
    assert found.modularity >= -1 / 40
