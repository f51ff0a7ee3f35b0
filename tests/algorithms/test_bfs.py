"""Breadth-first search, against its checker, NetworkX and known answers."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew import GraphError, Result, VerificationError
from tests.algorithms.graphs import LARGE, as_networkx, graphs, thread_count


@settings(max_examples=80, deadline=None)
@given(graphs(min_vertices=1), st.data())
def test_small_graphs(graph, data):
    source = data.draw(st.integers(0, graph.num_vertices - 1))
    result = clew.bfs(graph, source)
    clew.verify.bfs(graph, source, result)
    expected = nx.single_source_shortest_path_length(as_networkx(graph), source)
    assert {v: d for v, d in enumerate(result.depth.tolist()) if d >= 0} == expected
    assert result.num_reached == len(expected)


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("name", LARGE)
def test_large_graphs(name, threads):
    graph = LARGE[name]()
    source = int(np.argmax(graph.degrees()))
    with thread_count(threads):
        result = clew.bfs(graph, source)
        clew.verify.bfs(graph, source, result)
        again = clew.bfs(graph, source, deterministic=True)
        clew.verify.bfs(graph, source, again)
    np.testing.assert_array_equal(again.depth, result.depth)
    with thread_count(1):
        alone = clew.bfs(graph, source, deterministic=True)
    np.testing.assert_array_equal(again.parent, alone.parent)
    frontier = result.trace["frontier"]
    assert frontier.sum() == result.num_reached
    assert len(result.trace) == result.iterations == result.depth.max() + 1


def test_both_directions_are_used_where_they_pay():
    graph = LARGE["kronecker"]()
    directions = clew.bfs(graph, int(np.argmax(graph.degrees()))).trace["direction"].tolist()
    assert "pull" in directions
    assert set(clew.bfs(LARGE["path"](), 0).trace["direction"].tolist()) == {"push"}


def test_by_name():
    graph = clew.Graph.from_edges(["a", "b"], ["b", "c"])
    result = clew.bfs(graph, "b")
    assert result.to_dict() == {"b": 0, "c": 1}
    assert result.of("c") == 1
    with pytest.raises(GraphError, match="no vertex is called 'z'"):
        clew.bfs(graph, "z")
    with pytest.raises(GraphError, match="the graph is empty"):
        clew.bfs(clew.Graph.from_edges([], []), 0)
    with pytest.raises(GraphError, match="device is 'tpu'"):
        clew.bfs(graph, "a", device="tpu")


def test_the_sums_that_all_peers_agree_on(shared_data):
    graph = clew.read(shared_data / "roads" / "roadtokyo.npz")
    depth = clew.bfs(graph, 0).depth
    assert (int((depth >= 0).sum()), int(depth.sum(dtype=np.int64))) == (2_064_578, 2_201_003_335)
    slashdot = clew.read(shared_data / "snap" / "soc-Slashdot0902.txt.gz", loops="drop", duplicates="drop")
    depth = clew.bfs(slashdot, 2494).depth
    assert (int((depth >= 0).sum()), int(depth.sum(dtype=np.int64))) == (82_168, 223_594)


@pytest.mark.parametrize("direction", ["directed", "undirected"])
def test_ldbc(shared_data, direction):
    name = f"test-bfs-{direction}"
    graph = clew.read(shared_data / "ldbc" / f"{name}.e")
    source = int(graph.metadata["ldbc"]["bfs.source-vertex"])
    expected = dict(map(int, line.split()) for line in (shared_data / "ldbc" / f"{name}-BFS").read_text().splitlines())
    assert clew.bfs(graph, source).to_dict() == {v: depth for v, depth in expected.items() if depth < 2**63 - 1}


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        (lambda d, p: d.__setitem__(0, 1), "the source has depth 0"),
        (lambda d, p: p.__setitem__(2, -1), "exactly the vertices with a depth"),
        (lambda d, p: d.__setitem__(3, 9), "one deeper than its parent"),
        (lambda d, p: (p.__setitem__(3, 0), d.__setitem__(3, 1)), "an edge leads from a parent"),
        (lambda d, p: (p.__setitem__(3, -1), d.__setitem__(3, -1)), "is reached"),
        (lambda d, p: p.__setitem__(3, 77), "a parent is a vertex"),
    ],
)
def test_the_checker_finds_what_is_wrong(change, rule):
    graph = clew.Graph.from_edges([0, 1, 2], [1, 2, 3])
    result = clew.bfs(graph, 0)
    depth, parent = result.depth.copy(), result.parent.copy()
    change(depth, parent)
    with pytest.raises(VerificationError, match=rule):
        clew.verify.bfs(graph, 0, Result("bfs", {"depth": depth, "parent": parent}))


def test_the_checker_looks_at_what_is_not_reached_and_at_the_count():
    graph = clew.Graph.from_edges([0], [1], num_vertices=3)
    result = clew.bfs(graph, 0)
    clew.verify.bfs(graph, 0, result)
    with pytest.raises(VerificationError, match="num_reached is the number"):
        clew.verify.bfs(graph, 0, Result("bfs", result.values, facts={"num_reached": 3}))
    result.depth[2] = -2
    with pytest.raises(VerificationError, match="a depth is -1 or more"):
        clew.verify.bfs(graph, 0, result)
