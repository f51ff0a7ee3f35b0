from __future__ import annotations

import io
import struct
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings

import clew
from clew.io import npz
from clew.io.source import Match
from tests.io.fuzzing import fuzz
from tests.io.graphs import graphs, prefixes, refused, small, stored


def archive(compressed: bool = False, **arrays: Any) -> bytes:
    buffer = io.BytesIO()
    (np.savez_compressed if compressed else np.savez)(buffer, **arrays)
    return buffer.getvalue()


def scipy_npz(matrix: Any, compressed: bool = True) -> bytes:
    buffer = io.BytesIO()
    sp.save_npz(buffer, matrix, compressed=compressed)
    return buffer.getvalue()


def with_member(name: str, content: bytes, declared: int | None = None) -> bytes:
    """An archive of edges whose member ``name`` has other bytes, or another size in the directory than it has."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as whole:
        for other in {"src", "dst"} - {name}:
            with whole.open(f"{other}.npy", "w") as member:
                np.lib.format.write_array(member, np.array([0, 1]))
        whole.writestr(f"{name}.npy", content)
    data = buffer.getvalue()
    if declared is not None:
        size = struct.pack("<I", len(content))
        data = data.replace(size, struct.pack("<I", declared))
    return data


def npy(array: np.ndarray, **changes: Any) -> bytes:
    """The bytes of a ``.npy`` file, with a header that may lie."""
    header = {"descr": array.dtype.str, "fortran_order": False, "shape": array.shape} | changes
    buffer = io.BytesIO()
    np.lib.format.write_array_header_1_0(buffer, header)
    return buffer.getvalue() + array.tobytes()


@settings(max_examples=40, deadline=None)
@given(graphs())
def test_round_trip(graph: clew.Graph) -> None:
    assert clew.read(stored(graph, ".npz")) == graph


def test_same_graph_same_bytes() -> None:
    assert stored(small(), ".npz") == stored(small(), ".npz")


def test_scipy_reads_what_clew_writes(tmp_path: Path) -> None:
    clew.write(small(), tmp_path / "graph.npz")
    clew.write(small(weights=None), tmp_path / "unweighted.npz")
    assert (sp.load_npz(tmp_path / "graph.npz") != small().to_scipy()).nnz == 0
    assert sp.load_npz(tmp_path / "unweighted.npz").sum() == 5


@pytest.mark.parametrize("compressed", [True, False])
@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "bsr", "dia"])
@pytest.mark.parametrize("make", [sp.csr_matrix, sp.csr_array])
def test_clew_reads_what_scipy_writes(kind: str, make: Any, compressed: bool) -> None:
    dense = np.array([[0, 2.5, 0, 0], [0, 0, 1.5, 0], [3.5, 0, 0, 0.5], [0, 0, 0, 4.5]])
    matrix = make(dense).asformat(kind)
    graph = clew.read(scipy_npz(matrix, compressed))
    assert graph.directed
    assert graph == clew.Graph.from_numpy(dense)


def test_symmetric_matrices_may_be_read_as_undirected() -> None:
    dense = np.array([[0, 2, 0], [2, 0, 3], [0, 3, 1]])
    for kind in ("csr", "csc"):
        graph = clew.read(scipy_npz(sp.csr_array(dense).asformat(kind)), directed=False)
        assert graph == clew.Graph.from_numpy(dense, directed=False)


@pytest.mark.parametrize("names", [("src", "dst"), ("source", "target"), ("row", "col")])
def test_edge_arrays(names: tuple[str, str]) -> None:
    first, second = names
    ends = {first: np.array([0, 1, 2], dtype=np.int32), second: np.array([1, 2, 0])}
    expected = clew.Graph.from_edges([0, 1, 2], [1, 2, 0], [0.5, 1.5, 2.5])
    assert clew.read(archive(**ends)) == expected.with_weights(None)
    for weight in ("weights", "weight", "w", "data"):
        assert clew.read(archive(**ends, **{weight: np.array([0.5, 1.5, 2.5])})) == expected
    for count in ("n", "num_vertices", "num_nodes"):
        assert clew.read(archive(True, **ends, **{count: 7})).num_vertices == 7
    for flag, value in (("directed", False), ("sym", True), ("symmetric", 1), ("undirected", np.bool_(True))):
        graph = clew.read(archive(**ends, **{flag: value}))
        assert not graph.directed
        assert graph.num_edges == 3
        assert clew.read(archive(**ends, **{flag: value}), directed=True).num_edges == 6
    assert clew.read(archive(**ends, directed=True)).directed
    assert clew.read(archive(**ends, sym=False)).directed


def test_ids_and_names() -> None:
    sparse = archive(src=np.array([10, 30]), dst=np.array([20, 10]))
    assert clew.read(sparse).names.array.to_pylist() == [10, 20, 30]
    assert clew.read(sparse, ids="keep").num_vertices == 31
    assert clew.read(archive(src=np.array([10, 30]), dst=np.array([20, 10]), n=40)).names is None
    words = archive(src=np.array(["a", "bc"]), dst=np.array(["bc", "d"]))
    assert clew.read(words) == clew.Graph.from_edges(["a", "bc"], ["bc", "d"])


def test_odd_layouts_of_arrays() -> None:
    big = archive(src=np.array([0, 1], dtype=">i4"), dst=np.array([1, 0], dtype=">i8"), w=np.array([1, 2], dtype=">f8"))
    assert clew.read(big) == clew.Graph.from_edges([0, 1], [1, 0], [1.0, 2.0])
    blocks = np.asfortranarray(np.arange(8.0).reshape(2, 2, 2))
    matrix = {"format": b"bsr", "shape": [4, 4], "data": blocks, "indices": [0, 1], "indptr": [0, 1, 2]}
    expected = sp.bsr_array((blocks, [0, 1], [0, 1, 2]), shape=(4, 4)).toarray()
    assert np.array_equal(clew.read(archive(**matrix)).to_numpy(), expected)


def test_options() -> None:
    data = stored(small(), ".npz")
    assert not clew.read(data, weights=False).weighted
    assert clew.read(data, weight_dtype="float32").weights.dtype == np.float32
    assert clew.read(data, duplicates="max").num_edges == 4
    assert clew.read(data, loops="drop").num_loops == 0
    refused(stored(small(weights=None), ".npz"), "npz", "weights=True", weights=True)
    refused(data, "npz", "said to be undirected", directed=False)


def test_tokyo(shared_data: Path) -> None:
    graph = clew.read(shared_data / "roads" / "roadtokyo.npz")
    assert (graph.num_vertices, graph.num_edges, graph.directed) == (2_064_578, 2_367_047, False)


def test_every_truncation_is_refused() -> None:
    for data in (stored(small(names=list("abcdef")), ".npz"), archive(src=np.array([0, 1]), dst=np.array([1, 0]))):
        for cut in prefixes(data):
            refused(cut, "npz")


def test_every_flipped_byte_is_noticed_or_harmless() -> None:
    data = stored(small(), ".npz")
    for place in range(len(data)):
        damaged = data[:place] + bytes([data[place] ^ 0x10]) + data[place + 1 :]
        try:
            graph = clew.read(damaged, format="npz")
        except clew.FormatError:
            continue
        assert graph.with_weights(None) == small(weights=None)


EDGE = {"src": np.array([0]), "dst": np.array([1])}
CSR: dict[str, Any] = {"format": b"csr", "shape": [2, 2], "data": [5], "indices": [1], "indptr": [0, 1, 1]}


@pytest.mark.parametrize(
    ("arrays", "problem"),
    [
        ({}, "no files in it"),
        ({"a": 1, "b": 2}, "holds the arrays a, b"),
        ({"src": np.array([0])}, "holds the arrays src"),
        ({"src": np.array([[0]]), "dst": np.array([1])}, "2 dimensions"),
        ({"src": np.array([0.5]), "dst": np.array([1])}, "dtype float64"),
        ({"src": np.array([0, 1]), "dst": np.array([1])}, "expected as many"),
        (EDGE | {"n": 1}, "num_vertices is 1"),
        (EDGE | {"n": -1}, "num_vertices is -1"),
        (EDGE | {"n": 2**62}, "max_expanded_bytes"),
        (EDGE | {"n": np.uint64(2**64 - 1)}, "max_expanded_bytes"),
        (EDGE | {"n": 1.5}, "'n' has dtype float64"),
        (EDGE | {"n": [3]}, "'n' has 1 dimensions"),
        (EDGE | {"sym": "yes"}, "'sym' has dtype"),
        (EDGE | {"weights": [1, 2]}, "one weight per edge"),
        (EDGE | {"weights": [1j]}, "dtype complex128"),
        (CSR | {"format": b"xyz"}, "'xyz'"),
        (CSR | {"format": b"\xff"}, "SciPy's format"),
        (CSR | {"format": 3}, "'format' has dtype int64"),
        (CSR | {"shape": [2, 3]}, "square"),
        (CSR | {"shape": [2]}, "square"),
        (CSR | {"shape": [-1, -1]}, "square"),
        (CSR | {"shape": [2.0, 2.0]}, "square"),
        (CSR | {"shape": [2**62, 2**62]}, "indptr has 3"),
        (CSR | {"indptr": [0, 2, 1]}, "ascend"),
        (CSR | {"indptr": [0, 1, 2]}, "from 0 to 2"),
        (CSR | {"indices": [2]}, "contain 2"),
        (CSR | {"indices": [-1]}, "contain -1"),
        (CSR | {"data": [1, 2]}, "one weight per edge"),
        (CSR | {"format": b"csc", "indices": [7]}, "contain 7"),
        (CSR | {"format": b"coo", "row": [0], "col": [2]}, "vertex 2"),
        (CSR | {"format": b"coo", "row": [0], "col": [1], "shape": [2**40, 2**40]}, "max_expanded_bytes"),
        (CSR | {"format": b"coo"}, "no array 'row'"),
        (CSR | {"format": b"bsr"}, "3, of numbers"),
        (CSR | {"format": b"bsr", "data": np.ones((1, 1, 1)), "indices": [9]}, "do not make a bsr matrix"),
        (CSR | {"format": b"bsr", "data": np.ones((1, 0, 0))}, "do not make a bsr matrix"),
        (CSR | {"format": b"dia", "data": np.ones((2, 2)), "offsets": [0, 0]}, "do not make a dia matrix"),
        (CSR | {"names": [1, 2, 3]}, "3 names for 2"),
        (CSR | {"names": [1.5, 2.5]}, "dtype float64"),
        (CSR | {"name_bytes": np.zeros(2, np.uint8)}, "only one of"),
        (CSR | {"name_bytes": np.zeros(2, np.uint8), "name_offsets": [0, 3, 2]}, "damaged"),
    ],
)
def test_refusals(arrays: dict[str, Any], problem: str) -> None:
    refused(archive(**arrays), "npz", problem)


def test_wrong_bytes(tmp_path: Path) -> None:
    refused(b"", "npz", "cannot be read")
    refused(b"PK\3\4 and no more", "npz", "the archive is damaged")
    with pytest.raises(clew.FormatError, match="directory"):
        clew.read(tmp_path, format="npz")


def test_pickles_are_never_loaded() -> None:
    bomb = npy(np.array([0, 1]), descr="|O")
    refused(with_member("src", bomb), "npz", "Python objects are never read")
    refused(with_member("src", npy(np.array([0, 1]), descr=[("x", "<i8")])), "npz", "Python objects are never read")


@pytest.mark.parametrize("shape", [(3,), (1,), (2**40,), (2**62,), (2**64,), (-2,), (2, 1), ()])
def test_shapes_that_lie(shape: tuple[int, ...]) -> None:
    refused(with_member("src", npy(np.array([0, 1]), shape=shape)), "npz")


def test_sizes_that_lie() -> None:
    """The directory says a member is large, its header agrees, and the bytes are not there."""
    content = npy(np.array([0, 1]), shape=(2**24,))
    declared = len(content) - 16 + 8 * 2**24
    refused(with_member("src", content, declared), "npz")


def test_expansion_is_bounded() -> None:
    zeros = np.zeros(1_000_000, dtype=np.int64)
    data = archive(True, src=zeros, dst=zeros)
    refused(data, "npz", "max_expanded_bytes", max_expanded_bytes=10_000_000)
    assert clew.read(data, max_expanded_bytes=20_000_000).num_edges == 1_000_000


def test_sniff() -> None:
    assert npz.sniff(stored(small(), ".npz")) == Match.SURE
    assert npz.sniff(archive(**EDGE)) == Match.SURE
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as other:
        other.writestr("readme.txt", "hello")
    assert npz.sniff(buffer.getvalue()) == Match.NO


def test_fuzz() -> None:
    matrix = sp.csr_array(np.array([[0, 2.5, 0], [0, 0, 1.5], [3.5, 0, 0]]))
    files = [
        stored(small(names=list("abcdef")), ".npz"),
        archive(src=np.array([0, 1]), dst=np.array([1, 0]), w=np.array([1, 2]), n=3, sym=True),
        *(scipy_npz(matrix.asformat(kind), compressed=False) for kind in ("csr", "csc", "coo", "bsr", "dia")),
    ]
    fuzz(files, "npz")
