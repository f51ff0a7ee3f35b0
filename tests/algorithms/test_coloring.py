"""Colouring, against its checker, a greedy pass in plain Python and NetworkX."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew import GraphError, Result, VerificationError
from tests.algorithms.graphs import LARGE, as_networkx, graphs, thread_count

WAYS = [
    {"order": "largest_first"},
    {"order": "random"},
    {"order": "smallest_last"},
    {"method": "rounds"},
]


def neighbors(graph):
    """The neighbours of every vertex in either direction, without itself."""
    other = as_networkx(graph).to_undirected()
    return [sorted(set(other[v]) - {v}) for v in range(graph.num_vertices)]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: "-".join(way.values()))
@settings(max_examples=30, deadline=None)
@given(graphs(), st.integers(0, 3))
def test_small_graphs(way, graph, seed):
    result = clew.coloring(graph, seed=seed, **way)
    clew.verify.coloring(graph, result)
    beside = neighbors(graph)
    assert result.color.dtype == np.int32
    if "order" in way:
        assert result.count <= max(map(len, beside), default=-1) + 1
        # Every smaller colour is somewhere around, or the smallest free one was not taken.
        for v, around in enumerate(beside):
            assert set(range(result.color[v])) <= {int(result.color[u]) for u in around}
    else:
        assert result.count <= 2 * result.iterations
        by_color = np.bincount(result.color, minlength=2 * result.iterations)
        assert by_color.reshape(-1, 2).sum(axis=1).tolist() == result.trace.columns.get("colored", by_color).tolist()


@pytest.mark.parametrize("way", WAYS, ids=lambda way: "-".join(way.values()))
@pytest.mark.parametrize("name", LARGE)
def test_any_number_of_threads_gives_the_same_colors(name, way):
    graph = LARGE[name]()
    with thread_count(1):
        alone = clew.coloring(graph, seed=7, **way)
    clew.verify.coloring(graph, alone)
    for threads in (2, 5):
        with thread_count(threads):
            result = clew.coloring(graph, seed=7, **way)
        np.testing.assert_array_equal(result.color, alone.color)
        if "method" in way:
            np.testing.assert_array_equal(result.trace["colored"], alone.trace["colored"])


@pytest.mark.parametrize("way", WAYS, ids=lambda way: "-".join(way.values()))
def test_the_seed_matters_where_something_is_random(way):
    graph = clew.generate.uniform(2000, 10_000, seed=6)
    one, same, other = (clew.coloring(graph, seed=seed, **way).color.tolist() for seed in (7, 7, 8))
    assert one == same
    assert (one == other) == (way.get("order") == "smallest_last")


@settings(max_examples=30, deadline=None)
@given(graphs(), st.integers(0, 3))
def test_larger_degrees_choose_first(graph, seed):
    color = clew.coloring(graph, seed=seed).color
    degree = graph.degrees() + (graph.degrees("in") if graph.directed else 0)
    for v, around in enumerate(neighbors(graph)):
        assert set(range(color[v])) <= {int(color[u]) for u in around if degree[u] >= degree[v]}


@pytest.mark.parametrize("way", WAYS, ids=lambda way: "-".join(way.values()))
def test_known_answers(way):
    def count(graph):
        result = clew.coloring(graph, **way)
        clew.verify.coloring(graph, result)
        return result.count

    assert count(clew.generate.complete(90)) == 90
    assert count(clew.Graph.from_edges([], [])) == 0
    assert count(clew.Graph.from_edges([], [], num_vertices=5)) == 1
    assert count(clew.Graph.from_edges([0, 0], [0, 0])) == 1
    assert count(clew.generate.star(300)) <= (3 if "method" in way else 2)
    assert count(clew.generate.cycle(9)) >= 3
    if way.get("order") == "smallest_last":
        assert count(clew.generate.path(1000)) == 2
        assert count(clew.generate.cycle(9)) == 3
        assert count(clew.generate.barabasi_albert(500, 3)) <= 4


def test_smallest_last_needs_at_most_one_color_more_than_the_degeneracy():
    for graph in (clew.generate.kronecker(9, seed=1), clew.generate.uniform(1000, 5000, seed=2)):
        simple = as_networkx(graph)
        simple.remove_edges_from(list(nx.selfloop_edges(simple)))
        clean = clew.Graph.from_networkx(simple)
        assert clew.coloring(clean, order="smallest_last").count <= max(nx.core_number(simple).values()) + 1


def test_as_few_colors_as_networkx_needs():
    graph = clew.generate.uniform(4000, 20_000, seed=6)
    theirs = nx.greedy_color(as_networkx(graph), strategy="largest_first")
    assert abs(clew.coloring(graph).count - (max(theirs.values()) + 1)) <= 1


def test_arguments():
    graph = clew.generate.path(3)
    with pytest.raises(GraphError, match="method is 'best'; expected 'jones_plassmann' or 'rounds'"):
        clew.coloring(graph, method="best")
    with pytest.raises(GraphError, match="order is 'best'; expected 'largest_first', 'random' or"):
        clew.coloring(graph, order="best")
    with pytest.raises(GraphError, match="seed is -1; expected 0 or more"):
        clew.coloring(graph, seed=-1)
    with pytest.raises(GraphError, match="device is 'tpu'"):
        clew.coloring(graph, device="tpu")


@pytest.mark.parametrize(
    ("color", "count", "rule"),
    [
        ([0, 1], 2, "a colour for every vertex"),
        ([0, 1, -1], 2, "0 or more"),
        ([0, 1, 1], 2, "different colours"),
        ([0, 1, 0], 3, "number of colours"),
        ([0, 2, 0], 2, "the colours are 0"),
    ],
)
def test_the_checker_finds_what_is_wrong(color, count, rule):
    graph = clew.generate.path(3)
    with pytest.raises(VerificationError, match=rule):
        clew.verify.coloring(graph, Result("coloring", {"color": np.array(color)}, facts={"count": count}))
