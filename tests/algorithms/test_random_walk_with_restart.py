"""Random walks with restart, against their checker, NetworkX and known answers."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew import GraphError, Result, VerificationError
from tests.algorithms.graphs import LARGE, graphs, thread_count


@settings(max_examples=30, deadline=None)
@given(graphs(min_vertices=1), st.sampled_from([0.05, 0.15, 0.6, 1.0]), st.data())
def test_small_graphs(graph, restart, data):
    source = data.draw(st.integers(0, graph.num_vertices - 1))
    options = {"restart": restart, "tolerance": 1e-10}
    result = clew.random_walk_with_restart(graph, source, max_iterations=2000, **options)
    assert result.converged
    clew.verify.random_walk_with_restart(graph, source, result, **options)
    unreached = clew.bfs(graph, source).depth < 0
    assert (result.visiting[unreached] == 0).all()
    assert result.visiting[source] >= restart * (1 - 1e-9)


def test_networkx():
    graph = clew.generate.rmat(9, 6, 0.5, 0.2, 0.2, seed=8)
    expected = nx.pagerank(graph.to_networkx(), alpha=0.7, personalization={3: 1}, tol=1e-15, max_iter=500)
    found = clew.random_walk_with_restart(graph, 3, restart=0.3, tolerance=1e-11)
    np.testing.assert_allclose(found.visiting, [expected[v] for v in range(graph.num_vertices)], atol=1e-10)


@pytest.mark.parametrize("name", LARGE)
def test_large_graphs(name):
    graph = LARGE[name]()
    source = int(np.argmax(graph.degrees()))
    found = []
    for threads in (1, 2, 5):
        with thread_count(threads):
            found.append(clew.random_walk_with_restart(graph, source))
        np.testing.assert_array_equal(found[-1].visiting, found[0].visiting)
    clew.verify.random_walk_with_restart(graph, source, found[0])


def test_steps_can_be_counted():
    graph = clew.Graph.from_edges(["a", "b", "c"], ["b", "c", "d"])
    for steps, expected in enumerate([[0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [1, 0, 0, 0]], start=1):
        walk = clew.random_walk_with_restart(graph, "a", restart=0, tolerance=0, max_iterations=steps)
        assert walk.visiting.tolist() == expected  # after the dead end, back to the start
        assert walk.iterations == steps
        assert len(walk.trace) == steps
    heavy = clew.Graph.from_edges([0, 0], [1, 2], [3, 1])
    walk = clew.random_walk_with_restart(heavy, 0, weighted=True, tolerance=1e-12, dtype="float32")
    assert walk.visiting[1] == pytest.approx(3 * walk.visiting[2])
    assert walk.visiting.dtype == np.float32


def test_errors():
    graph = clew.Graph.from_edges(["a"], ["b"])
    with pytest.raises(GraphError, match="restart is 2; expected a number from 0 to 1"):
        clew.random_walk_with_restart(graph, "a", restart=2)
    with pytest.raises(GraphError, match="no vertex is called 'z'"):
        clew.random_walk_with_restart(graph, "z")
    with pytest.raises(GraphError, match="the graph is empty"):
        clew.random_walk_with_restart(clew.Graph.from_edges([], []), 0)
    with pytest.raises(GraphError, match=r"is -1\.0; random_walk_with_restart\(weighted=True\) needs"):
        clew.random_walk_with_restart(clew.Graph.from_edges([0], [1], [-1.0]), 0, weighted=True)


def test_the_checker_finds_what_is_wrong():
    graph = LARGE["star"]()
    result = clew.random_walk_with_restart(graph, 5)
    clew.verify.random_walk_with_restart(graph, 5, result)
    with pytest.raises(VerificationError, match="one more round"):
        clew.verify.random_walk_with_restart(graph, 6, result)
    swapped = result.visiting.copy()
    swapped[[0, 5]] = swapped[[5, 0]]
    with pytest.raises(VerificationError, match="one more round"):
        clew.verify.random_walk_with_restart(graph, 5, Result("walk", {"visiting": swapped}))
