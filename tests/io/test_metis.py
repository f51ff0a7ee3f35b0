from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import clew
from clew.io import metis, registry
from clew.io.source import Match
from tests.io.fuzzing import fuzz
from tests.io.graphs import graphs, refused, small, stored

# The graph of the METIS manual, with everything a line can hold.
TRIANGLE = b"3 3\n2 3\n1 3\n1 2\n"
WEIGHTED = b"% edges weigh\n3 2 001\n2 7 3 9\n1 7\n1 9\n"
SIZED = b"3 2 111 2\n5 1 10 2 7 3 9\n6 2 20 1 7\n7 3 30 1 9\n"
ISOLATED = b"4 1\n\n4\n\n2\n"
ONE_WAY = b"3 3\n2 3\n3\n\n"
LOOPS_TWICE = b"2 2\n1 2 1\n1\n"
LOOPS_ONCE = b"2 2\n1 2\n1\n"


def read(data: bytes, **options: Any) -> clew.Graph:
    return clew.read(data, format="metis", **options)


def message(data: bytes, **options: Any) -> str:
    return refused(data, "metis", **options)


@pytest.mark.parametrize(
    ("name", "num_vertices", "num_edges", "weighted"),
    [
        ("4elt.graph.gz", 15_606, 45_878, False),
        ("celegans_metabolic.graph", 453, 2_025, False),
        ("example_weighted.graph", 132, 328, True),
        ("lesmis.graph", 77, 254, True),
        ("power.graph", 4_941, 6_594, False),
        ("test.mgraph", 766, 1_314, False),
        ("tiny_01.graph", 7, 11, False),
        ("tiny_02.graph", 7, 11, True),
        ("tiny_03.graph", 7, 11, True),
    ],
)
def test_real_files(shared_data: Path, name: str, num_vertices: int, num_edges: int, weighted: bool) -> None:
    graph = clew.read(shared_data / "metis" / name)
    assert (graph.num_vertices, graph.num_edges, graph.directed) == (num_vertices, num_edges, False)
    assert graph.weighted == weighted
    assert graph.num_loops == 0


def test_vertex_weights_of_real_files(shared_data: Path) -> None:
    several = clew.read(shared_data / "metis" / "test.mgraph").metadata["vertex_weights"]
    assert several.shape == (766, 2)
    assert several[:3].tolist() == [[1, 1], [2, 2], [4, 4]]
    one = clew.read(shared_data / "metis" / "example_weighted.graph")
    assert one.metadata["vertex_weights"][:3].tolist() == [287, 233, 336]
    assert one.neighbors(0) == [1, 9]
    assert one.weights is not None
    assert one.weights[:2].tolist() == [53, 75]


def test_the_files_of_gap_hold_every_edge_once(shared_data: Path) -> None:
    plain = clew.read(shared_data / "gapbs" / "4.graph")  # "14 53 100", where 100 does not mean vertex sizes
    weighted = clew.read(shared_data / "gapbs" / "4w.graph")
    for graph in (plain, weighted):
        assert (graph.num_vertices, graph.num_edges, graph.directed, dict(graph.metadata)) == (14, 53, True, {})
    assert plain == weighted.with_weights(None)
    assert weighted.weights is not None
    assert weighted.weights[:3].tolist() == [19, 5, 1]


def test_plain() -> None:
    assert read(TRIANGLE) == clew.Graph.from_edges([0, 0, 1], [1, 2, 2], directed=False)
    assert read(ISOLATED) == clew.Graph.from_edges([1], [3], num_vertices=4, directed=False)
    assert read(b"0 0\n").num_vertices == 0
    assert read(b"2 0\n\n\n").num_vertices == 2


def test_weights_and_sizes() -> None:
    graph = read(SIZED)
    assert graph == clew.Graph.from_edges([0, 0], [1, 2], np.array([7, 9]), directed=False)
    assert graph.metadata["vertex_sizes"].tolist() == [5, 6, 7]
    assert graph.metadata["vertex_weights"].tolist() == [[1, 10], [2, 20], [3, 30]]
    assert all(graph.metadata[name].dtype == np.int64 for name in ("vertex_sizes", "vertex_weights"))
    one = read(b"2 1 10 1\n-3 2\n4 1\n")
    assert one.metadata["vertex_weights"].tolist() == [-3, 4]
    assert not one.weighted


def test_weights_are_of_any_kind() -> None:
    fractions = read(b"2 1 11\n4 2 0.5\n5 1 0.5\n")
    assert fractions.weights is not None
    assert fractions.weights.tolist() == [0.5, 0.5]
    assert fractions.metadata["vertex_weights"].tolist() == [4, 5]
    large = read(b"2 1 1\n2 18446744073709551615\n1 18446744073709551615\n")
    assert large.weights is not None
    assert large.weights.dtype == np.uint64
    both = b"3 2 1\n2 0.5 3 9007199254740993\n1 0.5\n1 9007199254740993\n"
    assert "weight_dtype='float64'" in message(both)
    assert read(both, weight_dtype="float64").weights.tolist()[:2] == [0.5, 9007199254740992]  # type: ignore[union-attr]


def test_options() -> None:
    assert read(WEIGHTED, weights=False) == read(b"3 2\n2 3\n1\n1\n")
    narrow = read(WEIGHTED, weight_dtype="int8").weights
    assert narrow is not None
    assert (narrow.dtype, narrow.tolist()) == (np.int8, [7, 9, 7, 9])
    both_ways = read(TRIANGLE, directed=True)
    assert both_ways.directed
    assert both_ways.num_edges == 6
    assert "weights=True" in message(TRIANGLE, weights=True)
    assert "stands on one of their lines only" in message(ONE_WAY, directed=False)
    assert read(LOOPS_ONCE, loops="drop").num_edges == 1


def test_every_edge_once_is_directed() -> None:
    assert read(ONE_WAY) == clew.Graph.from_edges([0, 0, 1], [1, 2, 2])
    # As many entries as edges, and symmetric all the same: still what the header counts.
    assert read(b"2 2\n2\n1\n") == clew.Graph.from_edges([0, 1], [1, 0])


def test_hundreds_are_sizes_or_nothing() -> None:
    sizes = read(b"2 1 100\n8 2\n9 1\n")
    assert sizes.metadata["vertex_sizes"].tolist() == [8, 9]
    assert sizes == read(b"2 1\n2\n1\n")
    # Two entries fit the header only if there are no sizes.
    assert read(b"2 1 100\n2\n1\n") == sizes
    assert not read(b"2 1 100\n2\n1\n").metadata
    assert read(b"3 3 100\n2 3\n3\n\n").directed


def test_self_loops() -> None:
    expected = clew.Graph.from_edges([0, 0], [0, 1], directed=False)
    assert read(LOOPS_ONCE) == expected
    assert read(LOOPS_TWICE) == expected
    weighted = read(b"2 3 1\n1 5 2 7 1 5 1 6 1 6\n1 7\n")
    assert weighted.num_edges == 3
    assert sorted(weighted.weights.tolist()) == [5, 6, 7, 7]  # type: ignore[union-attr]
    assert read(b"1 2\n1 1\n").num_edges == 2  # two loops, an entry each
    assert "3 times its own neighbour" in message(b"2 3\n1 1 2 1 2\n1\n", directed=False)
    assert "weighs 6 here and 5" in message(b"2 2 1\n1 5 2 7 1 6\n1 7\n")


@pytest.mark.parametrize("data", [TRIANGLE, WEIGHTED, SIZED, ISOLATED, ONE_WAY, LOOPS_TWICE, LOOPS_ONCE])
def test_line_ends_comments_and_blanks_change_nothing(data: bytes) -> None:
    graph = read(data)
    assert read(data.replace(b"\n", b"\r\n")) == graph
    assert read(data + b"\n  \n\t\n% the end") == graph
    assert read(b"\n%\n" + data.replace(b"\n", b"\n % more\n")) == graph
    assert read(data.replace(b" ", b" \t ")) == graph
    if data[-2:] != b"\n\n":
        assert read(data[:-1]) == graph


@pytest.mark.parametrize(
    ("data", "place", "words"),
    [
        (b"", "<bytes>: ", "no header"),
        (b"% nothing\n\n", "<bytes>: ", "no header"),
        (b"7\n", "line 1, column 1", "has 1 words; expected 2 to 4"),
        (b"% c\n 3 3 0 1 5\n", "line 2, column 10", "has 5 words"),
        (b"three 3\n", "line 1, column 1", "number of vertices is 'three'"),
        (b"3 -3\n", "line 1, column 3", "number of edges is '-3'"),
        (b"3 3 2\n", "line 1, column 5", "format is '2'"),
        (b"3 3 0000\n", "line 1, column 5", "three digits"),
        (b"3 3 1 2\n", "line 1, column 7", "2 weights per vertex"),
        (b"3 3 11 x\n", "line 1, column 8", "weights per vertex is 'x'"),
        (b"99999999999999999999 3\n", "line 1, column 1", "below 2^63"),
        # Counts that are not true
        (b"4 3\n2 3\n1 3\n1 2\n", "line 1, column 1", "promises 4 vertices, a line each, but there are 3"),
        (b"1000000000000 3\n2 3\n", "line 1, column 1", "cut short"),
        (b"2 3\n2\n1\n\n1 2\n", "line 5, column 1", "one too many"),
        (b"13 3\n" + b"2\n1\n" + 11 * b"\n", "line 1, column 4", "3 edges, that is 6 entries"),
        (b"3 4\n2 3\n1 3\n1 2\n", "line 1, column 3", "4 edges, that is 8 entries"),
        (b"2 9999999999999999\n2\n1\n", "line 1, column 3", "but there are 2"),
        # Lines
        (b"3 3\n2 3\n1 0\n1 2\n", "line 3, column 3", "neighbour is '0'; expected an integer from 1 to 3"),
        (b"3 3\n2 3\n1 3\n1 4\n", "line 4, column 3", "neighbour is '4'"),
        (b"3 3\n2 3\r\n1 x\n1 2\n", "line 3, column 3", "neighbour is 'x'"),
        (b"3 3\n2 3\n1 2.0\n1 2\n", "line 3, column 3", "'2.0'"),
        (b"3 2 1\n2 7 3 9\n% c\n1 7 5\n1 9\n", "line 4, column 1", "holds 3 numbers; expected pairs"),
        (b"3 2 1\n2 7 3 9\n1 7\n4 9\n", "line 4, column 1", "neighbour is 4; expected an integer from 1 to 3"),
        (b"3 2 1\n2 7 3 9\n1 7\n0 9\n", "line 4, column 1", "neighbour is 0"),
        (b"3 2 1\n2 7 1.5 9\n1 7\n1 9\n", "line 2, column 5", "neighbour is 1.5"),
        (b"3 2 1\n2 7 nan 9\n1 7\n1 9\n", "line 2, column 5", "neighbour is nan"),
        (b"3 2 1\n2 7 3 nine\n1 7\n1 9\n", "line 2, column 7", "'nine'; expected a number"),
        (b"3 2 11\n1 2 7 3 9\n\n1 9\n", "line 3, column 1", "vertex 2 holds 0 numbers; expected its weights"),
        (b"2 1 110 2\n1 2 3 2\n4\n", "line 3, column 1", "expected the vertex's size, its weights (2), neighbours"),
        (b"2 1 11\n0.5 2 0.5\n1 1 0.5\n", "line 2, column 1", "weight of the vertex is 0.5"),
        (b"2 1 110\n18446744073709551615 2 2\n1 1 1\n", "line 2, column 1", "size of the vertex is 1844674407"),
        (b"2 1 110\n1 18446744073709551615 2\n1 1 1\n", "line 2, column 3", "weight of the vertex is 1844674407"),
        # Edges that one end does not know of
        (b"% c\n3 2\n2 3\n% c\n1\n2\n", "line 3, column 1", "do not agree about the edge"),
        (b"3 2 1\n2 7 3 9\n1 8\n1 9\n", "line 2, column 1", "vertex 1 and its neighbour 2 do not agree"),
    ],
)  # fmt: skip
def test_damaged(data: bytes, place: str, words: str) -> None:
    found = message(data)
    assert place in found
    assert words in found


@pytest.mark.parametrize("data", [TRIANGLE, WEIGHTED, SIZED])
def test_cut_short(data: bytes) -> None:
    """A file that ends before its last line is never taken for a whole one."""
    for length in range(len(data.rstrip()) - len(data.rstrip().rpartition(b"\n")[2])):
        message(data[:length])


def test_detected(tmp_path: Path) -> None:
    for suffix in registry.named("metis").suffixes:
        path = tmp_path / f"graph{suffix}"
        path.write_bytes(TRIANGLE)
        assert clew.read(path) == read(TRIANGLE)
    assert metis.sniff(TRIANGLE) is Match.MAYBE
    assert metis.sniff(b"%%\n\n" + SIZED) is Match.MAYBE
    for other in (b"", b"% only\n", b"# edges\n1 2\n", b"1 2 3\n", b"1,2\n", b"a b\n", b"1 2 0 1 5\n"):
        assert metis.sniff(other) is Match.NO


@st.composite
def undirected(draw: st.DrawFn) -> clew.Graph:
    """Undirected graphs with positive weights, and sizes and weights of vertices."""
    drawn = draw(graphs(named=False, weight_dtypes=["int8"]).filter(lambda graph: not graph.directed))
    source, target, _ = drawn.edges()
    weights = None
    if draw(st.booleans()):
        dtype = draw(st.sampled_from(["int8", "uint16", "int64", "uint64"]))
        positive = st.integers(1, min(np.iinfo(dtype).max, 2**63 - 1))
        weights = draw(hnp.arrays(dtype, source.size, elements=positive))
    n = drawn.num_vertices
    metadata = {}
    if n and draw(st.booleans()):
        metadata["vertex_sizes"] = draw(hnp.arrays("int64", n))
    if n and draw(st.booleans()):
        metadata["vertex_weights"] = draw(hnp.arrays("int64", draw(st.sampled_from([(n,), (n, 2), (n, 3)]))))
    return clew.Graph.from_edges(source, target, weights, n, directed=False, metadata=metadata)


@settings(max_examples=80, deadline=None)
@given(undirected())
def test_round_trip(graph: clew.Graph) -> None:
    dtype = None if graph.weights is None else graph.weights.dtype
    again = clew.read(stored(graph, ".graph"), format="metis", weight_dtype=dtype)
    assert again == graph
    assert again.num_edges == graph.num_edges
    assert set(again.metadata) == set(graph.metadata)
    for name, values in graph.metadata.items():
        assert np.array_equal(again.metadata[name], values)


@pytest.mark.parametrize("data", [TRIANGLE, SIZED, ISOLATED, LOOPS_TWICE])
def test_written_bytes(data: bytes) -> None:
    written = stored(read(data), ".metis")
    assert written == data.replace(b"1 2 1\n", b"1 1 2\n")


def test_what_metis_cannot_hold_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "graph.graph"
    for graph, words in [
        (small(directed=True), "symmetrized"),
        (small(directed=False, weights=[0.5] * 5), "float64"),
        (small(directed=False, weights=[1, 0, 1, 1, 1]), "smallest edge weight is 0"),
        (clew.Graph.from_edges([0], [1], directed=False, metadata={"vertex_weights": [1]}), "shape (1,)"),
        (clew.Graph.from_edges([0], [1], directed=False, metadata={"vertex_weights": [0.5, 1]}), "float64"),
        (clew.Graph.from_edges([0], [1], directed=False, metadata={"vertex_sizes": [[1, 2], [3, 4]]}), "2 sizes"),
    ]:
        with pytest.raises(clew.FormatError) as caught:
            clew.write(graph, path)
        assert words in str(caught.value)
        assert not path.exists()


def test_fuzzed() -> None:
    fuzz([TRIANGLE, WEIGHTED, SIZED, ISOLATED, ONE_WAY, LOOPS_TWICE, LOOPS_ONCE, b"2 1 1\n2 0.5\n1 0.5\n"], "metis")
