"""Packed rows on the emulated GPU: the same answers, bit for bit, in every memory."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew import semirings
from clew.algorithms.pagerank import Walk
from clew.algorithms.pagerank.cuda import Tuning, pagerank
from clew.engines.cuda.emulation.device import the_emulation
from clew.engines.cuda.memory.device_graph import rows_on
from clew.engines.cuda.memory.packed_rows import packed_on
from clew.engines.cuda.products.spmv import SpmvMethod, spmv
from clew.packed.kernels import BLOCK

TILES = SpmvMethod("tiles")
LENGTHS = (0, 0, 0, 1, 2, 31, 32, 33, 63, 64, 65, 129, 500)


def product(graph: clew.Graph, x: np.ndarray, packed: bool) -> np.ndarray:
    out = np.full(graph.num_vertices, -1, dtype=x.dtype)
    with clew.memory(packed=packed):
        spmv(the_emulation(), graph.outgoing, x, semirings.plus_second, None, out, TILES)
    return out


def graph_of(lengths: list[int], id_dtype: str, seed: int) -> clew.Graph:
    """Rows of these lengths with parallel edges, loops and gaps of every size."""
    n, random = max(1, len(lengths)), np.random.default_rng(seed)
    indptr = np.concatenate(([0], np.cumsum(lengths, dtype=np.int64)))
    targets = [np.sort(random.integers(0, random.integers(1, n, endpoint=True), length)) for length in lengths]
    indptr = indptr if lengths else np.array([0, 0])
    return clew.Graph.from_csr(indptr, np.concatenate([np.empty(0, np.int64), *targets]), id_dtype=id_dtype)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(LENGTHS), max_size=40), st.sampled_from(["int32", "int64"]), st.integers(0, 9))
def test_products_are_the_same(lengths, id_dtype, seed):
    graph = graph_of(lengths, id_dtype, seed)
    x = np.random.default_rng(seed).random(graph.num_vertices)
    assert product(graph, x, True).tobytes() == product(graph, x, False).tobytes()


@pytest.mark.parametrize("id_dtype", ["int32", "int64"])
def test_rows_around_the_size_of_a_group(id_dtype):
    lengths = [0, 1, 31, 32, 33, 0, 63, 64, 65, 0, 0, 127, 128, 129, 500, 1]
    for last in (0, 1, 2, 62):  # entries of the last group
        graph = graph_of([*lengths, last], id_dtype, last)
        x = np.random.default_rng(last).random(graph.num_vertices)
        assert product(graph, x, True).tobytes() == product(graph, x, False).tobytes()


@pytest.mark.parametrize(("mode", "part"), [("device", None), ("zero_copy", None), ("tiered", 2)])
def test_products_are_the_same_in_every_memory(mode, part):
    graph = clew.generate.rmat(11, 16, directed=False)
    words = graph.packed().outgoing.neighbours.words
    assert words.nbytes > 4 * the_emulation().page or part is None
    x = np.random.default_rng(1).random(graph.num_vertices)
    out = np.zeros(graph.num_vertices)
    with clew.memory(mode, None if part is None else words.nbytes // part, packed=True):
        spmv(the_emulation(), graph.outgoing, x, semirings.plus_second, None, out, TILES)
        rows = packed_on(the_emulation(), graph.outgoing)
    assert rows is not None
    assert rows.on_host == (mode != "device")
    assert rows.in_two_memories == (mode == "tiered")
    assert rows.num_arcs == graph.num_arcs > BLOCK
    assert out.tobytes() == product(graph, x, False).tobytes()


def test_wide_gaps_are_unpacked():
    """Vertices are few, but ids may need more than 32 bits: as columns of a matrix that is not square."""
    random = np.random.default_rng(3)
    columns = 1 << 20
    lengths = [200, 0, 1, 70, 3000]
    targets = [np.sort(random.integers(0, columns, length)) for length in lengths]
    indptr = np.concatenate(([0], np.cumsum(lengths)))
    rows = clew.adjacency.Adjacency(indptr, np.concatenate(targets), width=columns)
    x, outs = random.random(columns), []
    for packed in (True, False):
        outs.append(np.zeros(len(lengths)))
        with clew.memory(packed=packed):
            spmv(the_emulation(), rows, x, semirings.plus_second, None, outs[-1], TILES)
    assert outs[0].tobytes() == outs[1].tobytes()


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("ask", ["packed graph", "policy"])
def test_pagerank_reads_packed_rows(directed, ask):
    graph = clew.generate.rmat(9, 8, directed=directed)
    walk = Walk(0.85, 1e-9, 100, None, None, False, "float64")
    expected = pagerank(the_emulation(), graph, walk, Tuning(products=True, layout="tiles"))
    given_graph = graph.packed() if ask == "packed graph" else graph
    with clew.memory(packed="auto" if ask == "packed graph" else True):
        found = pagerank(the_emulation(), given_graph, walk)
    assert found.rank.tobytes() == expected.rank.tobytes()
    assert found.trace()["bytes"][0] < expected.trace()["bytes"][0]
    if ask == "packed graph":
        assert not given_graph.outgoing.is_unpacked
        assert not given_graph.incoming.is_unpacked


def test_other_algorithms_and_weighted_products_read_plain_rows():
    graph = clew.generate.rmat(8, 8, directed=False)
    weighted = graph.with_weights(np.ones(graph.num_arcs, np.float32))
    with clew.memory(packed=True):
        assert np.array_equal(clew.bfs(graph, 0, device="emulated").depth, clew.bfs(graph, 0, device="cpu").depth)
        x = np.arange(graph.num_vertices, dtype=np.float32)
        assert np.allclose(clew.spmv(weighted, x, device="emulated"), clew.spmv(weighted, x, device="cpu"))
    assert rows_on(the_emulation(), graph.outgoing, weights=False).packed is None


def test_packed_says_what_it_may_be():
    with pytest.raises(clew.GraphError, match="packed is 'yes'; expected True, False or 'auto'"):
        clew.memory(packed="yes")
