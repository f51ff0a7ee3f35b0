"""Named columns of vertices and edges, through everything that moves vertices or edges."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew import GraphError
from tests.graph.strategies import edge_lists


@pytest.fixture
def roads() -> clew.Graph:
    table = {
        "source": ["ann", "bob", "ann", "cy"],
        "target": ["bob", "cy", "cy", "ann"],
        "km": [3.5, 5.0, 7.0, 1.0],
        "kind": ["path", None, "road", "road"],
    }
    graph = clew.Graph.from_arrow(pa.table(table), columns=True)
    return graph.with_vertex_columns({"vertex": ["cy", "ann"], "age": [30, 40]})


def rows(graph: clew.Graph) -> list[tuple]:
    return [tuple(row.values()) for row in graph.to_arrow().to_pylist()]


@pytest.mark.quick
def test_columns_are_in_the_order_of_edges(roads):
    assert rows(roads) == [
        ("ann", "bob", 3.5, "path"), ("ann", "cy", 7.0, "road"), ("bob", "cy", 5.0, None), ("cy", "ann", 1.0, "road"),
    ]  # fmt: skip
    assert roads.vertex_columns.to_pydict() == {"age": [40, None, 30]}
    assert roads.report.columns["km"] == "edge column"
    assert roads.nbytes > roads.with_edge_columns(None).nbytes
    plain = roads.with_edge_columns(None).with_vertex_columns(None)
    assert plain.vertex_columns.num_columns == plain.edge_columns.num_columns == 0
    assert plain != roads
    assert pickle.loads(pickle.dumps(roads)) == roads


@pytest.mark.quick
def test_a_numeric_column_can_be_the_weight(roads):
    assert clew.sssp(roads.with_weights("km"), "ann").of("cy") == 7.0
    assert clew.sssp(roads.symmetrized().with_weights("km"), "bob").of("cy") == 5.0
    both = roads.symmetrized().with_weights("km")
    assert both == both.with_weights(both.weights)  # equal in both directions
    with pytest.raises(GraphError, match="no edge column 'miles'; this graph has 'km', 'kind'"):
        roads.with_weights("miles")
    with pytest.raises(GraphError, match="column 'kind' has 1 null"):
        roads.with_weights("kind")
    with pytest.raises(GraphError, match="column 'kind' has type large_string; expected numbers"):
        roads.filter_edges([True, True, False, True]).with_weights("kind")


@pytest.mark.quick
def test_results_have_the_columns_of_vertices(roads):
    table = clew.bfs(roads, "bob").to_arrow()
    assert table.column_names == ["vertex", "depth", "parent", "age"]
    assert table["age"].to_pylist() == [40, None, 30]
    assert list(clew.pagerank(roads).to_pandas().columns) == ["vertex", "rank", "age"]
    clash = roads.with_vertex_columns({"rank": [1, 2, 3]})
    assert clew.pagerank(clash).to_arrow().column_names == ["vertex", "rank", "age", "vertex_rank"]


@pytest.mark.quick
def test_columns_filter_edges(roads):
    assert [row[:2] for row in rows(roads.filter_edges(lambda edge: edge["km"] < 5))] == [("ann", "bob"), ("cy", "ann")]
    assert roads.filter_edges(lambda edge: edge["kind"] == "road").num_edges == 2


@pytest.mark.quick
@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, pa.table, dict], ids=lambda kind: kind.__name__)
def test_tables_of_vertices(roads, kind):
    more = kind({"who": ["bob", "dan", "ann"], "size": [1, 2, 3]})
    with pytest.raises(GraphError, match="1 row of the table names no vertex, the first of them 'dan'"):
        roads.with_vertex_columns(more, by="who")
    dropped = roads.with_vertex_columns(more, by="who", unknown="drop")
    assert dropped.vertex_columns.to_pydict() == {"size": [3, 1, None], "age": [40, None, 30]}
    added = roads.with_vertex_columns(more, by="who", unknown="add")
    assert added.names[:] == ["ann", "bob", "cy", "dan"]
    assert added.vertex_columns.to_pydict() == {"size": [3, 1, None, 2], "age": [40, None, 30, None]}
    assert rows(added) == rows(roads)
    assert added.degrees().tolist() == [2, 1, 1, 0]


@pytest.mark.quick
def test_a_result_can_become_columns(roads):
    assert roads.with_vertex_columns(clew.pagerank(roads)).vertex_columns.column_names == ["age", "rank"]


def test_columns_of_a_result_of_a_part_leave_those_of_the_graph(roads):
    joined = roads.with_vertex_columns(clew.bfs(roads.subgraph(["ann", "bob"]), "ann"))
    assert joined.vertex_columns["age"].equals(roads.vertex_columns["age"])
    assert joined.vertex_columns["depth"].null_count == roads.num_vertices - 2


def test_text_with_leading_zeros_is_no_integer():
    graph = clew.Graph.from_edges([10, 20], [20, 30], ids="map")
    assert graph.with_vertex_columns({"id": ["30", "10"], "x": [1, 2]}, by="id").vertex_columns["x"].to_pylist() == [
        2,
        None,
        1,
    ]
    with pytest.raises(GraphError, match="'030' is text that integers are not printed as"):
        graph.with_vertex_columns({"id": ["10", "030"], "x": [1, 2]}, by="id")


def test_graphs_without_names_have_ids():
    graph = clew.Graph.from_edges([0, 1], [1, 2], edge_columns={"a": [1, 2]}, vertex_columns={"b": [7, 8, 9]})
    joined = graph.with_vertex_columns({"vertex": [2, 0], "c": [1.0, 2.0]})
    assert joined.vertex_columns.to_pydict() == {"c": [2.0, None, 1.0], "b": [7, 8, 9]}
    with pytest.raises(GraphError, match="names no vertex, the first of them 3"):
        graph.with_vertex_columns({"vertex": [3], "c": [1]}, unknown="add")


def test_they_do_not_change_with_the_array_they_came_from():
    values = np.array([1, 2, 3])
    graph = clew.Graph.from_edges([0, 1], [1, 2]).with_vertex_columns({"a": values})
    values[0] = 9
    assert graph.vertex_columns["a"].to_pylist() == [1, 2, 3]


@pytest.mark.quick
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda g: g.with_edge_columns({"a": [1]}), "the columns have 1 row; expected one per edge, that is 4"),
        (lambda g: g.with_vertex_columns({"a": [1]}), "the columns have 1 row; expected one per vertex, that is 3"),
        (lambda g: g.with_edge_columns({"weight": [1] * 4}), "column name 'weight' has a meaning of its own; rename"),
        (lambda g: g.with_edge_columns({"": [1] * 4}), "column name '' is empty"),
        (lambda g: g.with_edge_columns({"a": [1], "b": [1, 2]}), "these are no columns"),
        (lambda g: g.with_edge_columns(7), "these are no columns"),
        (lambda g: g.with_vertex_columns({"a": [1]}, by="b"), "there is no column 'b'; the table has 'a'"),
        (lambda g: g.with_vertex_columns({"vertex": ["ann", None]}), "column 'vertex' has 1 null"),
        (lambda g: g.with_vertex_columns({"vertex": ["ann", "ann"], "a": [1, 2]}), "names a vertex more than once"),
        (lambda g: g.with_vertex_columns({"a": [1]}, unknown="no"), "unknown is 'no'; expected 'error', 'drop' or"),
        (lambda g: clew.Graph.from_arrow(g.to_arrow(), columns=["x"]), "the table has no column 'x'; it has 'source'"),
        (lambda g: clew.Graph.from_arrow(g.to_arrow(), columns="km"), "columns is 'km'; expected True, or a list"),
        (lambda g: clew.Graph.from_edges([0], [1], edge_columns={"a": [1, 2]}), "2 rows; expected one per edge"),
    ],
)
def test_bad_columns_are_refused(roads, call, message):
    with pytest.raises(GraphError, match=message):
        call(roads)


def ends(graph: clew.Graph) -> list[tuple]:
    """Every edge by names and with its columns; an undirected one with the smaller name first."""
    found = []
    source, target, weights = graph.edges()
    table = graph.edge_columns.to_pydict()
    for place, (u, v) in enumerate(zip(source.tolist(), target.tolist(), strict=True)):
        pair = (graph.name(u), graph.name(v))
        pair = pair if graph.directed else tuple(sorted(pair))
        found.append((*pair, None if weights is None else weights[place].item(), table["number"][place]))
    return sorted(found, key=str)


@settings(max_examples=80, deadline=None)
@given(edge_lists(), st.booleans(), st.sampled_from(["keep", "first", "min", "max", "sum"]), st.data())
def test_columns_follow_their_edges_through_every_change(edges, directed, duplicates, data):
    weights = None if edges.weights is None else np.arange(edges.source.size) * 2.0
    numbers = {"number": np.arange(edges.source.size)}
    given_edges = (edges.source, edges.target, weights, edges.num_vertices)
    names = np.arange(edges.num_vertices)[::-1] * 10
    vertices = {"tenth": names // 10}
    options = {"names": names, "directed": directed, "duplicates": duplicates}
    graph = clew.Graph.from_edges(*given_edges, **options, edge_columns=numbers, vertex_columns=vertices)
    assert graph.with_edge_columns(None).with_vertex_columns(None) == clew.Graph.from_edges(*given_edges, **options)
    # Of several edges between the same vertices, the first keeps its columns.
    expected: dict = {}
    for number, (u, v) in enumerate(zip(edges.source.tolist(), edges.target.tolist(), strict=True)):
        pair = (10 * (edges.num_vertices - 1 - u), 10 * (edges.num_vertices - 1 - v))
        pair = pair if directed else tuple(sorted(pair))
        expected.setdefault((*pair, number) if duplicates == "keep" else pair, (*pair, number))
    assert sorted((*row[:2], row[3]) for row in ends(graph)) == sorted(expected.values())
    n = edges.num_vertices
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)), dtype=bool)
    moved = graph.relabeled(np.array(data.draw(st.permutations(range(n))), dtype=np.int64))
    assert ends(moved) == ends(graph)
    turned = sorted(((v, u, *more) for u, v, *more in ends(graph)), key=str) if directed else ends(graph)
    assert ends(graph.reversed()) == turned
    part, kept = graph.subgraph(mask), set((names[mask]).tolist())
    assert ends(part) == [row for row in ends(graph) if row[0] in kept and row[1] in kept]
    assert sorted((row for one in graph.components() for row in ends(one)), key=str) == ends(graph)
    later = graph.filter_edges(lambda edge: edge["number"] > 3)
    assert ends(later) == [row for row in ends(graph) if row[3] > 3]
    for changed in (
        graph,
        moved,
        graph.reversed(),
        part,
        graph.symmetrized(),
        later,
    ):
        assert [10 * v for v in changed.vertex_columns["tenth"].to_pylist()] == (changed.names[:] if n else [])
        again = changed.with_weights("number")
        assert again.edges()[2].tolist() == changed.edge_columns["number"].to_pylist()
        clew.Graph.from_csr(again.indptr, again.indices, again.weights, directed=changed.directed)  # symmetric, too


def test_edges_in_both_directions():
    edges = [0, 1, 1, 2], [1, 0, 2, 1], [5, 5, 6, 6]
    graph = clew.Graph.from_edges(*edges, directed=False, both_directions=True, edge_columns={"a": [1, 2, 3, 4]})
    assert graph.edge_columns["a"].to_pylist() == [1, 3]


def test_placements_and_random_weights_keep_columns(roads):
    placed = clew.placement.Degree(1, 50).place(roads).apply(roads)
    assert sorted(rows(placed), key=str) == sorted(rows(roads), key=str)
    assert dict(zip(placed.names[:], placed.vertex_columns["age"].to_pylist(), strict=True))["cy"] == 30
    assert clew.generate.random_weights(roads, 1, 9).edge_columns == roads.edge_columns


def test_a_result_per_edge_becomes_columns():
    graph = clew.Graph.from_edges(["a", "b", "a"], ["b", "c", "c"], [3, 1, 2], edge_columns={"km": [1, 2, 3]})
    forest = clew.minimum_spanning_forest(graph.symmetrized())
    assert graph.symmetrized().with_edge_columns(forest).edge_columns["member"].to_pylist() == forest.member.tolist()
    with pytest.raises(GraphError, match="expected one per edge"):
        graph.subgraph(["a", "b"]).with_edge_columns(forest)
    back = clew.Graph.from_edges(["b", "c", "c"], ["a", "b", "a"])  # as many edges, in another order
    with pytest.raises(GraphError, match="minimum_spanning_forest is about other edges"):
        back.with_edge_columns(forest)


def test_weights_of_an_undirected_graph_have_the_order_of_edges():
    graph = clew.Graph.from_edges([0, 0, 1, 2], [1, 2, 2, 2], directed=False)
    source, target, _ = graph.edges()
    given = 10 * source.astype(np.int64) + target
    weighted = graph.with_weights(given)
    assert weighted.edges()[2].tolist() == given.tolist()
    assert weighted == weighted.with_weights(weighted.weights)
    assert weighted == graph.with_edge_columns({"w": given}).with_weights("w").with_edge_columns(None)
    with pytest.raises(
        GraphError, match=r"have shape \(5,\); expected one weight per edge .*\(4,\), or one .*\(7,\)\.$"
    ):
        graph.with_weights(range(5))
    loops = clew.Graph.from_edges([0, 1], [0, 1], directed=False)
    assert loops.with_weights([3, 4]).edges()[2].tolist() == [3, 4]
