"""Triangles and clustering coefficients on the GPU's kernels, emulated: against the checkers and the CPU engine."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

import clew
from clew.algorithms.clustering_coefficient.cuda import clustering_coefficient as means_of_triangles
from clew.algorithms.triangles import cuda as engine
from clew.algorithms.triangles.cuda import PIECE, neighbourhoods
from clew.engines.choice import gpu_for
from tests.algorithms.graphs import graphs
from tests.on_gpu import fetched

SIZES = (1, 2, 3, 31, 32, 33, 63, 64, 65)
TINY = {"SMALL_SLOTS": 32, "LARGE_SLOTS": 64, "OWNED": 16, "SHORT": 0}  # tables, parts and lists of every kind


def check(graph, **constants):
    found = clew.triangles(graph, device="emulated").numpy()
    clew.verify.triangles(graph, found)
    quick = clew.triangles(graph, per_vertex=False, device="emulated")
    assert quick.values == {}
    assert quick.total == found.total
    near = clew.clustering_coefficient(graph, device="emulated").numpy()
    clew.verify.clustering_coefficient(graph, near)
    np.testing.assert_allclose(near.coefficient, clew.clustering_coefficient(graph, device="cpu").coefficient)
    device = gpu_for("emulated", 0)
    for chosen in ({"SHORT": 0}, {"SHORT": 1 << 20}, TINY):
        assert engine.total(device, graph, **chosen) == found.total
        assert np.array_equal(device.download(engine.count(device, graph, **chosen)), found.count)
    return found


@pytest.mark.parametrize("size", SIZES)
def test_complete_graphs(size):
    assert check(clew.generate.complete(size)).total == size * (size - 1) * (size - 2) // 6


@pytest.mark.parametrize("size", [127, 128, 129, 130])
def test_lists_for_a_warp_and_for_a_block(size):
    complete = clew.generate.complete(size + 1)
    found = clew.triangles(complete, device="emulated").numpy()
    assert set(found.count.tolist()) == {size * (size - 1) // 2}


def test_no_vertices_and_no_edges():
    for n in (0, 1, 40):
        assert check(clew.Graph.from_edges([], [], num_vertices=n)).total == 0


@pytest.mark.parametrize("degree", [PIECE - 1, PIECE, PIECE + 1, 2 * PIECE + 5])
def test_rows_are_cut(degree):
    """A wheel: a hub, and a rim on which everybody is linked to the next; the hub's row is long, its list is empty."""
    rim = np.arange(degree)
    source = np.concatenate([np.full(degree, degree), rim])
    target = np.concatenate([rim, (rim + 1) % degree])
    for directed in (False, True):
        assert check(clew.Graph.from_edges(source, target, directed=directed)).total == degree


def test_owners_with_long_rows_are_cut():
    """Three hubs that are linked to each other and to everybody."""
    everybody = np.arange(3, engine.OWNED + 40)
    source = np.concatenate([np.repeat([0, 1, 2], everybody.size), [0, 1, 2]])
    target = np.concatenate([np.tile(everybody, 3), [1, 2, 0]])
    assert check(clew.Graph.from_edges(source, target, directed=False)).total == 3 * everybody.size + 1


@pytest.mark.parametrize("scale", [6, 9])
@pytest.mark.parametrize("directed", [False, True])
def test_skewed_graphs(scale, directed):
    graph = clew.generate.rmat(scale, 16, seed=scale)
    check(graph if directed else graph.symmetrized())


def test_duplicates_and_loops_do_not_count():
    graph = clew.generate.rmat(7, 8, seed=3)
    source, target, _ = graph.edges()
    loops = np.arange(graph.num_vertices)
    for directed in (False, True):
        messy = clew.Graph.from_edges(np.r_[source, source, loops], np.r_[target, target, loops], directed=directed)
        assert check(messy).total == clew.triangles(graph, device="cpu").total


def test_ids_of_64_bits():
    graph = clew.generate.rmat(8, 8, seed=5).symmetrized()
    for directed in (False, True):
        check(clew.Graph.from_csr(graph.indptr, graph.indices, directed=directed, id_dtype="int64"))


def test_neighbourhoods_are_the_distinct_neighbours():
    graph = clew.generate.rmat(7, 6, seed=1)
    device = gpu_for("emulated", 0)
    near = neighbourhoods(device, graph, with_sides=True)
    listed, sides, up, down = (fetched(array) for array in (near.items, near.labels, near.up, near.down))
    out, into = (np.asarray(rows.indptr) for rows in (graph.outgoing, graph.incoming))
    for v in range(graph.num_vertices):
        first, last = out[v] + into[v], out[v + 1] + into[v + 1]
        items = np.r_[listed[first : first + up[v]], listed[last - down[v] : last]]
        side = np.r_[sides[first : first + up[v]], sides[last - down[v] : last]]
        outgoing = set(graph.outgoing.indices[out[v] : out[v + 1]].tolist()) - {v}
        incoming = set(graph.incoming.indices[into[v] : into[v + 1]].tolist()) - {v}
        assert sorted(items.tolist()) == sorted(outgoing | incoming)
        assert {int(w) for w in items[side & 1 > 0]} == outgoing
        assert {int(w) for w in items[side & 2 > 0]} == incoming


@settings(max_examples=40, deadline=None)
@given(graph=graphs())
def test_any_graph(graph):
    check(graph)


def check_means(graph, **constants):
    options = {"weighted": graph.weighted, "method": "triangles"}
    expected = clew.clustering_coefficient(graph, device="cpu", **options)
    found = means_of_triangles(gpu_for("emulated", 0), graph, means=True, weighted=graph.weighted, **constants)
    np.testing.assert_allclose(fetched(found.coefficient), expected.coefficient, rtol=1e-12)
    assert found.average == pytest.approx(expected.average)
    assert found.transitivity == pytest.approx(expected.transitivity)


@settings(max_examples=20, deadline=None)
@given(graph=graphs())
def test_means_of_small_graphs(graph):
    for each in (graph, clew.generate.random_weights(graph, 1, 9, seed=1)):
        if each.directed or each.weighted:
            options = {"weighted": each.weighted, "method": "triangles"}
            clew.verify.clustering_coefficient(
                each, clew.clustering_coefficient(each, device="emulated", **options).numpy(), **options
            )
            check_means(each, SMALL_SLOTS=32, LARGE_SLOTS=64, OWNED=16)


@pytest.mark.parametrize("size", [1, 2, 33, 130])
def test_means_of_complete_graphs(size):
    """Lists of up to 64 entries are for a warp."""
    check_means(clew.generate.random_weights(clew.generate.complete(size), 1, 9, seed=1, dtype="float32"))
