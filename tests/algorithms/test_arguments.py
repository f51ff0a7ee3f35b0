"""What every algorithm refuses in the same words."""

from __future__ import annotations

import re
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

import clew
from clew.algorithms.registry import ALGORITHMS


@pytest.mark.parametrize("name", ALGORITHMS)
@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("graph.mtx", "of type str; expected a clew.Graph: read the file with clew.read"),
        (Path("graph.mtx"), "read the file with clew.read"),
        (nx.path_graph(3), "of type networkx.Graph; expected a clew.Graph: convert it with clew.Graph.from_networkx"),
        (None, "of type NoneType; expected a clew.Graph"),
    ],
)
def test_what_is_no_graph(name, wrong, message):
    for ask in (lambda: getattr(clew, name)(wrong), lambda: getattr(clew, name)(graph=wrong)):
        with pytest.raises(clew.GraphError, match=message):
            ask()
    with pytest.raises(clew.GraphError, match=message):
        clew.explain(wrong, name)


def test_a_search_without_a_source():
    named, numbered = clew.Graph.from_edges(["ann"], ["bob"]), clew.Graph.from_edges([5], [7], ids="map")
    for name in ("bfs", "sssp", "dfs_order"):
        for graph, example in ((named, "'ann'"), (numbered, "5")):
            with pytest.raises(clew.GraphError, match=f"{name} starts at the vertex 0 unless .* source={example}"):
                getattr(clew, name)(graph)
    assert clew.bfs(clew.Graph.from_edges([0], [7], ids="map")).num_reached == 2


def test_one_vertex_is_no_list_and_no_truth_value():
    for graph, several in ((clew.Graph.from_edges(["ann"], ["bob"]), ["ann"]), (clew.generate.path(3), [0])):
        for given in (several, tuple(several), np.array(several)):
            with pytest.raises(clew.GraphError, match=r"is not one vertex; .* clew\.multi_source_bfs searches"):
                clew.bfs(graph, given)
        for truth in (True, np.True_):
            with pytest.raises(clew.GraphError, match="True is not the name of a vertex, but a truth value"):
                clew.bfs(graph, truth)
    with pytest.raises(clew.GraphError, match="True is not the name of a vertex"):
        clew.bfs(clew.Graph.from_edges([0], [1], ids="map"), True)
    assert clew.bfs(clew.generate.path(3), np.array(1)).depth.tolist() == [1, 0, 1]


@pytest.mark.quick
def test_the_name_of_a_column_is_no_truth_value():
    """It would be true, and the ranks those of other weights."""
    graph = clew.generate.path(3)
    with pytest.raises(
        clew.GraphError, match=r"weighted is 'km'; expected True or False\. Pass graph\.with_weights\('km'\)"
    ):
        clew.pagerank(graph, weighted="km")
    for name, flag in (("betweenness", "normalized"), ("triangles", "per_vertex"), ("leiden", "hierarchy")):
        with pytest.raises(clew.GraphError, match=f"{flag} is 'no'; expected True or False"):
            getattr(clew, name)(graph, **{flag: "no"})


@pytest.mark.quick
@pytest.mark.parametrize(
    ("name", "argument", "advice"),
    [
        ("pagerank", "alpha", "clew calls it damping."),
        ("pagerank", "tol", "clew calls it tolerance."),
        ("hits", "max_iter", "clew calls it max_iterations."),
        ("betweenness", "k", "clew calls it samples."),
        ("closeness", "normalised", "expected some of weighted, samples, seed, device."),
        ("harmonic", "normalised", "Did you mean normalized?"),
        ("bfs", "threads", "clew.threads.set_count(…) sets the number of threads for all calls."),
        ("sssp", "weight", "Pass graph.with_weights(1)."),
    ],
)
def test_an_argument_that_there_is_not(name, argument, advice):
    for kind in (clew.GraphError, TypeError):
        with pytest.raises(kind, match=f"{name} has no argument '{argument}'.*{re.escape(advice)}$"):
            getattr(clew, name)(clew.generate.path(3), **{argument: 1})
    with pytest.raises(TypeError, match="positional argument"):
        clew.pagerank(clew.generate.path(3), 0.85)


def test_a_function_that_there_is_not():
    with pytest.raises(AttributeError, match=r"no attribute 'page_rank'; did you mean clew\.pagerank\?$"):
        _ = clew.page_rank
    assert not hasattr(clew, "__wrapped__")
