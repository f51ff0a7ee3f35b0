"""Matrix Market files of other projects: LAGraph's, which come in all forms, valid and mangled, and GAP's."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import clew
from tests.io.matrices import by_scipy, dense

# name: vertices, edges, directed, dtype of the weights; checked by hand and, where SciPy reads the file, against it.
LAGRAPH = {
    "A": (7, 15, False, None),
    "LFAT5": (14, 30, False, "float64"),
    "LFAT5_two": (28, 60, False, "float64"),
    "comments_cover": (7, 12, True, "int32"),
    "comments_west0067": (67, 295, True, "float64"),
    "cover": (7, 12, True, "int32"),
    "cryg2500": (2500, 12349, True, "float64"),
    "full": (3, 9, True, "float64"),
    "full_symmetric": (4, 10, False, "float64"),
    "jagmesh7": (1138, 4294, False, None),
    "karate": (34, 78, False, None),
    "ldbc-cdlp-undirected-example": (8, 12, False, "bool"),
    "ldbc-directed-example": (10, 17, True, "float64"),
    "ldbc-directed-example-unweighted": (10, 17, True, "bool"),
    "ldbc-undirected-example": (9, 12, False, "float64"),
    "ldbc-undirected-example-bool": (9, 12, False, "bool"),  # symmetric, but lists the upper triangle
    "lp_afiro": (27 + 51, 102, True, "float64"),  # not square
    "matrix_fp32": (7, 12, True, "float32"),  # an integer matrix with infinities
    "matrix_fp64": (7, 12, True, "float64"),
    "matrix_int32": (7, 12, True, "int32"),
    "matrix_int8": (7, 12, True, "int8"),
    "matrix_uint32": (7, 12, True, "uint32"),
    "matrix_uint8": (7, 12, True, "uint8"),
    "msf2": (8, 12, True, "int64"),
    "olm1000": (1000, 3996, True, "float64"),
    "sample": (8, 12, True, None),
    "skew_fp32": (6, 20, True, "float32"),
    "skew_int16": (6, 20, True, "int16"),
    "skew_int64": (6, 20, True, "int64"),
    "sources_7": (64 + 1, 64, True, "int64"),  # a single column
    "test_BF": (7, 12, True, "float64"),
    "test_FW_2003": (2003, 23973, True, "float64"),
    "tree-example": (6, 5, False, "int64"),
    "west0067": (67, 294, True, "float64"),
    "west0067_jumbled": (67, 294, True, "float64"),  # blank lines and a comment among the entries
    "zenios": (2873, 15032, False, "float64"),
}
# All of them are invalid; the place and the words of the refusal.
MANGLED = {
    "mangled1": (1, 16, "'mangled'; expected matrix"),
    "mangled2": (1, 23, "'mangled'; expected coordinate or array"),
    "mangled4": (1, 39, "'mangled'; expected general, symmetric or skew-symmetric"),
    "mangled6": (1, 39, "'hermitian'; complex numbers"),
    "mangled8": (4, 2, "'3'; expected the numbers of rows, columns, entries"),
    "mangled11": (5, 3, "the column is 'zero'; expected an integer"),
    "mangled13": (7, 3, "the column is '9999'; expected an integer from 1 to 4"),
    "mangled15": (2, 18, "'float complex'; expected one of bool,"),
    "mangled_bool": (10, 5, "'2', which does not fit its dtype, bool"),
    "mangled_int16": (8, 5, "'-32769', which does not fit its dtype, int16"),
    "mangled_int8": (8, 5, "'-129', which does not fit its dtype, int8"),
    "mangled_uint16": (9, 5, "'65536', which does not fit its dtype, uint16"),
    "mangled_uint8": (9, 5, "'256', which does not fit its dtype, uint8"),
}


@pytest.mark.parametrize("name", LAGRAPH)
def test_files_of_lagraph(name: str, shared_data: Path) -> None:
    path = shared_data / "lagraph" / f"{name}.mtx"
    graph = clew.read(path)
    dtype = None if graph.weights is None else str(graph.weights.dtype)
    assert (graph.num_vertices, graph.num_edges, graph.directed, dtype) == LAGRAPH[name]
    if name not in ("matrix_fp32", "matrix_fp64", "west0067_jumbled"):  # SciPy reads neither ∞ nor late comments
        expected = by_scipy(path)
        expected = expected.astype(np.float32).astype(np.float64) if dtype == "float32" else expected
        assert np.array_equal(dense(graph), expected, equal_nan=True)


@pytest.mark.parametrize("name", MANGLED)
def test_mangled_files_of_lagraph_are_refused(name: str, shared_data: Path) -> None:
    path = shared_data / "lagraph" / f"{name}.mtx"
    with pytest.raises(clew.FormatError) as caught:
        clew.read(path)
    line, column, words = MANGLED[name]
    assert (caught.value.path, caught.value.line, caught.value.column) == (str(path), line, column)
    assert words in caught.value.problem


def test_every_file_of_lagraph_is_tested(shared_data: Path) -> None:
    assert {path.stem for path in (shared_data / "lagraph").glob("*.mtx")} == LAGRAPH.keys() | MANGLED.keys()


def test_values_of_lagraph_s_types(shared_data: Path) -> None:
    folder = shared_data / "lagraph"
    for name in ("matrix_fp32", "matrix_fp64"):
        graph = clew.read(folder / f"{name}.mtx")
        assert dense(graph)[3, 0] == -np.inf
        assert dense(graph)[0, 1] == np.inf
    assert dense(clew.read(folder / "matrix_uint32.mtx"))[0, 1] == 2**32 - 1
    skew = clew.read(folder / "skew_int64.mtx")
    assert skew.weights is not None
    assert (skew.weights.min(), skew.weights.max()) == (-(2**63) + 1, 2**63 - 1)
    assert clew.read(folder / "west0067_jumbled.mtx") == clew.read(folder / "west0067.mtx")


def test_files_of_gap(shared_data: Path) -> None:
    plain, weighted = (clew.read(shared_data / "gapbs" / name) for name in ("4.mtx", "4w.mtx"))
    assert (plain.num_vertices, plain.num_edges, plain.weighted) == (14, 256, False)
    assert (weighted.num_vertices, weighted.num_edges, str(weighted.weights.dtype)) == (14, 256, "int64")


def test_a_file_without_a_banner_is_refused_with_advice(shared_data: Path) -> None:
    path = shared_data / "roads" / "luxembourg_osm.mtx.gz"
    with pytest.raises(clew.FormatError, match=r"'2 1'; expected the banner .* pass format='edge-list'") as caught:
        clew.read(path, format="matrix-market")
    assert (caught.value.line, caught.value.column) == (1, 1)
