"""Clustering coefficients, against their checker, NetworkX and the answers of LDBC."""

from __future__ import annotations

import gzip

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings

import clew
from clew import GraphError, Result, VerificationError
from tests.algorithms.graphs import LARGE, as_networkx, graphs, thread_count
from tests.algorithms.weighted import weighted_graphs


@settings(max_examples=32, deadline=None)
@given(graphs(directed=False))
def test_small_undirected_graphs(graph):
    result = clew.clustering_coefficient(graph)
    clew.verify.clustering_coefficient(graph, result)
    other = as_networkx(graph)
    other.remove_edges_from(list(nx.selfloop_edges(other)))
    assert result.to_dict() == pytest.approx(nx.clustering(other))
    assert result.transitivity == pytest.approx(nx.transitivity(other))
    if graph.num_vertices:
        assert result.average == pytest.approx(nx.average_clustering(other))


@settings(max_examples=32, deadline=None)
@given(graphs(directed=True))
def test_small_directed_graphs(graph):
    result = clew.clustering_coefficient(graph)
    clew.verify.clustering_coefficient(graph, result)
    other = as_networkx(graph)
    other.remove_edges_from(list(nx.selfloop_edges(other)))
    for v in other:
        near = {*other.successors(v), *other.predecessors(v)}
        possible = len(near) * (len(near) - 1)
        links = other.subgraph(near).number_of_edges()
        assert result.of(v) == pytest.approx(links / possible if possible else 0.0)


@pytest.mark.parametrize("name", LARGE)
def test_large_graphs(name):
    graph = LARGE[name]()
    with thread_count(1):
        alone = clew.clustering_coefficient(graph)
    clew.verify.clustering_coefficient(graph, alone)
    for threads in (2, 5):
        with thread_count(threads):
            again = clew.clustering_coefficient(graph)
        np.testing.assert_array_equal(again.coefficient, alone.coefficient)
        assert again.facts == alone.facts


def test_edges_in_both_directions_are_the_same_as_undirected_ones():
    graph = LARGE["kronecker"]()
    doubled = clew.Graph.from_csr(graph.indptr, graph.indices, directed=True)
    one, other = clew.clustering_coefficient(graph), clew.clustering_coefficient(doubled)
    np.testing.assert_array_equal(one.coefficient, other.coefficient)
    assert one.facts == other.facts


def test_nothing_and_errors():
    nothing = clew.clustering_coefficient(clew.Graph.from_edges([], []))
    assert (nothing.coefficient.tolist(), nothing.average, nothing.transitivity) == ([], 0.0, 0.0)
    with pytest.raises(GraphError, match="device is 'abacus'"):
        clew.clustering_coefficient(clew.generate.path(3), device="abacus")


@pytest.mark.parametrize("direction", ["directed", "undirected"])
@pytest.mark.parametrize("kind", ["example", "test-lcc"])
def test_ldbc(shared_data, kind, direction):
    folder = shared_data / "ldbc"
    found = clew.clustering_coefficient(clew.read(folder / f"{kind}-{direction}.e")).to_dict()
    lines = (line.split() for line in (folder / f"{kind}-{direction}-LCC").read_text().splitlines())
    assert found == pytest.approx({int(vertex): float(value) for vertex, value in lines}, rel=1e-4)


def test_ldbc_p2p31(shared_data):
    folder = shared_data / "ldbc_p2p31"
    graph = clew.read(folder / "p2p-31.e.gz", format="ldbc", directed=False)
    with gzip.open(folder / "p2p-31-LCC.gz", "rt") as file:
        expected = {int(vertex): float(value) for vertex, value in map(str.split, file)}
    found = clew.clustering_coefficient(graph).to_dict()
    assert found.keys() == expected.keys()
    np.testing.assert_allclose([found[v] for v in expected], list(expected.values()), rtol=1e-4)


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        (lambda values, facts: values.__setitem__(2, 0.5), "share of possible edges .* at vertex 2"),
        (lambda values, facts: facts.__setitem__("average", 0.5), "the coefficients' average is 0.58"),
        (lambda values, facts: facts.__setitem__("transitivity", 0.5), "the transitivity is 0.6"),
    ],
)
def test_the_checker_finds_what_is_wrong(change, rule):
    graph = clew.Graph.from_edges([0, 1, 2, 2], [1, 2, 0, 3], directed=False)
    result = clew.clustering_coefficient(graph)
    values, facts = result.coefficient.copy(), dict(result.facts)
    change(values, facts)
    with pytest.raises(VerificationError, match=rule):
        clew.verify.clustering_coefficient(graph, Result("x", {"coefficient": values}, facts=facts))


@settings(max_examples=30, deadline=None)
@given(weighted_graphs("int32", 1, 9))
def test_weights_and_directed_triangles_are_networkx_ones(graph):
    other = as_networkx(graph)  # of parallel edges, the first
    source, target, weights = zip(*other.edges(data="weight"), strict=True) if other.size() else ((), (), ())
    plain = np.array(source, np.int64), np.array(target, np.int64), np.array(weights, np.int32)
    graph = clew.Graph.from_edges(*plain, graph.num_vertices, graph.directed)
    for weighted in (False, True):
        expected = nx.clustering(other, weight="weight" if weighted else None)
        for device in ("cpu", "reference"):
            found = clew.clustering_coefficient(graph, method="triangles", weighted=weighted, device=device)
            clew.verify.clustering_coefficient(graph, found, method="triangles", weighted=weighted)
            assert found.to_dict() == pytest.approx(expected)


@pytest.mark.quick
def test_what_weights_need():
    graph = clew.Graph.from_edges([0, 1, 2], [1, 2, 0], [1, 2, -3])
    with pytest.raises(GraphError, match="the smallest weight is -3"):
        clew.clustering_coefficient(graph, weighted=True)
    with pytest.raises(GraphError, match='needs method="triangles"'):
        clew.clustering_coefficient(graph.with_weights([1, 2, 3]), weighted=True)
    found = clew.clustering_coefficient(graph.with_weights([1, 8, 8]), weighted=True, method="triangles")
    assert found.coefficient.tolist() == pytest.approx([0.25] * 3)
