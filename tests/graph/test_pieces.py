"""Pieces of a graph, by names and by masks."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew import GraphError
from tests.graph.strategies import edge_lists
from tests.io.fuzzing import assert_valid


@pytest.fixture
def people() -> clew.Graph:
    return clew.Graph.from_edges(["ann", "bob", "ann", "dan"], ["bob", "cy", "cy", "eve"], [3, 5, 7, 9])


def named(graph: clew.Graph) -> list[tuple]:
    """The edges by name, an undirected one with the smaller name first, sorted."""
    source, target, weights = graph.edges()
    ends = [(graph.name(u), graph.name(v)) for u, v in zip(source, target, strict=True)]
    if not graph.directed:
        ends = [tuple(sorted(pair)) for pair in ends]
    return sorted(zip(ends, [None] * len(ends) if weights is None else weights.tolist(), strict=True), key=str)


@pytest.mark.quick
@pytest.mark.parametrize(
    "selected",
    [["cy", "ann"], {"cy", "ann"}, ["ann", "cy", "ann"], pa.array(["cy", "ann"]), pd.Series(["ann", "cy"]),
     {"ann": 1, "cy": 2}, (name for name in ("ann", "cy")), np.array(["ann", "cy"]), [True, False, False, True, False],
     np.array([True, False, False, True, False]), pa.array([True, False, False, True, False])],
    ids=lambda selected: type(selected).__name__,
)  # fmt: skip
def test_subgraph_by_names_or_mask(people, selected):
    part = people.subgraph(selected)
    assert part.names[:] == ["ann", "cy"]  # in the graph's order
    assert named(part) == [(("ann", "cy"), 7)]


@pytest.mark.quick
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda g: g.subgraph(["ann", "zoe"]), "no vertex is called 'zoe'"),
        (lambda g: g.subgraph([0]), "names are strings"),
        (lambda g: g.subgraph("ann"), "the vertices are str; expected a list of names"),
        (lambda g: g.subgraph(7), "the vertices are int; expected a list of names"),
        (lambda g: g.subgraph([True]), r"the mask has shape \(1,\); expected one entry per vertex, \(5,\)"),
        (lambda g: g.ego("zoe"), "no vertex is called 'zoe'"),
        (lambda g: g.ego("ann", -1), "hops is -1; expected 0 or more"),
        (lambda g: g.ego("ann", 1.5), "hops is 1.5; expected an integer"),
        (lambda g: g.ego("ann", direction="up"), "direction is 'up'; expected 'out', 'in' or 'both'"),
        (lambda g: g.filter_edges([True]), r"the mask has shape \(1,\); expected one entry per edge, \(4,\)"),
        (lambda g: g.filter_edges([0, 1]), "the mask has dtype int64; expected 4 booleans, one per edge"),
        (lambda g: g.filter_edges(lambda edge: edge["length"] > 1), "no column 'length'; they have 'source', 'target'"),
        (lambda g: g.filter_edges(pd.Series([True] * 4, index=[3, 2, 1, 0])), "expected one entry per edge, in the"),
        (lambda g: g.components()[2], "the number of the component is 2; expected -2 to 1"),
    ],
)
def test_bad_arguments_are_refused(people, call, message):
    with pytest.raises(GraphError, match=message):
        call(people)


@pytest.mark.quick
def test_empty_selections_give_empty_graphs(people):
    assert people.subgraph([]).num_vertices == people.subgraph([False] * 5).num_vertices == 0
    none = people.filter_edges([False] * 4)
    assert (none.num_vertices, none.num_edges, none.names) == (5, 0, people.names)
    nothing = clew.Graph.from_edges([], [])
    assert nothing.subgraph([]).num_vertices == nothing.filter_edges([]).num_vertices == len(nothing.components()) == 0
    assert repr(nothing.components()) == "Components: 0"


@pytest.mark.quick
def test_filter_by_a_function_over_columns(people):
    heavy = people.filter_edges(lambda edge: edge["weight"] >= 7)
    assert named(heavy) == [(("ann", "cy"), 7), (("dan", "eve"), 9)]
    assert named(people.filter_edges(lambda edge: edge["source"] == "bob")) == [(("bob", "cy"), 5)]
    assert set(clew.pieces.EdgeColumns(people.with_weights(None))) == {"source", "target"}


@settings(max_examples=60, deadline=None)
@given(edge_lists(), st.booleans(), st.data())
def test_ego_against_networkx(edges, directed, data):
    graph = clew.Graph.from_edges(*edges, directed=directed)
    if not graph.num_vertices:
        return
    other = graph.with_weights(None).to_networkx()
    centre, hops = data.draw(st.integers(0, graph.num_vertices - 1)), data.draw(st.integers(0, 4))
    turned = {"out": other, "in": other.reverse() if directed else other, "both": other.to_undirected()}
    for direction, followed in turned.items():
        part = graph.ego(centre, hops, direction)
        assert_valid(part)
        near = nx.single_source_shortest_path_length(followed, centre, cutoff=hops)
        assert part.names[:] == sorted(near)
        assert part == graph.subgraph(sorted(near))


@settings(max_examples=60, deadline=None)
@given(edge_lists(), st.booleans(), st.data())
def test_few_rows_are_the_same_as_many(edges, directed, data):
    graph = clew.Graph.from_edges(*edges, directed=directed)
    chosen = np.flatnonzero(
        data.draw(st.lists(st.booleans(), min_size=graph.num_vertices, max_size=graph.num_vertices))
    )
    starts, ends = graph.indptr[chosen], graph.indptr[chosen + 1]
    few = clew.transform._few_rows(graph.outgoing, chosen, starts, ends - starts)
    assert clew.transform.equal(few, clew.transform.subgraph(graph.outgoing, chosen))
    assert few.indices.dtype == graph.indices.dtype


@settings(max_examples=60, deadline=None)
@given(edge_lists(), st.booleans(), st.data())
def test_filtered_edges_are_those_of_the_mask(edges, directed, data):
    graph = clew.Graph.from_edges(*edges, directed=directed)
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=graph.num_edges, max_size=graph.num_edges)), dtype=bool)
    part = graph.filter_edges(mask)
    assert_valid(part)
    source, target, weights = graph.edges()
    kept = [None if column is None else column[mask] for column in (source, target, weights)]
    assert part == clew.Graph.from_edges(*kept, graph.num_vertices, directed=directed)


@settings(max_examples=60, deadline=None)
@given(edge_lists(), st.booleans())
def test_components_are_all_of_the_graph(edges, directed):
    graph = clew.Graph.from_edges(*edges, directed=directed)
    parts = graph.components()
    other = graph.with_weights(None).to_networkx()
    find = nx.weakly_connected_components if directed else nx.connected_components
    expected = sorted(map(sorted, find(other)), key=lambda part: (-len(part), part[0]))
    assert [part.names[:] for part in parts] == expected
    assert parts.sizes.tolist() == list(map(len, expected))
    for part, vertices in zip(parts, expected, strict=True):
        assert_valid(part)
        assert part == graph.subgraph(vertices)
    if expected:
        assert parts[0] == graph.largest_component() == parts[:1][0]
        assert parts[-1] == parts[len(parts) - 1]


def test_pieces_can_be_written(people, tmp_path):
    for part in (*people.components(), people.ego("ann"), people.filter_edges([True, False, True, False])):
        clew.write(part, tmp_path / "part.clew")
        assert clew.read(tmp_path / "part.clew", check=True) == part


def test_a_condition_on_times_says_what_to_compare_with():
    days = np.array(["2026-11-01", "2026-11-02"], dtype="datetime64[s]")
    graph = clew.Graph.from_edges([0, 1], [1, 2], edge_columns={"day": days})
    with pytest.raises(GraphError, match=r"compare times with numpy\.datetime64"):
        graph.filter_edges(lambda edge: edge["day"] > "2026-11-01")
    assert graph.filter_edges(lambda edge: edge["day"] > np.datetime64("2026-11-01")).num_edges == 1
