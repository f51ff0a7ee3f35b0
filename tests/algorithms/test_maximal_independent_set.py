"""Maximal independent sets, against their checker, a greedy pass and known answers."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew import GraphError, Result, VerificationError
from tests.algorithms.graphs import LARGE, as_networkx, graphs, thread_count

METHODS = ["luby", "degree"]


def splitmix64(key: int, counter: int) -> int:
    """Number ``counter`` of the stream ``key``, written once more in Python's own integers."""
    mask = 2**64 - 1
    x = (key + (counter + 1) * 0x9E3779B97F4A7C15) & mask
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 & mask
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB & mask
    return x ^ (x >> 31)


@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=40, deadline=None)
@given(graphs(), st.integers(0, 3))
def test_small_graphs(method, graph, seed):
    result = clew.maximal_independent_set(graph, method=method, seed=seed)
    clew.verify.maximal_independent_set(graph, result)
    other = as_networkx(graph).to_undirected()
    other.remove_edges_from(list(nx.selfloop_edges(other)))
    members = set(np.flatnonzero(result.member).tolist())
    assert nx.is_dominating_set(other, members)
    assert other.subgraph(members).number_of_edges() == 0


@settings(max_examples=30, deadline=None)
@given(graphs(), st.integers(0, 3))
def test_luby_gives_what_one_pass_in_the_order_of_the_keys_gives(graph, seed):
    from clew.generate.arguments import stream

    key = int(stream(seed, "independent set keys"))
    other = as_networkx(graph).to_undirected()
    members: set[int] = set()
    for v in sorted(range(graph.num_vertices), key=lambda v: splitmix64(key, v), reverse=True):
        if members.isdisjoint(other[v]):
            members.add(v)
    found = clew.maximal_independent_set(graph, seed=seed).member
    assert set(np.flatnonzero(found).tolist()) == members


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", LARGE)
def test_any_number_of_threads_gives_the_same_set(name, method):
    graph = LARGE[name]()
    with thread_count(1):
        alone = clew.maximal_independent_set(graph, method=method, seed=7)
    clew.verify.maximal_independent_set(graph, alone)
    for threads in (2, 5):
        with thread_count(threads):
            result = clew.maximal_independent_set(graph, method=method, seed=7)
        np.testing.assert_array_equal(result.member, alone.member)
        np.testing.assert_array_equal(result.trace["left"], alone.trace["left"])
    assert len(alone.trace) == alone.iterations < 60
    if name != "star":
        assert np.any(clew.maximal_independent_set(graph, method=method, seed=8).member != alone.member)


@pytest.mark.parametrize("method", METHODS)
def test_known_answers(method):
    def size(graph):
        result = clew.maximal_independent_set(graph, method=method)
        clew.verify.maximal_independent_set(graph, result)
        return result.size

    assert size(clew.Graph.from_edges([], [])) == 0
    assert size(clew.Graph.from_edges([], [], num_vertices=4)) == 4
    assert size(clew.Graph.from_edges([0, 1], [0, 1])) == 2
    assert size(clew.generate.complete(40)) == 1
    assert size(clew.generate.star(50)) in (1, 49)
    assert 334 <= size(clew.generate.path(1000)) <= 500
    assert size(clew.generate.cycle(5)) == 2


def test_degrees_give_larger_sets_on_skewed_graphs():
    graph = LARGE["kronecker"]()
    sizes = {method: clew.maximal_independent_set(graph, method=method).size for method in METHODS}
    assert sizes["degree"] > sizes["luby"]


def test_arguments():
    graph = clew.generate.path(3)
    with pytest.raises(GraphError, match="method is 'best'; expected 'luby' or 'degree'"):
        clew.maximal_independent_set(graph, method="best")
    with pytest.raises(GraphError, match=r"seed is 0\.5; expected an integer"):
        clew.maximal_independent_set(graph, seed=0.5)
    with pytest.raises(GraphError, match="device is 'tpu'"):
        clew.maximal_independent_set(graph, device="tpu")


@pytest.mark.parametrize(
    ("member", "size", "rule"),
    [
        ([True, False], 1, "a bool for every vertex"),
        ([1, 0, 1], 2, "a bool for every vertex"),
        ([True, True, False], 2, "no two members are neighbours"),
        ([True, False, False], 1, "has a member for a neighbour"),
        ([True, False, True], 3, "number of members"),
    ],
)
def test_the_checker_finds_what_is_wrong(member, size, rule):
    result = Result("maximal_independent_set", {"member": np.array(member)}, facts={"size": size})
    with pytest.raises(VerificationError, match=rule):
        clew.verify.maximal_independent_set(clew.generate.path(3), result)
