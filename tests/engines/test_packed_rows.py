"""Algorithms, products and vertex programs on the CPU read packed rows: same answers, and nothing is unpacked."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pytest

import clew
from clew import kernels_rows, packed
from clew.jit import njit
from clew.packed.code import GROUP
from examples.vertex_programs import BreadthFirst, Components, LabelPropagation, PageRank

LENGTHS = (0, 1, 63, 64, 65, 0, 128, 2, 129, 0, 1)  # of rows; groups have 64 edges


def odd_rows(ids: str = "int32", *, directed: bool = True, seed: int = 5) -> clew.Graph:
    """Rows whose lengths are around those of a group, with parallel edges and loops; the last one has edges."""
    random = np.random.default_rng(seed)
    n = 150
    source = np.repeat(np.arange(len(LENGTHS)) * 14 + 9, LENGTHS)  # the last of them is vertex 149
    target = random.integers(0, n, source.size)
    target[::7] = target[0]
    return clew.Graph.from_edges(source, target, num_vertices=n, id_dtype=ids, directed=directed)


GRAPHS = {
    "rows around a group": odd_rows,
    "64-bit ids": lambda: odd_rows("int64"),
    "undirected": lambda: odd_rows(directed=False),
    "rmat": lambda: clew.generate.rmat(9, 8, 0.55, 0.2, 0.2, seed=3),
    "star": lambda: clew.generate.star(500),
    "grid": lambda: clew.generate.grid(20, 30),
    "no edges": lambda: clew.Graph.from_edges([], [], num_vertices=3),
}

SEARCHES = {
    "bfs": lambda g: clew.bfs(g, g.num_vertices - 1, deterministic=True, device="cpu"),
    "sssp": lambda g: clew.sssp(g, g.num_vertices - 1, deterministic=True, device="cpu"),
    "sswp": lambda g: clew.sswp(g, g.num_vertices - 1, deterministic=True, device="cpu"),
}
OTHERS = {
    "connected_components": lambda g: clew.connected_components(g, device="cpu"),
    "k_core": lambda g: clew.k_core(g, device="cpu"),
    "label_propagation": lambda g: clew.label_propagation(g, device="cpu"),
    "maximal_independent_set": lambda g: clew.maximal_independent_set(g, device="cpu"),
    "coloring": lambda g: clew.coloring(g, device="cpu"),
    "triangles": lambda g: clew.triangles(g, per_vertex=True, device="cpu"),
    "spreading program": lambda g: clew.run(BreadthFirst(g.num_vertices - 1), g, device="cpu"),
    "pulling program": lambda g: clew.run(Components(), g, device="cpu"),
    "steady program": lambda g: clew.run(PageRank(), g, device="cpu"),
    "gathering program": lambda g: clew.run(LabelPropagation(), g, device="cpu"),
}
WEIGHTS = ("uint8", "int16", "int32", "uint64", "float32", "float64")


def weighted(graph: clew.Graph, dtype: str) -> clew.Graph:
    """Whole numbers, the same in both directions of an undirected edge."""
    source = np.repeat(np.arange(graph.num_vertices), graph.degrees())
    return graph.with_weights(((source + graph.indices) % 100 + 1).astype(dtype))


def check_same(found: Any, expected: Any, ids: Any = None) -> None:
    """The same bits; ``ids`` is the dtype of ids in what was found, where others are expected."""
    assert set(found.values) == set(expected.values)
    for name in expected.values:
        one, other = np.asarray(found.values[name]), np.asarray(expected.values[name])
        assert one.dtype in (other.dtype, ids)
        assert one.tobytes() == other.astype(one.dtype).tobytes(), name


def plain(shape: str) -> clew.Graph:
    """The graph to compare with: 64-bit ids take all kernels long to compile, and the numbers are those of 32 bits."""
    return GRAPHS["rows around a group" if shape == "64-bit ids" else shape]()


def check_packed(graph: clew.Graph, offsets: int = 8) -> None:
    """Nothing but the offsets of rows is unpacked."""
    for rows in {graph.outgoing, graph.incoming}:
        assert set(rows._kept) <= {"indptr"}
        assert rows.nbytes <= rows.stored_bytes + offsets * (rows.num_vertices + 1)


@njit(nogil=True)
def list_edges(rows, ends, numbers):
    """The ends and the numbers of all edges, in order."""
    at = 0
    for v in range(np.uint64(0), np.uint64(rows[0].size - 1)):
        for j, u in kernels_rows.edges_of(rows, v):
            ends[at], numbers[at] = u, j
            at += 1
    return at


@njit(nogil=True)
def first_of(rows, v, count):
    """The sum of the first ``count`` neighbours; the loop stops early."""
    total = 0
    for u in kernels_rows.neighbours_of(rows, v):
        if count == 0:
            break
        total += np.int64(u)
        count -= 1
    return total


@pytest.mark.quick
@pytest.mark.parametrize("largest", [100, 2**31 - 2, 2**32 + 5, 2**57 - 1])
def test_edges_of_packed_rows(largest):
    random = np.random.default_rng(largest % 99)
    indptr = np.concatenate(([0], np.cumsum(LENGTHS * 9))).astype(np.int64)
    dtype = np.int32 if largest < 2**31 else np.int64
    values = [np.sort(random.integers(0, largest, length, endpoint=True)) for length in LENGTHS * 9]
    for row in values[::2]:
        row[: row.size * 3 // 4] //= 1 + largest // 50  # most gaps are small, many are 0
    indices = np.concatenate(values).astype(dtype)
    small = packed.packed(clew.adjacency.Adjacency(indptr, indices, width=largest + 1))
    assert small.reads_packed
    ends, numbers = np.empty(indices.size, np.uint64), np.empty(indices.size, np.uint64)
    assert list_edges(small.readable(), ends, numbers) == indices.size
    assert np.array_equal(ends, indices.astype(np.uint64))
    assert np.array_equal(numbers, np.arange(indices.size))
    for v, count in ((3, 63), (4, 64), (6, 65), (8, 1), (8, 0)):
        assert first_of(small.readable(), np.uint64(v), count) == int(indices[indptr[v] :][:count].sum())
    assert not small.is_unpacked


def test_longer_ids_are_not_read_packed():
    assert packed.MOST_BITS == kernels_rows.SHORT_BITS
    rows = clew.adjacency.Adjacency(np.array([0, 1]), np.array([2**57]), width=2**57 + 1)
    small = packed.packed(rows)
    assert not small.reads_packed
    assert small.readable()[1].tolist() == [2**57]
    assert GROUP == 1 << kernels_rows.GROUP_BITS


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("shape", GRAPHS)
def test_algorithms_read_packed_rows(shape, name):
    small = GRAPHS[shape]().packed()
    check_same(OTHERS[name](small), OTHERS[name](plain(shape)), small.outgoing.id_dtype)
    check_packed(small)


@pytest.mark.quick
@pytest.mark.parametrize("name", SEARCHES)
@pytest.mark.parametrize("shape", GRAPHS)
def test_searches_read_packed_rows(shape, name):
    graph = weighted(GRAPHS[shape](), "float64")
    small = graph.packed()
    assert graph.num_arcs == 0 or small.outgoing.stored_weights.dtype == np.uint8
    check_same(SEARCHES[name](small), SEARCHES[name](weighted(plain(shape), "float64")), small.outgoing.id_dtype)
    check_packed(small)


# Both searches read weights by the same function, and each dtype is three seconds of compiling.
@pytest.mark.parametrize(
    ("name", "dtype"), [*(("sssp", dtype) for dtype in WEIGHTS), ("sswp", "int16"), ("sswp", "float32")]
)
def test_narrow_weights_have_their_own_dtype_in_searches(dtype, name):
    graph = weighted(odd_rows(), dtype)
    small = graph.packed()
    check_same(SEARCHES[name](small), SEARCHES[name](graph))
    check_packed(small)


@pytest.mark.parametrize("dtype", ["float32", "int32"])
def test_products_with_sparse_vectors_unpack_the_rows_of_active_vertices(dtype):
    graph = weighted(odd_rows(), dtype)
    active = np.array([9, 23, 51, 65, 149])
    for one in (graph, graph.with_weights(None)):
        small = one.packed()
        for merge in ("none", "merge", "radix"):
            given = ((active, np.arange(5.0)), clew.semirings.plus_times)
            found, expected = (clew.spmspv(each, *given, merge=merge, device="cpu") for each in (small, one))
            for part, other in zip(found, expected, strict=True):
                assert part.dtype == other.dtype
                assert part.tobytes() == other.tobytes()
        check_packed(small)


def test_weights_of_programs_have_their_own_dtype():
    class Distances(clew.VertexProgram):
        """Without priorities, so that the graph's weights are read by kernels only."""

        fields: ClassVar = {"distance": "float32"}
        message = "float32"
        reduce = clew.monoids.min

        def start(self, graph):
            distance = np.full(graph.num_vertices, np.inf, np.float32)
            distance[graph.num_vertices - 1] = 0
            return {"distance": distance}, [graph.num_vertices - 1]

        send = staticmethod(lambda vertex: vertex.distance)
        process = staticmethod(lambda message, weight, vertex: message + weight)

        @staticmethod
        def apply(total, vertex):
            if total < vertex.distance:
                vertex.distance = total
                return True
            return False

    graph = weighted(odd_rows(), "float32")
    small = graph.packed()
    check_same(clew.run(Distances(), small, device="cpu"), clew.run(Distances(), graph, device="cpu"))
    check_packed(small)


def test_component_labels_of_pieces_read_packed_rows():
    graph = odd_rows()
    small = graph.packed()
    assert small.largest_component() == graph.largest_component()


def test_one_empty_graph():
    small = clew.Graph.from_edges([], []).packed()
    for name in ("connected_components", "k_core", "label_propagation", "triangles"):
        check_same(OTHERS[name](small), OTHERS[name](clew.Graph.from_edges([], [])))
