"""What a user does with a Graph."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew import GraphError
from tests.graph.strategies import edge_lists
from tests.io.fuzzing import assert_valid


@pytest.fixture
def small() -> clew.Graph:
    return clew.Graph.from_edges([0, 0, 1, 3], [1, 2, 2, 3], [1.5, 2.5, 3.5, 4.5], 5)


@pytest.mark.quick
def test_its_arrays_cannot_be_changed(small):
    for array in (small.indptr, small.indices, small.weights, small.incoming.indices):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


@pytest.mark.quick
def test_it_counts_edges_as_people_do(small):
    assert (small.num_vertices, small.num_edges, small.num_arcs, small.num_loops) == (5, 4, 4, 1)
    undirected = small.symmetrized()
    assert (undirected.num_edges, undirected.num_arcs, undirected.directed) == (4, 7, False)
    assert undirected.symmetrized() is undirected
    assert undirected.reversed() is undirected


@pytest.mark.quick
def test_degrees(small):
    assert small.degrees().tolist() == [2, 1, 0, 1, 0]
    assert small.degrees("in").tolist() == [0, 1, 2, 1, 0]
    assert small.reversed().degrees().tolist() == [0, 1, 2, 1, 0]
    assert small.degrees("in").tolist() == [0, 1, 2, 1, 0]  # now from the in-edges that are there
    with pytest.raises(GraphError, match="direction is 'sideways'"):
        small.degrees("sideways")


@pytest.mark.quick
def test_in_edges_are_built_once_and_shared(small):
    assert small.incoming is small.incoming
    turned = small.reversed()
    assert turned.outgoing is small.incoming
    assert turned.reversed().outgoing is small.outgoing


@settings(max_examples=60, deadline=None)
@given(edge_lists(), st.booleans())
def test_reversing_twice_changes_nothing(edges, directed):
    graph = clew.Graph.from_edges(*edges, directed=directed)
    turned = clew.Graph(graph.incoming, directed=directed)
    assert_valid(turned)
    dense = np.zeros((graph.num_vertices,) * 2)
    np.add.at(dense, (edges.source, edges.target), 1)
    if directed:
        np.testing.assert_array_equal(turned.with_weights(None).to_scipy().toarray(), dense.T)
    assert clew.Graph(turned.reversed().outgoing, directed=directed) == graph


@settings(max_examples=60, deadline=None)
@given(edge_lists(), st.booleans(), st.data())
def test_subgraph_and_relabeled_against_matrices(edges, directed, data):
    graph = clew.Graph.from_edges(*edges, directed=directed, duplicates="first")
    n = graph.num_vertices
    dense = graph.with_weights(None).to_numpy()
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)), dtype=bool)
    part = graph.subgraph(mask)
    assert_valid(part)
    np.testing.assert_array_equal(part.with_weights(None).to_numpy(), dense[mask][:, mask])
    assert part.names.array.to_pylist() == np.flatnonzero(mask).tolist()
    assert graph.subgraph(np.flatnonzero(mask)) == part
    permutation = np.array(data.draw(st.permutations(range(n))), dtype=np.int64)
    moved = graph.relabeled(permutation)
    assert_valid(moved)
    expected = np.empty_like(dense)
    expected[np.ix_(permutation, permutation)] = dense
    np.testing.assert_array_equal(moved.with_weights(None).to_numpy(), expected)
    assert [moved.name(permutation[v]) for v in range(n)] == list(range(n))


def test_weights_follow_their_edges_through_every_change():
    rng = np.random.default_rng(0)
    n = 60
    source, target = rng.integers(0, n, 900), rng.integers(0, n, 900)
    graph = clew.Graph.from_edges(source, target, source * 1000.0 + target, n, duplicates="first")
    for changed in (graph.reversed(), graph.relabeled(rng.permutation(n)), graph.subgraph(rng.random(n) < 0.5)):
        for u, v, w in zip(*(column.tolist() for column in changed.edges()), strict=True):
            a, b = changed.name(u), changed.name(v)
            assert w in (a * 1000.0 + b, b * 1000.0 + a)


@pytest.mark.quick
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda g: g.subgraph([True]), "the mask has shape"),
        (lambda g: g.subgraph([9]), "ids run from 9 to 9"),
        (lambda g: g.subgraph([0.5]), "mask has dtype float64"),
        (lambda g: g.relabeled([0, 1]), "permutation has shape"),
        (lambda g: g.relabeled([0, 0, 1, 2, 3]), "every vertex exactly once"),
        (lambda g: g.relabeled([0, 1, 2, 3, 9]), "every vertex exactly once"),
        (lambda g: g.with_weights([1]), "one weight per edge"),
        (lambda g: g.symmetrized().with_weights(range(7)), "the graph is undirected"),
        (lambda g: g.vertex(5), "5 is not a vertex; expected an integer from 0 to 4"),
        (lambda g: g.vertex("a"), "'a' is not a vertex"),
        (lambda g: g.vertex(1.5), "1.5 is not a vertex"),
        (lambda g: g.name(1.5), "1.5 is not the id of a vertex"),
        (lambda g: g.name("a"), "'a' is not the id of a vertex"),
        (lambda g: g.subgraph([[0], [1, 2]]), "the mask is a list whose rows differ in length"),
        (lambda g: g.relabeled([[0], [1, 2]]), "the permutation is a list whose rows differ"),
        (lambda g: g.with_weights([[0], [1, 2]]), "weights is a list whose rows differ"),
        (lambda g: g.symmetrized(["min"]), r"duplicates is \['min'\]; expected 'keep'"),
        (lambda _: clew.Graph.from_edges(["a"], ["b"]).vertex(["a"]), "is not one vertex; expected the name"),
        (lambda _: clew.Graph.from_edges(["a"], ["b"]).vertex({"a": 1}), "these are not names of vertices"),
    ],
)
def test_bad_arguments_are_refused(small, call, message):
    with pytest.raises(GraphError, match=message):
        call(small)


@pytest.mark.quick
def test_vertices_by_name():
    graph = clew.Graph.from_edges(["ann", "bob", "ann"], ["bob", "cy", "cy"])
    assert graph.num_vertices == 3
    assert graph.vertex("cy") == 2
    assert graph.name(1) == "bob"
    assert graph.neighbors("ann") == ["bob", "cy"]
    assert graph.subgraph(["ann", "cy"]).neighbors("ann") == ["cy"]
    assert graph.relabeled([0, 2, 1]).neighbors("ann") == ["cy", "bob"]
    with pytest.raises(GraphError, match="no vertex is called 'dan'"):
        graph.vertex("dan")
    with pytest.raises(GraphError, match="names are strings"):
        graph.vertex(3)


@pytest.mark.parametrize("names", [None, ["ann", "bob", "cy"]])
def test_no_vertex_has_no_name(names):
    graph = clew.Graph.from_edges([0, 1], [1, 2], names=names)
    for vertex in (-1, 3):  # -1 is the parent of what a search has not reached
        with pytest.raises(GraphError, match=f"{vertex} is not the id of a vertex; there are 3"):
            graph.name(vertex)


def test_a_mask_of_pandas_is_in_the_order_of_vertices():
    graph, ranks = clew.generate.path(4), pd.Series([0.1, 0.3, 0.2, 0.4])
    assert graph.subgraph(ranks > 0.2).names.array.to_pylist() == [1, 3]
    with pytest.raises(GraphError, match=r"the mask is a pandas Series with an index other than 0…n-1"):
        graph.subgraph(ranks.sort_values() > 0.2)


def test_a_mask_of_integers_is_no_list_of_ids():
    graph = clew.generate.path(4)
    with pytest.raises(GraphError, match=r"0 or 1 per vertex\. Pass a mask of booleans"):
        graph.subgraph(np.array([1, 0, 0, 1]))
    assert graph.subgraph([1, 0, 1]).num_vertices == 2


def test_labels_of_pandas_that_mean_another_order_are_refused():
    """They would be taken by position: the third vertex would get the first one's value, say."""
    graph, ages = clew.Graph.from_edges(["ann", "bob"], ["bob", "cy"]), pd.Series([1, 2, 3], index=["cy", "bob", "ann"])
    for columns in ({"age": ages}, pd.DataFrame({"age": ages})):
        with pytest.raises(GraphError, match=r"index other than 0…n-1; .* in the order of vertices.*name it in by="):
            graph.with_vertex_columns(columns)
    named = ages.rename_axis("who").rename("age").reset_index()
    assert graph.with_vertex_columns(named, by="who").vertex_columns["age"].to_pylist() == [3, 2, 1]
    with pytest.raises(GraphError, match="communities is a pandas Series with an index"):
        clew.modularity(graph.symmetrized(), ages)
    lengths = pd.Series([1.0, 2.0], index=[1, 0])
    for change in (graph.with_weights, lambda one: graph.with_edge_columns({"km": one})):
        with pytest.raises(GraphError, match="in the order of edges"):
            change(lengths)
        change(lengths.reset_index(drop=True))


def test_names_do_not_change_with_the_array_they_came_from():
    for dtype in ("int64", "uint8"):
        names = np.array([10, 20, 30], dtype=dtype)
        graphs = clew.Graph.from_edges([0], [1], names=names), clew.Graph.from_csr([0, 1, 1, 1], [1], names=names)
        names[0] = 99
        assert all(graph.names.array.to_pylist() == [10, 20, 30] for graph in graphs)
        assert all(graph.vertex(10) == 0 for graph in graphs)


@pytest.mark.parametrize("names", [[], np.array([]), np.array([], dtype=np.int64)])
def test_no_vertices_have_no_names(names):
    for graph in (clew.Graph.from_edges([], [], names=names), clew.Graph.from_csr([0], [], names=names)):
        assert len(graph.names) == 0
        assert clew.pagerank(graph).to_dict() == {}


def test_a_truth_value_names_no_vertex():
    graph = clew.Graph.from_edges([0], [1], names=[1, 2])
    with pytest.raises(GraphError, match="True is not the name"):
        graph.vertex(True)


def test_sparse_and_huge_integer_names():
    ids = np.array([2**63 - 1, -5, 10**12], dtype=np.int64)
    graph = clew.Graph.from_edges(ids, ids[::-1].copy(), ids="map")
    assert graph.num_vertices == 3
    assert graph.names.array.to_pylist() == sorted(ids.tolist())
    assert graph.neighbors(-5) == [-5]
    wide = clew.Graph.from_edges(np.array([2**64 - 1], dtype=np.uint64), np.array([3], dtype=np.uint64), ids="map")
    assert wide.neighbors(2**64 - 1) == [3]


def test_repr_says_what_there_is(small):
    text = repr(small)
    assert "5 vertices, 4 directed edges, float64 weights" in text
    assert "degree 0 to 2" in text
    assert "1 isolated, 1 self-loop" in text
    html = small._repr_html_()
    assert "<table>" in html
    assert "out-degree" in html
    assert json.dumps(small.describe().as_dict())
    assert repr(clew.Graph.from_edges([], [])).startswith("Graph: 0 vertices, 0 directed edges, unweighted")


def test_names_in_html_are_escaped():
    graph = clew.Graph.from_edges(["<b>"], ["&"])
    assert "<b>" not in graph._repr_html_()


@pytest.mark.quick
def test_equality_is_of_edges_weights_direction_and_names(small):
    assert small == clew.Graph.from_edges([3, 1, 0, 0], [3, 2, 2, 1], [4.5, 3.5, 2.5, 1.5], 5)
    assert small != small.with_weights(None)
    assert small != small.with_weights(small.weights.astype(np.float32))
    assert small != small.relabeled(range(5))
    assert small != "a graph"


def test_it_can_be_sent_to_another_process(small):
    again = pickle.loads(pickle.dumps(small))
    assert again == small
