"""DIMACS flow problems, TSPLIB and TNTP networks: known answers, errors with positions, and damaged files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import clew
from tests.io.fuzzing import fuzz
from tests.io.graphs import refused, stored

MAX = b"c example\np max 4 5\nn 1 s\nn 4 t\na 1 2 4\na 1 3 2\na 2 3 2\na 2 4 3\na 3 4 5\n"
MIN = b"p min 4 5\nn 1 4\nn 4 -4\na 1 2 0 4 2\na 1 3 0 2 2\na 2 3 0 2 1\na 2 4 0 3 3\na 3 4 1 5 1\n"
BURMA = """16.47 96.10 16.47 94.44 20.09 92.54 22.39 93.37 25.23 97.24 22.00 96.05 20.47 97.02 17.20 96.29 16.30 97.38
14.05 98.12 16.53 97.38 21.52 95.59 19.41 97.13 20.09 94.55"""
TNTP = b"""<NUMBER OF ZONES> 2\t\n<NUMBER OF NODES> 3\n<FIRST THRU NODE> 1\n<NUMBER OF LINKS> 3\n<END OF METADATA>\t\n\n
~ \tInit node \tTerm node \tCapacity \tLength \tFree Flow Time \t;
\t1\t2\t25900.2\t6\t6\t;
\t2\t3\t23403.5\t4\t4\t;
\t3\t1\t25900.2\t6\t5\t;
"""


def tsp(kind: str, *lines: str, dimension: int, **entries: str) -> bytes:
    section = "EDGE_WEIGHT_SECTION" if kind == "EXPLICIT" else "NODE_COORD_SECTION"
    more = {"TYPE": "TSP", "EDGE_WEIGHT_TYPE": kind, **entries}
    head = "".join(f"{key}: {value}\n" for key, value in more.items())
    return f"NAME : x\n{head}DIMENSION : {dimension}\n{section}\n{chr(10).join(lines)}\nEOF\n".encode()


def distances(graph: clew.Graph) -> list[list[float]]:
    matrix: list[list[float]] = graph.to_scipy().toarray().tolist()
    return matrix


@pytest.mark.quick
def test_maximum_flow() -> None:
    graph = clew.read(MAX)
    assert graph.metadata == {"source": 0, "sink": 3}
    assert [column.tolist() for column in graph.edges()] == [[0, 0, 1, 1, 2], [1, 2, 2, 3, 3], [4, 2, 2, 3, 5]]
    assert clew.read(stored(graph, ".max")) == graph
    assert b"n 1 s\nn 4 t\n" in stored(graph, ".max")
    with pytest.raises(clew.FormatError, match="do not name the ids 'source' and 'sink'"):
        stored(clew.Graph.from_edges([0], [1], [2]), ".max")


@pytest.mark.quick
def test_minimum_cost_flow(tmp_path: Path) -> None:
    graph = clew.read(MIN)
    assert not graph.weighted
    assert graph.edge_columns.to_pydict() == {
        "low": [0, 0, 0, 0, 1],
        "capacity": [4, 2, 2, 3, 5],
        "cost": [2, 2, 1, 3, 1],
    }
    assert graph.vertex_columns["supply"].to_pylist() == [4, 0, 0, -4]
    assert clew.read(MIN, weight="cost").weights.tolist() == [2, 2, 1, 3, 1]
    with pytest.raises(clew.FormatError, match="clew reads DIMACS minimum-cost flow, but does not write it"):
        clew.write(graph, tmp_path / "a.min")
    with pytest.raises(clew.FormatError, match="does not write it"):
        clew.write(graph, tmp_path / "a.txt", format="dimacs-min")


@pytest.mark.quick
def test_the_optimal_tour_of_burma14_has_its_published_length() -> None:
    numbers = BURMA.split()
    cities = [f"{k + 1} {numbers[2 * k]} {numbers[2 * k + 1]}" for k in range(14)]
    graph = clew.read(tsp("GEO", *cities, dimension=14))
    tour = np.array([1, 2, 14, 3, 4, 5, 6, 12, 7, 13, 8, 11, 9, 10]) - 1
    matrix = np.array(distances(graph))
    assert matrix[tour, np.roll(tour, -1)].sum() == 3323
    assert graph.vertex_columns["x"].to_pylist()[:2] == [16.47, 16.47]
    assert (graph.num_edges, graph.directed) == (91, False)


@pytest.mark.parametrize(
    ("kind", "distance"), [("EUC_2D", 4), ("CEIL_2D", 4), ("MAN_2D", 5), ("MAX_2D", 3), ("ATT", 2)]
)
def test_rounded_distances(kind: str, distance: int) -> None:
    assert distances(clew.read(tsp(kind, "2 3.0 2.0", "1 0 0", dimension=2))) == [[0, distance], [distance, 0]]


def test_distances_in_space() -> None:
    for kind, distance in {"EUC_3D": 4, "MAN_3D": 6, "MAX_3D": 3}.items():
        assert distances(clew.read(tsp(kind, "1 0 0 0", "2 1 2 3", dimension=2)))[0][1] == distance


@pytest.mark.parametrize(
    ("form", "numbers"),
    [
        ("FULL_MATRIX", "0 1 2 1 0 3 2 3 0"),
        ("UPPER_ROW", "1 2 3"),
        ("LOWER_ROW", "1 2 3"),
        ("UPPER_DIAG_ROW", "0 1 2 0 3 0"),
        ("LOWER_DIAG_ROW", "0 1 0 2 3 0"),
        ("UPPER_COL", "1 2 3"),
        ("LOWER_COL", "1 2 3"),
        ("UPPER_DIAG_COL", "0 1 0 2 3 0"),
        ("LOWER_DIAG_COL", "0 1 2 0 3 0"),
    ],
)
def test_matrices(form: str, numbers: str) -> None:
    graph = clew.read(tsp("EXPLICIT", *numbers.split(), dimension=3, EDGE_WEIGHT_FORMAT=form))
    assert distances(graph) == [[0, 1, 2], [1, 0, 3], [2, 3, 0]]


def test_asymmetric_matrices_and_lists() -> None:
    data = tsp("EXPLICIT", "0 1 2", "3 0 4", "5 6 0", dimension=3, TYPE="ATSP", EDGE_WEIGHT_FORMAT="FULL_MATRIX")
    graph = clew.read(data)
    assert graph.directed
    assert distances(graph) == [[0, 1, 2], [3, 0, 4], [5, 6, 0]]
    head = b"TYPE : HCP\nDIMENSION : 4\nEDGE_DATA_FORMAT : "
    for text in (b"EDGE_LIST\nEDGE_DATA_SECTION\n1 2\n2 4\n-1\nEOF\n", b"ADJ_LIST\nEDGE_DATA_SECTION\n2 1 4 -1\n-1\n"):
        graph = clew.read(head + text)
        assert (graph.num_vertices, graph.num_edges, graph.weighted, graph.directed) == (4, 2, False, False)


@pytest.mark.quick
def test_road_networks() -> None:
    graph = clew.read(TNTP)
    assert [column.tolist() for column in graph.edges()[:2]] == [[0, 1, 2], [1, 2, 0]]
    columns = {"capacity": [25900.2, 23403.5, 25900.2], "length": [6, 4, 6], "free_flow_time": [6, 4, 5]}
    assert graph.edge_columns.to_pydict() == columns
    assert clew.read(TNTP, weight="length").weights.tolist() == [6, 4, 6]
    plain = TNTP.replace(b"~", b"~ no names").replace(b"Length", b"Capacity")
    assert list(clew.read(plain).edge_columns.column_names) == ["capacity", "length", "free_flow_time"]


BROKEN = [
    ("dimacs-max", MAX.replace(b"n 4 t", b"n 4 x"), "line 4, column 1: expected 'n ID s'"),
    ("dimacs-max", MAX.replace(b"n 4 t", b"n 9 t"), "line 4, column 3: the vertex is '9'; expected 1 to 4"),
    ("dimacs-max", MAX.replace(b"a 1 2 4", b"a 1 7 4"), "line 5, column 5"),
    ("dimacs-max", MIN, "Read it with format='dimacs-min'"),
    ("dimacs-min", MIN.replace(b"0 4 2", b"0 4"), "line 4"),
    ("tsplib", tsp("EUC_2D", "1 0 0", dimension=2), "has 3 numbers; expected 3 or 4 for each of 2 cities"),
    ("tsplib", tsp("EUC_2D", "1 0 0", "1 0 1", dimension=2), "does not name every city from 1 to 2 once"),
    ("tsplib", tsp("EUC_2D", "1 0 0", "2 0 1.2.3", dimension=2), "line 7: found '1.2.3'; expected a number"),
    ("tsplib", tsp("XRAY1", "1 0 0", dimension=1), "EDGE_WEIGHT_TYPE is 'XRAY1'"),
    ("tsplib", tsp("EXPLICIT", "1", dimension=3, EDGE_WEIGHT_FORMAT="UPPER_ROW"), "has 1 numbers; expected 3"),
    ("tsplib", tsp("EXPLICIT", "1", dimension=2, EDGE_WEIGHT_FORMAT="FUNCTION"), "EDGE_WEIGHT_FORMAT is 'FUNCTION'"),
    ("tsplib", tsp("EUC_2D", "1 0 0", dimension=99999), "99,999 cities have 4,999,850,001 distances"),
    ("tsplib", b"DIMENSION : x\n", "DIMENSION is 'x'"),
    ("tsplib", b"0 1\n1 2\n", "line 1, column 1: found '0 1'; expected 'KEYWORD: value'"),
    ("tntp", TNTP.replace(b"LINKS> 3", b"LINKS> 4"), "3 nodes and 4 links; the file has 3 links"),
    ("tntp", TNTP.replace(b"\t2\t3\t2", b"\t2\t9\t2"), "no node from 1 to 3"),
    ("tntp", TNTP.replace(b"\t4\t4", b"\t4"), "line 10: the link has 4 columns; expected 5"),
    ("tntp", TNTP.replace(b"23403.5", b"many"), "line 10: the link is '2 3 many 4 4'; expected numbers"),
    ("tntp", b"<NUMBER OF LINKS> x\n", "expected two numbers"),
]  # fmt: skip


@pytest.mark.quick
@pytest.mark.parametrize(("format_name", "data", "problem"), BROKEN, ids=[problem for *_, problem in BROKEN])
def test_errors_say_where(format_name: str, data: bytes, problem: str) -> None:
    assert problem in refused(data, format_name)


@pytest.mark.parametrize(
    ("format_name", "files"),
    [
        ("dimacs-max", [MAX]),
        ("dimacs-min", [MIN]),
        ("tntp", [TNTP]),
        ("tsplib", [
            tsp("ATT", "1 0 0", "2 3 2", dimension=2),
            tsp("EXPLICIT", "1 2 3", dimension=3, EDGE_WEIGHT_FORMAT="UPPER_ROW"),
            b"TYPE : HCP\nDIMENSION : 4\nEDGE_DATA_FORMAT : ADJ_LIST\nEDGE_DATA_SECTION\n2 1 4 -1\n-1\nEOF\n",
        ]),
    ],
)  # fmt: skip
def test_damaged_files(format_name: str, files: list[bytes]) -> None:
    fuzz(files, format_name, 1000)
