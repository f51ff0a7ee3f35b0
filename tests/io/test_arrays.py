"""Edge arrays in ``.npy`` files and matrices in ``.mat`` files."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

import clew
from tests.io.fuzzing import fuzz
from tests.io.graphs import refused, small, stored


def npy(array: Any) -> bytes:
    data = io.BytesIO()
    np.save(data, np.asarray(array))
    return data.getvalue()


def mat(compressed: bool = True, **variables: Any) -> bytes:
    data = io.BytesIO()
    scipy.io.savemat(data, variables, do_compression=compressed)
    return data.getvalue()


def edges(graph: clew.Graph) -> list[tuple[int, ...]]:
    return list(zip(*(column.tolist() for column in graph.edges() if column is not None), strict=True))


ARRAYS = [
    ([[0, 1], [1, 2], [2, 0]], [(0, 1), (1, 2), (2, 0)], "an edge per row"),
    ([[0, 1, 2, 3], [1, 2, 3, 0]], [(0, 1), (1, 2), (2, 3), (3, 0)], "an edge per column"),
    ([[0, 1, 5], [1, 0, 7]], [(0, 1, 5), (1, 0, 7)], "an edge per row"),
    ([[0, 1, 0.5], [1, 0, 7]], [(0, 1, 0.5), (1, 0, 7.0)], "an edge per row"),
    (np.array([[0, 1], [1, 0]], order="F", dtype=">i4"), [(0, 1), (1, 0)], "an edge per row"),
    (np.empty((0, 2), dtype=np.int64), [], "an edge per row"),
]


@pytest.mark.quick
@pytest.mark.parametrize(("array", "expected", "said"), ARRAYS)
def test_edge_arrays(array: Any, expected: list[tuple[int, ...]], said: str) -> None:
    graph = clew.read(npy(array))
    assert edges(graph) == expected
    assert said in graph.report.decisions[0]


def test_numbers_with_gaps_and_text_are_names() -> None:
    assert sorted(clew.read(npy([[7, 9], [9, 8]])).names) == [7, 8, 9]
    assert clew.read(npy([[7, 9], [9, 8]]), ids="keep").num_vertices == 10
    assert list(clew.read(npy([["a", "b"], ["b", "c"]])).names) == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("array", "problem"),
    [
        (np.eye(4), "shape (4, 4); expected two columns"),
        ([[0.5, 1, 1]], "edge number 1 has the vertex 0.5; expected a whole number"),
        ([[0, 1, 1.5], [np.nan, 1, 1]], "edge number 2 has the vertex nan"),
        ([0, 1], "has 1 dimensions"),
        ([[True, False]], "dtype bool"),
    ],
)
def test_other_arrays_are_refused(array: Any, problem: str) -> None:
    assert problem in refused(npy(array), "npy")


def test_objects_are_never_unpickled(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.array([[{}, {}]], dtype=object), allow_pickle=True)
    assert "Python objects are never read" in refused((tmp_path / "a.npy").read_bytes(), "npy")


def test_numpy_reads_what_clew_writes(tmp_path: Path) -> None:
    graph = small(names=["a", "b", "c", "d", "e", "f"])
    lost = clew.write(graph, tmp_path / "a.npy")
    assert lost == ["the names of vertices, which are numbers there", "1 vertex without edges"]
    assert np.load(tmp_path / "a.npy").tolist() == [[0, 1, 3], [0, 1, 1], [1, 2, 2], [2, 2, 5], [3, 4, 4]]


A = sp.csr_array(np.array([[0, 1.5, 0], [0, 0, -2], [4, 0, 0]]))


@pytest.mark.quick
@pytest.mark.parametrize("compressed", [True, False])
def test_matrices_of_matlab(compressed: bool) -> None:
    expected = [(0, 1, 1.5), (1, 2, -2.0), (2, 0, 4.0)]
    problem = {"A": A, "name": "HB/small", "b": np.ones((3, 1)), "kind": "directed graph"}
    for variables in ({"Problem": problem}, {"A": A, "other": A.T}, {"G": A.toarray(), "n": 3}):
        assert edges(clew.read(mat(compressed, **variables))) == expected
    graph = clew.read(mat(compressed, Problem=problem), weights=False)
    assert not graph.weighted
    assert "The graph is the matrix Problem.A." in graph.report.decisions


@pytest.mark.parametrize(
    ("variables", "problem"),
    [
        ({"B": A, "C": A}, "the file has the matrices B, C, none of them called A"),
        ({"A": np.ones((2, 3)), "n": 3}, "no square matrix"),
    ],
)
def test_other_files_of_matlab_are_refused(variables: dict[str, Any], problem: str) -> None:
    assert problem in refused(mat(**variables), "matlab")


def test_scipy_reads_what_clew_writes(tmp_path: Path) -> None:
    graph = clew.Graph.from_edges([0, 1], [1, 2], [2, 3], directed=False)
    clew.write(graph, tmp_path / "a.mat")
    assert scipy.io.loadmat(tmp_path / "a.mat")["A"].toarray().tolist() == [[0, 2, 0], [2, 0, 3], [0, 3, 0]]
    assert clew.read(tmp_path / "a.mat", weight_dtype="int64") == graph
    with pytest.raises(clew.FormatError, match="parallel edges"):
        clew.write(small(), tmp_path / "a.mat")


def test_a_file_that_unpacks_too_far_is_refused() -> None:
    big = mat(A=np.zeros((300, 300)))
    assert len(big) < 2000
    assert "raise the cap" in refused(big, "matlab", max_expanded_bytes=100_000)


def test_damaged_arrays_and_matrices() -> None:
    fuzz([npy([[0, 1], [1, 2]]), stored(small(), ".npy")], "npy")
    fuzz([mat(A=A), mat(False, Problem={"A": A}), mat(False, G=A.toarray(), n=3)], "matlab")
