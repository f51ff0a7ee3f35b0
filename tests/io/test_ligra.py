from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew.io import ligra
from clew.io.source import Match
from tests.io.fuzzing import fuzz
from tests.io.graphs import graphs, refused, small, stored

PLAIN = b"AdjacencyGraph\n3\n4\n0\n2\n3\n2\n1\n2\n0\n"
WEIGHTED = b"WeightedAdjacencyGraph\n3\n4\n0\n2\n3\n2\n1\n2\n0\n7\n8\n9\n10\n"
PLACED = b"AdjacencyGraph\n2\n3\n4\n0\n2\n3\n2\n1\n2\n0\n"
BOUNDARY = "placement_boundary"


def plain(numbers: bytes) -> bytes:
    """A file with every number on a line of its own."""
    return b"AdjacencyGraph\n" + numbers.replace(b" ", b"\n") + b"\n"


def read(data: bytes, **options: Any) -> clew.Graph:
    return clew.read(data, format="ligra", **options)


def message(data: bytes, **options: Any) -> str:
    return refused(data, "ligra", **options)


@pytest.mark.parametrize(("name", "weighted"), [("rMatGraph_J_5_100", False), ("rMatGraph_WJ_5_100", True)])
def test_real_files(shared_data: Path, name: str, weighted: bool) -> None:
    graph = clew.read(shared_data / "ligra" / name)
    assert (graph.num_vertices, graph.num_edges, graph.directed) == (128, 708, True)
    assert graph.weighted == weighted
    assert clew.read(shared_data / "ligra" / name, directed=False, weights=False).num_edges == 354


def test_both_real_files_hold_the_same_edges(shared_data: Path) -> None:
    plain, weighted = (clew.read(shared_data / "ligra" / f"rMatGraph_{kind}_5_100") for kind in ("J", "WJ"))
    assert plain == weighted.with_weights(None)


def test_plain_and_weighted() -> None:
    assert read(PLAIN) == clew.Graph.from_edges([0, 0, 1, 2], [2, 1, 2, 0])
    assert read(WEIGHTED) == clew.Graph.from_edges([0, 0, 1, 2], [2, 1, 2, 0], np.array([7, 8, 9, 10]))
    assert read(b"AdjacencyGraph 0 0").num_vertices == 0
    assert read(b"AdjacencyGraph 2 0 0 0").num_vertices == 2
    fractions = read(WEIGHTED.replace(b"9", b"0.5")).weights
    assert fractions is not None
    assert fractions.tolist() == [8, 7, 0.5, 10]


def test_options() -> None:
    assert read(WEIGHTED, weights=False) == read(PLAIN)
    assert read(WEIGHTED, weight_dtype="float32").weights.dtype == np.float32  # type: ignore[union-attr]
    both_ways = b"AdjacencyGraph 2 2 0 1 1 0"
    assert read(both_ways, directed=False) == clew.Graph.from_edges([0], [1], directed=False)
    assert "one way only" in message(PLAIN, directed=False)
    assert "300" in message(WEIGHTED.replace(b"10", b"300"), weight_dtype="int8")
    assert "weights=True" in message(PLAIN, weights=True)


@pytest.mark.parametrize("data", [PLAIN, WEIGHTED, PLACED])
def test_line_ends_and_blanks_change_nothing(data: bytes) -> None:
    graph = read(data)
    for other in (
        data[:-1],
        data.replace(b"\n", b"\r\n"),
        data.replace(b"\n", b" "),
        b"\n\n  " + data.replace(b"\n", b"\t\t "),
        data + b"\n \n",
    ):
        again = read(other)
        assert again == graph
        assert again.metadata == graph.metadata


def test_placement_boundary() -> None:
    graph = read(PLACED)
    assert graph == read(PLAIN)
    assert graph.metadata[BOUNDARY] == 2
    weighted = read(b"WeightedAdjacencyGraph 0 2 1 0 1 1 7")
    assert weighted.metadata[BOUNDARY] == 0
    assert weighted == clew.Graph.from_edges([0], [1], np.array([7]))
    # As long as a plain graph of 3 vertices and 4 edges, which would have to start at offset 0.
    sparse = read(b"AdjacencyGraph 3 4 2 0 1 2 2 1 2")
    assert (sparse.num_vertices, sparse.num_edges, sparse.metadata[BOUNDARY]) == (4, 2, 3)
    # The one case that can be either is the plain one.
    assert read(b"AdjacencyGraph 1 2 0 0 0") == clew.Graph.from_edges([0, 0], [0, 0])


@pytest.mark.parametrize(
    ("data", "place", "words"),
    [
        (b"", "<bytes>: ", "the file is empty"),
        (b" \n\n", "<bytes>: ", "the file is empty"),
        (b"\n  Adjacency\n3\n", "line 2, column 3", "starts with 'Adjacency'; expected 'AdjacencyGraph'"),
        (b"AdjacencyGraph\n3\n", "<bytes>: ", "ends after 1 numbers"),
        (b"AdjacencyGraph 3", "<bytes>: ", "ends after 1 numbers"),
        (plain(b"-3 4 0"), "line 2, column 1", "number of vertices is -3"),
        (plain(b"3 -4 0"), "line 3, column 1", "number of edges is -4"),
        (b"WeightedAdjacencyGraph\n1\n0.5\n0\n", "line 3, column 1", "number of edges is 0.5"),
        (PLAIN + b"1\n", "line 11, column 1", "make 9 numbers, but there are 10; this is the first one too many"),
        (PLAIN[:-2], "line 3, column 1", "make 9 numbers, but there are 8; is the file cut short?"),
        (WEIGHTED[:-3], "line 3, column 1", "make 13 numbers with the weights, but there are 12"),
        (plain(b"3 9223372036854775807 0"), "line 3, column 1", "cut short"),
        (plain(b"9223372036854775807 9223372036854775807 0"), "line 3, column 1", "cut short"),
        (plain(b"18446744073709551615 0 0 7"), "line 2, column 1", "vertices is 18446744073709551615"),
        (plain(b"0 1 0"), "line 3, column 1", "1 edge but no vertices"),
        (plain(b"3 4 1 2 3 2 1 2 0"), "line 4, column 1", "first row starts at offset 1; expected 0"),
        (plain(b"3 4 0 3 2 2 1 2 0"), "line 6, column 1", "offset of row 2 is 2, which is less than 3"),
        (plain(b"3 4 0 2 5 2 1 2 0"), "line 6, column 1", "offset of a row is 5; expected an integer from"),
        (plain(b"3 4 0 2 3 2 1 3 0"), "line 9, column 1", "neighbour is 3; expected an integer from 0 to 2"),
        (b"AdjacencyGraph 3 4 0 2 3 2 -1 2 0", "line 1, column 28", "neighbour is -1"),
        (b"AdjacencyGraph 3 4 0 2 3\n2 x 2 0", "line 2, column 3", "number is 'x'"),
        (b"AdjacencyGraph\n3 4 0 2 3 2 1.0 2 0", "line 2, column 13", "'1.0'"),
        (b"WeightedAdjacencyGraph\n2 1\n0 1\n0.5\n3", "line 4, column 1", "neighbour is 0.5"),
        (b"WeightedAdjacencyGraph\n2 1\n0 1\nnan\n3", "line 4, column 1", "neighbour is nan"),
        (b"WeightedAdjacencyGraph\n2 1\n0 1\n1\n\x00", "line 5, column 1", "expected a number"),
        # One number more, but no boundary
        (plain(b"4 3 4 0 2 3 2 1 2 0"), "line 2, column 1", "boundary is 4; expected an integer from 0 to 3"),
    ],
)  # fmt: skip
def test_damaged(data: bytes, place: str, words: str) -> None:
    found = message(data)
    assert place in found
    assert words in found


@pytest.mark.parametrize("data", [PLAIN, WEIGHTED])
def test_cut_short(data: bytes) -> None:
    for length in range(len(data.rstrip().rpartition(b"\n")[0])):
        message(data[:length])


def test_detected_by_its_first_word() -> None:
    assert clew.read(PLAIN) == read(PLAIN)
    assert clew.read(b" \n" + WEIGHTED) == read(WEIGHTED)
    for other in (b"", b"  ", b"AdjacencyGraphs 1", b"3 AdjacencyGraph"):
        assert ligra.sniff(other) is Match.NO


@settings(max_examples=80, deadline=None)
@given(graphs(named=False), st.data())
def test_round_trip(graph: clew.Graph, data: st.DataObject) -> None:
    boundary = data.draw(st.none() | st.integers(0, graph.num_vertices))
    if boundary == 1 and not graph.num_arcs:
        boundary = None
    metadata = {} if boundary is None else {BOUNDARY: boundary}
    graph = clew.Graph(graph.outgoing, directed=graph.directed, metadata=metadata)
    dtype = None if graph.weights is None else graph.weights.dtype
    again = read(stored(graph, ".adj"), directed=graph.directed, weight_dtype=dtype)
    assert again.metadata == metadata
    if dtype is not None and dtype.kind == "f":
        assert np.array_equal(again.weights, graph.weights, equal_nan=True)  # type: ignore[arg-type]
        again, graph = again.with_weights(None), graph.with_weights(None)
    assert again == graph


def test_written_bytes() -> None:
    assert stored(read(PLAIN), ".ligra") == PLAIN.replace(b"2\n1\n2\n0\n", b"1\n2\n2\n0\n")
    assert stored(read(PLACED), ".ligra") == PLACED.replace(b"2\n1\n2\n0\n", b"1\n2\n2\n0\n")


@pytest.mark.parametrize("boundary", [-1, 7, "2", 0.5])
def test_boundaries_that_are_none_are_refused(tmp_path: Path, boundary: Any) -> None:
    graph = clew.Graph(small().outgoing, metadata={BOUNDARY: boundary})
    with pytest.raises(clew.FormatError, match="expected an integer from 0 to 6"):
        clew.write(graph, tmp_path / "graph.adj")


def test_the_ambiguous_boundary_is_refused(tmp_path: Path) -> None:
    graph = clew.Graph.from_edges([], [], num_vertices=3, metadata={BOUNDARY: 1})
    with pytest.raises(clew.FormatError, match="one vertex with self-loops"):
        clew.write(graph, tmp_path / "graph.adj")


def test_fuzzed() -> None:
    fuzz([PLAIN, WEIGHTED, PLACED, PLAIN.replace(b"\n", b" "), WEIGHTED.replace(b"9", b"0.5")], "ligra")
