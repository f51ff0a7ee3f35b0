"""To other libraries and back."""

from __future__ import annotations

import duckdb
import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew import GraphError
from tests.graph.strategies import edge_lists

TABLE = {"from": ["a", "b", "a"], "to": ["b", "c", "c"], "w": [1.5, 2.5, 3.5]}


TABLES = {
    "pyarrow": lambda: pa.table(TABLE),
    "chunked": lambda: pa.concat_tables([pa.table(TABLE)[:1], pa.table(TABLE)[1:]]),
    "dictionary": lambda: pa.table({k: v if k == "w" else pa.array(v).dictionary_encode() for k, v in TABLE.items()}),
    "pandas": lambda: pd.DataFrame(TABLE),
    "polars": lambda: pl.DataFrame(TABLE),
    "duckdb": lambda: duckdb.sql("from (values ('a','b',1.5::double), ('b','c',2.5), ('a','c',3.5)) t('from','to',w)"),
}


@pytest.mark.parametrize("library", TABLES)
def test_every_arrow_speaking_table_is_read(library):
    table = TABLES[library]()
    graph = clew.Graph.from_arrow(table, "from", "to", "w")
    assert graph.neighbors("a") == ["b", "c"]
    assert graph.weights.tolist() == [1.5, 3.5, 2.5]
    assert graph.report.columns == {"from": "source", "to": "target", "w": "weight"}
    assert clew.Graph.from_arrow(TABLES[library](), "from", "to").report.columns["w"] == "ignored"


def test_and_the_graph_speaks_arrow_itself():
    graph = clew.Graph.from_arrow(pa.table(TABLE), "from", "to", "w")
    assert pl.DataFrame(graph).rows() == [("a", "b", 1.5), ("a", "c", 3.5), ("b", "c", 2.5)]
    assert pa.table(graph).column_names == ["source", "target", "weight"]
    assert graph.to_pandas()["target"].tolist() == ["b", "c", "c"]
    assert duckdb.from_arrow(graph.to_arrow()).fetchall()[0] == ("a", "b", 1.5)


@pytest.mark.parametrize(
    ("table", "options", "message"),
    [
        ([1, 2], {}, "does not speak the Arrow stream protocol"),
        (pa.table(TABLE), {}, "no column 'source'; it has 'from', 'to', 'w'"),
        (pa.table({"source": [1, None], "target": [1, 2]}), {}, "source has 1 null;"),
        (pa.table({"source": [1.5], "target": [2]}), {}, "cannot name a vertex|expected integers"),
        (pa.table({"source": [1], "target": [2], "w": ["x"]}), {"weight": "w"}, "'w' has type string"),
        (pa.table({"source": [1], "target": [2], "w": pa.array([None], pa.int8())}), {"weight": "w"}, "1 null;"),
    ],
)
def test_bad_tables_are_refused(table, options, message):
    with pytest.raises(GraphError, match=message):
        clew.Graph.from_arrow(table, **options)


@settings(max_examples=40, deadline=None)
@given(edge_lists(), st.booleans())
def test_scipy_round_trip(edges, directed):
    graph = clew.Graph.from_edges(*edges, directed=directed)
    matrix = graph.to_scipy()
    again = clew.Graph.from_scipy(matrix, directed=directed)
    assert again.with_weights(None) == graph.with_weights(None)
    if graph.weights is not None:
        np.testing.assert_array_equal(again.weights, graph.weights)


def test_scipy_shares_memory_both_ways():
    graph = clew.Graph.from_edges([0, 1], [1, 0], [1.0, 2.0])
    matrix = graph.to_scipy()
    assert np.shares_memory(matrix.data, graph.weights)
    assert np.shares_memory(matrix.indices, graph.indices)
    again = clew.Graph.from_scipy(matrix)
    assert np.shares_memory(again.weights, graph.weights)
    for kind in (sp.coo_array, sp.csc_array, sp.lil_array, sp.csr_matrix):
        assert clew.Graph.from_scipy(kind(matrix)).num_edges == 2


def test_duplicates_of_scipy_matrices_are_the_callers():
    """SciPy adds those of coordinates up on the way to rows, and int8 wraps around there."""
    duplicated = sp.coo_array((np.array([100, 90], dtype=np.int8), ([0, 0], [1, 1])), shape=(2, 2))
    for kind in (sp.coo_array, sp.coo_matrix, lambda matrix: sp.csc_array(([100, 90], [0, 0], [0, 0, 2]), (2, 2))):
        matrix = kind(duplicated)
        assert clew.Graph.from_scipy(matrix).weights.tolist() == [100, 90]
        assert clew.Graph.from_scipy(matrix, duplicates="min").weights.tolist() == [90]
    with pytest.raises(GraphError, match="do not fit int8"):
        clew.Graph.from_scipy(duplicated, duplicates="sum")
    assert not duplicated.has_canonical_format


@pytest.mark.quick
def test_dense_matrices():
    matrix = np.array([[0.0, 2.0, np.nan], [0.0, 0.0, 3.0], [1.0, 0.0, 0.0]])
    graph = clew.Graph.from_numpy(matrix)
    assert graph.num_edges == 3
    np.testing.assert_array_equal(graph.to_numpy(), np.nan_to_num(matrix))
    assert clew.Graph.from_numpy(matrix > 0).weights is None
    for bad, message in ((np.zeros((2, 3)), "shape"), (np.array([["a"]]), "dtype"), (np.zeros(3), "shape")):
        with pytest.raises(GraphError, match=message):
            clew.Graph.from_numpy(bad)
    with pytest.raises(GraphError, match="not a SciPy sparse matrix"):
        clew.Graph.from_scipy(matrix)
    with pytest.raises(GraphError, match="square"):
        clew.Graph.from_scipy(sp.coo_array((2, 3)))


@pytest.mark.quick
@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph])
def test_networkx_round_trip(kind):
    graph = nx.gnm_random_graph(30, 90, seed=1, directed=kind().is_directed())
    original = kind(graph)
    original.add_edge(3, 3)
    if original.is_multigraph():
        original.add_edge(1, 2)
        original.add_edge(1, 2)
    nx.set_edge_attributes(original, 2.5, "weight")
    ours = clew.Graph.from_networkx(original)
    assert (ours.num_vertices, ours.num_edges) == (30, original.number_of_edges())
    back = ours.to_networkx()
    assert back.is_directed() == original.is_directed()
    assert nx.utils.graphs_equal(nx.Graph(back), nx.Graph(original))


@pytest.mark.quick
def test_doors_for_pandas_and_polars():
    table = {"from": ["a", "b"], "to": ["b", "c"], "cost": [1, 2]}
    expected = clew.Graph.from_edges(table["from"], table["to"], table["cost"])
    columns = ("from", "to", "cost")
    assert clew.Graph.from_pandas(pd.DataFrame(table), *columns) == expected
    assert clew.Graph.from_polars(pl.DataFrame(table), *columns) == expected
    assert clew.Graph.from_polars(pl.LazyFrame(table), *columns) == expected
    with pytest.raises(GraphError, match=r"this is dict; expected a pandas.DataFrame. For other tables"):
        clew.Graph.from_pandas(table)
    with pytest.raises(GraphError, match=r"pandas.DataFrame; expected a polars.DataFrame or polars.LazyFrame"):
        clew.Graph.from_polars(pd.DataFrame(table))
    with pytest.raises(GraphError, match=r"a LazyFrame has no rows yet; pass frame.collect\(\)"):
        clew.Graph.from_arrow(pl.LazyFrame(table), *columns)
    with pytest.raises(GraphError, match=r"not pandas.DataFrame: convert it with clew.Graph.from_pandas"):
        clew.Graph(pd.DataFrame(table))
    with pytest.raises(GraphError, match=r"not int: use clew.read or one of the from_… methods"):
        clew.Graph(5)
    with pytest.raises(GraphError, match=r"not str: read the file with clew.read"):
        clew.Graph("graph.csv")


def test_columns_of_pandas_and_polars():
    """Categories, missing values, and columns beside the edges that Arrow cannot take."""
    ends = {"source": ["ann", "bob"], "target": ["bob", "cy"]}
    expected = clew.Graph.from_edges(ends["source"], ends["target"])
    assert clew.Graph.from_arrow(pl.DataFrame(ends, schema=dict.fromkeys(ends, pl.Categorical))) == expected
    assert clew.Graph.from_arrow(pd.DataFrame({**ends, "note": [1, "one"]})) == expected
    for kind in (pd.Series, pl.Series):
        assert clew.Graph.from_edges(*map(kind, ends.values())) == expected
        with pytest.raises(GraphError, match="target has 1 null; expected a vertex in every row"):
            clew.Graph.from_edges(kind(["ann", "bob"]), kind(["bob", None]))
    with pytest.raises(GraphError, match=r"Arrow cannot take the table: .*column source"):
        clew.Graph.from_arrow(pd.DataFrame({"source": ["ann", 1], "target": ["bob", "cy"]}))
    with pytest.raises(GraphError, match="the table has 2 columns called 'target'; expected one"):
        clew.Graph.from_arrow(pa.table([[1], [2], [3]], names=["source", "target", "target"]))
    with pytest.raises(GraphError, match="no column 'cost'; it has 'source', 'target', 'note'"):
        clew.Graph.from_arrow(pd.DataFrame({**ends, "note": [1, 2]}), weight="cost")
    with pytest.raises(GraphError, match=r"Duplicate column names.*rename the others"):
        clew.Graph.from_pandas(pd.DataFrame([[1, 2, 3]], columns=["source", "target", "source"]))
    for odd in (pd.arrays.SparseArray([0, 1]), np.array([1, 2**65], dtype=object)):
        with pytest.raises(GraphError, match=r"Arrow cannot take the table: .*convert them first"):
            clew.Graph.from_pandas(pd.DataFrame({"source": odd, "target": [1, 2]}))


def test_a_name_that_is_no_text_is_refused():
    """As a shell passes it whose locale is not that of the file."""
    with pytest.raises(GraphError, match="these cannot be vertex names"):
        clew.Graph.from_edges(["ann"], ["bob"]).vertex("\udce9")


def test_columns_of_a_table_that_are_ignored_are_said():
    frame = pd.DataFrame({"source": [0, 1], "target": [1, 2], "cost": [1.5, 2.5]})
    report = clew.Graph.from_arrow(frame).report
    assert report.decisions == ("Ignored: 'cost'. Pass weight=… to take one of them as the weight.",)
    for weight in ("cost", None):
        assert clew.Graph.from_arrow(frame, weight=weight).report.decisions == ()


def test_ids_that_pandas_made_floats_of():
    """As it does with integers where one is missing."""
    frame = pd.DataFrame({"source": [0.0, 1.0], "target": [1, 2]})
    for table in (frame, pa.table(frame)):
        with pytest.raises(GraphError, match=r"source has dtype float64; expected integers .*astype\('int64'\)"):
            clew.Graph.from_arrow(table)
    with pytest.raises(GraphError, match="target has dtype bool; expected integers"):
        clew.Graph.from_arrow(pa.table({"source": [1], "target": [True]}))


def test_networkx_names_weights_and_refusals():
    graph = nx.Graph([("x", "y"), ("y", "z")])
    assert clew.Graph.from_networkx(graph).neighbors("y") == ["x", "z"]
    graph["x"]["y"]["weight"] = 3
    assert clew.Graph.from_networkx(graph).weights.tolist() == [3, 3, 1, 1]
    assert clew.Graph.from_networkx(graph, weight=None).weights is None
    with pytest.raises(GraphError, match=r"the node \(0, 0\) is of type tuple"):
        clew.Graph.from_networkx(nx.grid_2d_graph(2, 2))
    graph["x"]["y"]["weight"] = "heavy"
    with pytest.raises(GraphError, match="'weight' holds values"):
        clew.Graph.from_networkx(graph)
    assert clew.Graph.from_networkx(nx.Graph()).num_vertices == 0
    for wrong, what in ((5, "int"), (nx.Graph, "the class networkx.Graph"), (clew.generate.path(3), "clew.Graph")):
        with pytest.raises(GraphError, match=f"this is {what}; expected a NetworkX graph"):
            clew.Graph.from_networkx(wrong)


def test_networkx_attributes_are_reported():
    graph = nx.Graph([("x", "y", {"length": 2.5}), ("y", "z", {"day": 3})])
    report = clew.Graph.from_networkx(graph).report
    assert report.columns == {"length": "ignored", "day": "ignored"}
    ignored = (
        "Ignored attributes of edges: 'length', 'day'. Pass weight=… to take one of them as the weight. To keep all,"
    )
    (said,) = report.decisions
    assert said.startswith(ignored)
    assert clew.Graph.from_networkx(graph, weight=None).report.decisions == (said,)
    report = clew.Graph.from_networkx(graph, weight="length").report
    assert report.columns == {"length": "weight", "day": "ignored"}
    assert report.decisions[0] == "1 edge has no attribute 'length': the weight 1 was taken, as NetworkX does."
    assert report.decisions[1].startswith("Ignored attributes of edges: 'day'. To keep all, write the graph with")
    plain = nx.Graph([("x", "y", {"weight": 2})])
    assert clew.Graph.from_networkx(plain).report.decisions == ()


def test_networkx_attributes_can_be_kept_as_the_report_says(tmp_path):
    graph = nx.Graph([("x", "y", {"length": 2.5})])
    graph.add_node("x", color="red")
    made = clew.Graph.from_networkx(graph)
    said = made.report.decisions[-1]
    assert said.startswith("Ignored attributes of nodes: 'color'. To add one")
    call = said[said.index("graph.with") : -1]
    assert eval(call, {"graph": made, "G": graph}).vertex_columns.to_pydict() == {"color": ["red", None]}
    nx.write_graphml(graph, tmp_path / "all.graphml")
    again = clew.read(tmp_path / "all.graphml")
    assert again.vertex_columns.column_names == ["color"]
    assert again.edge_columns.column_names == ["length"]
    with pytest.raises(GraphError, match=r"from_networkx has no argument 'columns'.* networkx\.write_graphml"):
        clew.Graph.from_networkx(graph, columns=True)
    with pytest.raises(TypeError):
        clew.Graph.from_networkx(graph, columns=True)


def test_networkx_nodes_may_be_numbers_of_numpy():
    """As they are where edges come from arrays: nx.Graph(zip(source, target))."""
    graph = nx.DiGraph(zip(np.array([30, 20], dtype=np.uint8), np.array([20, 10]), strict=True))
    assert clew.Graph.from_networkx(graph).names.array.to_pylist() == [30, 20, 10]
    assert clew.Graph.from_networkx(nx.DiGraph([(np.str_("x"), "y")])).neighbors("x") == ["y"]
    with pytest.raises(GraphError, match=r"the node np\.True_ is of type bool"):
        clew.Graph.from_networkx(nx.DiGraph([(np.True_, 5)]))


def test_a_weight_that_was_asked_for_is_there():
    graph = nx.path_graph(3)
    assert not clew.Graph.from_networkx(graph).weighted
    with pytest.raises(GraphError, match="no edge has the attribute 'cost'; expected the name of one"):
        clew.Graph.from_networkx(graph, weight="cost")
    graph[0][1]["cost"] = 3  # the other edge weighs 1, as in NetworkX
    assert clew.Graph.from_networkx(graph, weight="cost").weights.tolist() == [3, 3, 1, 1]
    assert clew.Graph.from_networkx(nx.empty_graph(3), weight="cost").num_vertices == 3


def test_the_weight_can_be_called_weights():
    table = {"a": ["x", "y"], "b": ["y", "z"], "km": [2.5, 3.0], "kind": ["k", "l"]}
    for door, frame in (("from_pandas", pd.DataFrame(table)), ("from_polars", pl.DataFrame(table))):
        door = getattr(clew.Graph, door)
        assert door(frame, "a", "b", weights="km") == door(frame, "a", "b", "km")
        assert not door(frame.rename({"km": "weight"}), "a", "b", weights=None).weighted
        with pytest.raises(GraphError, match="weight is 'km' and weights is 'kind'; pass one of them"):
            door(frame, "a", "b", "km", weights="kind")
        with pytest.raises(GraphError, match=r"weights is (pandas|polars)\.Series; expected the name of the column"):
            door(frame, "a", "b", weights=frame["km"])
    graph = nx.Graph([(0, 1, {"km": 3})])
    assert clew.Graph.from_networkx(graph, weights="km").weights.tolist() == [3, 3]
    csv = b"a,b,km,kind\nx,y,2.5,k\ny,z,3,l\n"
    assert clew.read(csv, source="a", target="b", weights="km") == clew.read(csv, source="a", target="b", weight="km")
    with pytest.raises(GraphError, match="weight is 'kind' and weights is 'km'; pass one of them"):
        clew.read(csv, weights="km", weight="kind")


def test_algorithms_say_where_their_weights_are():
    graph = clew.Graph.from_edges([0], [1], edge_columns={"km": [2]})
    with pytest.raises(GraphError, match=r"sssp has no argument 'weights': .* Pass graph.with_weights\('km'\)\.$"):
        clew.sssp(graph, 0, weights="km")
    with pytest.raises(GraphError, match=r"Pass graph.with_weights\('km'\) and weighted=True\.$"):
        clew.pagerank(graph, weight="km")


def test_lists_of_strings_and_mixed_names():
    with pytest.raises(GraphError, match="source holds strings and target holds integers; expected integers in both"):
        clew.Graph.from_edges(["1", "2"], [2, 1])
    with pytest.raises(GraphError, match="not needed"):
        clew.Graph.from_edges(["a"], ["b"], num_vertices=2)
    with pytest.raises(GraphError, match="cannot name a vertex"):
        clew.Graph.from_edges([object()], ["a"])


def test_columns_whose_names_are_no_strings():
    frame = pd.DataFrame([[0, 1, 5.5], [1, 2, 2.5]])
    expected = clew.Graph.from_edges([0, 1], [1, 2], [5.5, 2.5])
    assert clew.Graph.from_pandas(frame, 0, 1, 2) == expected
    frame.columns = pd.MultiIndex.from_tuples([("edge", "from"), ("edge", "to"), ("edge", "length")])
    graph = clew.Graph.from_pandas(frame, ("edge", "from"), ("edge", "to"), ("edge", "length"))
    assert graph == expected
    assert list(graph.report.columns.values()) == ["source", "target", "weight"]


def test_ids_that_do_not_occur_are_mentioned():
    frame = pd.DataFrame({"source": [1000, 5], "target": [2, 3]})
    graph = clew.Graph.from_pandas(frame)
    assert graph.report.decisions == (
        "Integers were taken as vertex numbers, 0 to 1,000; 997 of these 1,001 vertices have no edges. "
        "Pass ids='map' to have only the vertices that occur.",
    )
    directed = clew.Graph.from_pandas(pd.DataFrame({"source": [0, 1], "target": [1, 3]}))
    assert "1 of these 4 vertices has no edges" in str(directed.report)
    assert not clew.Graph.from_pandas(frame, ids="keep").report.decisions
    assert not clew.Graph.from_pandas(frame, ids="map").report.decisions
    assert not clew.Graph.from_pandas(frame % 4).report.decisions
