"""Arrays and tables of other libraries, in and out, without importing them and without copies."""

from __future__ import annotations

import subprocess
import sys
import types

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew.errors import GraphError, MissingDependencyError
from tests.graph.strategies import edge_lists


class Tensor:
    """What a library has that knows nothing of NumPy: memory, shape, DLPack and indexing."""

    def __init__(self, values: np.ndarray) -> None:
        self.values = values

    @property
    def shape(self) -> tuple[int, ...]:
        return self.values.shape

    def __dlpack__(self, **options):
        return self.values.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()


class OldConsumer:
    """A library from before DLPack 1.0: says nothing of versions, and cannot take read-only arrays."""

    @staticmethod
    def from_dlpack(source) -> np.ndarray:
        capsule = source.__dlpack__()

        class Wrapped:
            def __dlpack__(self, **_):
                return capsule

            def __dlpack_device__(self):
                return source.__dlpack_device__()

        return np.from_dlpack(Wrapped())


@settings(max_examples=30, deadline=None)
@given(edge_lists(), st.booleans())
def test_edge_index_round_trip(edges, directed):
    graph = clew.Graph.from_edges(*edges, directed=directed)
    index = graph.to_edge_index()
    assert (index.shape, index.dtype) == ((2, graph.num_arcs), np.int64)
    known = {"directed": directed, "both_directions": not directed, "num_vertices": graph.num_vertices}
    assert clew.Graph.from_edge_index(Tensor(index), graph.weights, **known) == graph


def test_edge_index_is_refused_unless_it_has_two_rows():
    with pytest.raises(GraphError, match=r"edge_index has shape \(3, 2\); expected \(2, number of edges\)"):
        clew.Graph.from_edge_index([[0, 1], [1, 2], [2, 0]])
    with pytest.raises(GraphError, match="shape"):
        clew.Graph.from_edge_index([0, 1])


def test_torch_is_loaded_only_when_asked_for(monkeypatch):
    graph = clew.generate.path(3)
    monkeypatch.setitem(sys.modules, "torch", None)
    assert isinstance(graph.to_edge_index(), np.ndarray)
    with pytest.raises(MissingDependencyError, match="pip install torch"):
        graph.to_edge_index(torch=True)
    monkeypatch.setitem(sys.modules, "torch", types.SimpleNamespace(from_dlpack=OldConsumer.from_dlpack))
    assert graph.to_edge_index(torch=True).tolist() == [[0, 1, 1, 2], [1, 0, 2, 1]]


def test_results_are_tensors_without_a_copy():
    result = clew.bfs(clew.generate.path(5), 0)
    assert np.shares_memory(np.from_dlpack(result), result.depth)
    assert np.shares_memory(OldConsumer.from_dlpack(result), result.depth)
    assert np.shares_memory(np.asarray(result), result.depth)
    assert np.asarray(result, dtype=np.float32).dtype == np.float32
    assert not np.shares_memory(np.array(result), result.depth)
    assert not hasattr(result, "__cuda_array_interface__")
    with pytest.raises(ValueError, match="without a copy"):
        np.asarray(result, dtype=np.float32, copy=False)


def test_read_only_results_are_copied_for_old_consumers():
    depth = np.arange(3)
    depth.flags.writeable = False
    result = clew.Result("bfs", {"depth": depth})
    assert np.shares_memory(np.from_dlpack(result), depth)
    old = OldConsumer.from_dlpack(result)
    assert old.tolist() == [0, 1, 2]
    assert not np.shares_memory(old, depth)


def test_a_result_in_gpu_memory_says_so():
    on_gpu = types.SimpleNamespace(__cuda_array_interface__={"version": 3}, __dlpack_device__=lambda: (2, 0))
    result = clew.Result("bfs", {"depth": on_gpu})
    assert result.__cuda_array_interface__ == {"version": 3}
    assert result.__dlpack_device__() == (2, 0)
    assert not hasattr(clew.Result("triangles", {}), "__cuda_array_interface__")


def test_results_are_tables_to_whoever_speaks_arrow():
    graph = clew.Graph.from_edges(["a", "b"], ["b", "c"], directed=False)
    result = clew.bfs(graph, "a")
    expected = {"vertex": ["a", "b", "c"], "depth": [0, 1, 2], "parent": ["a", "a", "b"]}
    assert pl.DataFrame(result).to_dict(as_series=False) == expected
    assert pa.table(result).to_pydict() == expected
    assert pd.DataFrame(result.to_pandas()).to_dict("list") == expected
    assert duckdb.from_arrow(pa.RecordBatchReader.from_stream(result)).fetchall()[2] == ("c", 2, "b")


def test_a_graph_is_a_table_of_its_edges():
    graph = clew.Graph.from_edges(["a", "b"], ["b", "c"], [1.5, 2.5])
    assert pl.DataFrame(graph)["target"].to_list() == ["b", "c"]
    assert clew.Graph.from_arrow(graph) == graph
    assert clew.Graph.from_arrow(graph, weight=None) == graph.with_weights(None)
    assert clew.Graph.from_arrow(graph.with_weights(None)) == graph.with_weights(None)


def test_scipy_matrices_are_shared_with_their_offsets():
    matrix = sp.random_array((50, 50), density=0.1, format="csr", rng=np.random.default_rng(1))
    matrix.indptr, matrix.indices = matrix.indptr.astype(np.int64), matrix.indices.astype(np.int64)
    graph = clew.Graph.from_scipy(matrix, id_dtype=np.int64)
    for ours, theirs in ((graph.indptr, matrix.indptr), (graph.indices, matrix.indices), (graph.weights, matrix.data)):
        assert np.shares_memory(ours, theirs)
        assert theirs.flags.writeable
        assert not ours.flags.writeable
    back = graph.to_scipy()
    for ours, theirs in ((graph.indptr, back.indptr), (graph.indices, back.indices), (graph.weights, back.data)):
        assert np.shares_memory(ours, theirs)


def test_tables_and_tensors_import_nothing():
    """Of clew's own accord; pandas is left out because Arrow itself looks for it."""
    code = (
        "import sys, numpy as np, pyarrow as pa, clew; g = clew.generate.path(4); g.to_edge_index();"
        "clew.Graph.from_arrow(pa.table({'source': [0], 'target': [1]})); pa.table(clew.bfs(g, 0)); "
        "np.from_dlpack(clew.bfs(g, 0));"
        "print([name for name in ('polars', 'torch', 'networkx') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_edges_listed_in_both_directions_are_one_edge_each():
    both = [[0, 1, 1, 2, 2], [1, 0, 2, 1, 2]]  # the last is a loop
    graph = clew.Graph.from_edge_index(both, [3, 3, 4, 4, 5], directed=False)
    assert graph == clew.Graph.from_edges([0, 1, 2], [1, 2, 2], [3, 4, 5], directed=False)
    assert clew.Graph.from_edge_index(graph.to_edge_index(), graph.weights, directed=False) == graph
    assert clew.Graph.from_edge_index([[0, 1], [1, 2]], directed=False).num_edges == 2  # listed once
    assert clew.Graph.from_edge_index(both).num_edges == 5
    assert clew.Graph.from_edge_index(both, directed=False, both_directions=False).num_edges == 5
    with pytest.raises(GraphError, match="its two directions have different weights"):
        clew.Graph.from_edge_index([[0, 1], [1, 0]], [1, 2], directed=False)
    with pytest.raises(GraphError, match="one way only"):
        clew.Graph.from_edge_index([[0, 1], [1, 2]], directed=False, both_directions=True)
