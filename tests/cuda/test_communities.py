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


def star_rows(*lengths):
    """Stars whose centres have that many edges, and 100 edges between some leaves."""
    source = np.repeat(np.arange(len(lengths)), lengths)
    leaf = len(lengths) + np.arange(source.size)
    random = np.random.default_rng(1)
    ends = random.integers(len(lengths), leaf[-1] + 1, (2, 100))
    return np.append(source, ends[0]), np.append(leaf, ends[1])


def one_part(count, parts):
    """A centre with edges to vertices that a kernel puts into the first of that many parts of its row."""
    ids = np.arange(1, 4 * count * parts, dtype=np.uint64)
    part = (ids * np.uint64(0x85EBCA6B) % 2**32) * np.uint64(parts) >> np.uint64(32)
    return np.zeros(count, np.int64), ids[part == 0][:count].astype(np.int64)


# A thread takes 8 edges, a warp SLOTS / 32, and a table SLOTS / 2 communities.
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    ("edges", "slots"),
    [
        (star_rows(1, 2, 7, 8, 9, 32, 33, 256, 257, 4096, 4097), 8192),
        (star_rows(32, 33, 64, 65), 64),
        (one_part(90, 3), 64),
    ],
    ids=["default tables", "small tables", "a full table"],
)
def test_the_first_round_chooses_the_best_of_every_row(edges, slots, weighted):
    """All vertices move at once. Then those are to choose again whose second choice may have become better."""
    graph = clew.Graph.from_edges(*edges, directed=False, duplicates="drop", loops="drop")
    if weighted:
        graph = clew.generate.random_weights(graph, 1, 9, seed=1, dtype="float64")
    level = cuda._lowest(the_emulation(), graph, 1.0, None, {"SLOTS": slots})
    alone = np.arange(graph.num_vertices, dtype=level.ids)
    rounds = cuda._Rounds(level, alone.copy())
    rounds.run(1, alone)
    offsets, neighbour, weights = level.edges
    weights = np.ones(neighbour.size) if weights is None else weights
    here = np.repeat(alone, np.diff(offsets.astype(np.int64)))
    gain = weights - level.strength[here] * (1.0 / level.total) * level.strength[neighbour]
    order = np.lexsort((neighbour, -gain, here))
    first = order[offsets[:-1][np.diff(offsets.astype(np.int64)) > 0]]
    expected = alone.copy()
    expected[here[first]] = np.where(gain[first] > 1e-12 * level.strength[here[first]], neighbour[first], here[first])
    np.testing.assert_array_equal(rounds.parts[0], expected)
    best, second = np.zeros(alone.size), np.full(alone.size, -np.inf)  # to stay gains 0
    for j in order[::-1]:
        v = here[j]
        best[v], second[v] = max(best[v], gain[j]), max(second[v], min(best[v], gain[j]))
    change = np.ceil(weights * level.grains) * (1 + (expected[here] == neighbour))
    change[(expected[neighbour] == neighbour) | (expected[neighbour] == expected[here])] = 0
    slack = np.floor((best - second) * level.grains) - np.bincount(here, change, alone.size)
    linked = np.unique(here)
    np.testing.assert_array_equal(rounds.work.slack[linked] < 0, slack[linked] < 0)
