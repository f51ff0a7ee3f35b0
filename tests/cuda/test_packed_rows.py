"""Packed rows on the emulated GPU: the same answers, bit for bit, in every memory."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew import semirings
from clew.algorithms.pagerank import Walk
from clew.algorithms.pagerank.cuda import Tuning, pagerank
from clew.algorithms.paths.cuda_problem import DEFAULT
from clew.algorithms.sssp.cuda import sssp
from clew.engines.choice import gpu_for
from clew.engines.cuda.balance import tiling
from clew.engines.cuda.emulation.device import the_emulation
from clew.engines.cuda.memory import packed_rows
from clew.engines.cuda.memory.device_graph import bytes_on, rows_on
from clew.engines.cuda.memory.ledger import forget_all, ledger_of
from clew.engines.cuda.memory.packed_rows import edges_on, packed_on
from clew.engines.cuda.products.spmv import SpmvMethod, spmv
from clew.engines.cuda.program.program import Tuning as ProgramTuning
from clew.engines.cuda.program.program import run_program
from clew.packed.kernels import BLOCK
from examples.vertex_programs import BreadthFirst, Components, PageRank, ShortestPaths

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


@pytest.mark.parametrize("form", ["plain", "packed"])
@pytest.mark.parametrize(("mode", "part"), [("device", None), ("zero_copy", None), ("tiered", 0.2), ("tiered", 0.5)])
def test_products_are_the_same_in_every_memory(mode, part, form):
    graph, device = clew.generate.rmat(10, 16, directed=False), the_emulation()
    size = graph.packed().outgoing.neighbours.words.nbytes if form == "packed" else graph.indices.nbytes
    assert part is None or size * part > 2 * device.page
    x = np.random.default_rng(1).random(graph.num_vertices)
    out = np.zeros(graph.num_vertices)
    with clew.memory(mode, None if part is None else int(size * part), packed=form == "packed"):
        spmv(device, graph.outgoing, x, semirings.plus_second, None, out, TILES)
        rows = edges_on(device, graph.outgoing)
    assert (rows.packed is not None) == (form == "packed")
    assert rows.on_host == (mode != "device")
    assert rows.in_two_memories == (mode == "tiered")
    assert rows.num_arcs == graph.num_arcs > BLOCK
    tiles = tiling.tiles_of(device, rows)
    away = tiling.tiles_on_host(device, rows, tiles) / tiles.count
    assert away == (0 if part is None else pytest.approx(1 - part, abs=0.2))
    assert out.tobytes() == product(graph, x, False).tobytes()


def test_wide_gaps_are_unpacked():
    """Ids of 64 bits, as columns of a matrix that is not square; test_neighbours has gaps of more than 20 bits."""
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
    with clew.memory(packed=True):
        found = pagerank(the_emulation(), given_graph, walk)
    assert found.rank.tobytes() == expected.rank.tobytes()
    assert found.trace()["bytes"][0] < expected.trace()["bytes"][0]
    if ask == "packed graph":
        assert not given_graph.outgoing.is_unpacked
        assert not given_graph.incoming.is_unpacked


#: Algorithms that go over packed rows, and which of their values are the same in every run.
SEARCHES = {"bfs": "depth", "sssp": "distance", "sswp": "width", "bellman_ford": "distance"}
READERS = {
    **SEARCHES,
    "connected_components": "label",
    "k_core": "core",
    "label_propagation": "label",
    "coloring": "color",
    "maximal_independent_set": "member",
    "triangles": "count",
}
PROGRAMS = {"bfs": lambda: BreadthFirst(0), "sssp": lambda: ShortestPaths(0), "labels": Components, "ranks": PageRank}
BALANCES = ("thread", "warp", "block", "degree_cut", "merge_path")


def run(name: str, graph: clew.Graph, device: str, **options) -> np.ndarray:
    sources = (0,) if name in SEARCHES else ()
    return np.asarray(getattr(clew, name)(graph, *sources, device=device, **options).values[READERS[name]])


def weighted(graph: clew.Graph, dtype: str, seed: int = 0, least: int = 0) -> clew.Graph:
    weights = np.random.default_rng(seed).integers(least, 100, graph.num_arcs)
    return graph.with_weights((weights / (4 if dtype == "float64" else 1)).astype(dtype))


#: Ids, weights and memory. Each has kernels of its own for every algorithm, which take a minute to compile.
FORMS = [("int32", "int32", "device"), ("int32", "float32", "zero_copy"), ("int64", "float64", "device")]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from(LENGTHS), max_size=40), st.sampled_from(FORMS), st.integers(0, 9))
def test_searches_are_the_same(lengths, form, seed):
    id_dtype, weight_dtype, mode = form
    graph = weighted(graph_of(lengths, id_dtype, seed), weight_dtype, seed)
    for name in READERS:
        expected = run(name, graph, "cpu")
        with clew.memory(mode, packed=True):
            found = run(name, graph, "emulated")
        assert found.dtype == expected.dtype
        assert np.array_equal(found, expected), name


#: Those that do other things where edges are on the host; the rest is read by ``neighbours.cuh`` alone.
ELSE_ON_HOST = ("bfs", "sssp", "connected_components")


@pytest.mark.parametrize(
    ("id_dtype", "mode", "names"),
    [
        ("int32", "device", READERS),
        ("int32", "zero_copy", ELSE_ON_HOST),
        ("int32", "zero_copy", [name for name in READERS if name not in ELSE_ON_HOST]),
        ("int64", "device", ("bfs", "sssp", "triangles")),
    ],
    ids=["int32", "int32 on the host", "others on the host", "int64"],
)
def test_searches_of_rows_around_the_size_of_a_group(id_dtype, mode, names):
    lengths = [500, 1, 31, 32, 33, 0, 63, 64, 65, 0, 0, 127, 128, 129, 1500, 1]
    for last in (0, 1, 62):
        graph = weighted(graph_of([*lengths, last], id_dtype, last), "int32")
        for name in names:
            with clew.memory(mode, packed=True):
                assert np.array_equal(run(name, graph, "emulated"), run(name, graph, "cpu")), (name, last)


def same_runs(graph: clew.Graph, mode: str, fast: int | None = None) -> None:
    """Programs have the same bits, also of floats, over packed rows and over plain ones."""
    for name, program in PROGRAMS.items():
        found = []
        for packed in (True, False):
            with clew.memory(mode, fast, packed=packed):
                found.append(clew.run(program(), graph, device="emulated"))
        for value in found[0].values:
            assert found[0].values[value].tobytes() == found[1].values[value].tobytes(), (name, mode)
        assert found[0].iterations == found[1].iterations


@pytest.mark.parametrize("id_dtype", ["int32", "int64"])
def test_programs_over_rows_around_the_size_of_a_group(id_dtype):
    lengths = [500, 1, 2, 3, 4, 5, 31, 32, 33, 0, 63, 64, 65, 0, 0, 127, 128, 129, 5000, 1]
    # Kernels of programs take seconds to compile, and for rows on the host once more.
    for last, mode in ((0, "device"), (62, "device"), (1, "device" if id_dtype == "int64" else "zero_copy")):
        same_runs(weighted(graph_of([*lengths, last], id_dtype, last), "float64"), mode)


@pytest.mark.parametrize(
    ("mode", "part", "directed"), [("device", None, False), ("zero_copy", None, True), ("tiered", 2, True)]
)
def test_programs_are_the_same_in_every_memory(mode, part, directed):
    graph = clew.generate.random_weights(clew.generate.rmat(11, 16, directed=directed), 1, 255, 1, "float64")
    words = graph.packed().outgoing.neighbours.words
    same_runs(graph, mode, None if part is None else words.nbytes // part)


def paths(graph: clew.Graph, tuning: ProgramTuning) -> np.ndarray:
    """Distances by a program that is run with this tuning."""
    state = {"distance": np.full(graph.num_vertices, np.inf)}
    state["distance"][0] = 0
    run_program(the_emulation(), ShortestPaths(0), graph, state, np.arange(graph.num_vertices) == 0, tuning)
    return state["distance"]


@pytest.mark.parametrize("balance", BALANCES)
def test_programs_of_every_balance_read_packed_rows(balance):
    graph = weighted(clew.generate.rmat(9, 8), "float64", least=1).packed()
    with clew.memory(packed=True):
        assert np.array_equal(paths(graph, ProgramTuning(balance=balance, cut=4)), run("sssp", graph, "cpu"))
    assert not graph.outgoing.is_unpacked


def test_programs_that_sort_frontiers_read_packed_rows():
    graph = weighted(clew.generate.rmat(9, 8), "float64", least=1)
    with clew.memory("zero_copy", packed=True):
        assert np.array_equal(paths(graph, ProgramTuning(order_from=1)), run("sssp", graph, "cpu"))


class Arrivals(clew.VertexProgram):
    """How much weight a vertex has in both directions."""

    fields = {"weight": "float64"}  # noqa: RUF012
    reduce, direction, max_iterations = clew.monoids.plus, "both", 1

    def start(self, graph):
        return {"weight": 0.0}, None

    send = staticmethod(lambda vertex: vertex.weight + 1.0)
    process = staticmethod(lambda message, weight, vertex: message * weight)

    @staticmethod
    def apply(total, vertex):
        vertex.weight = total
        return True


def test_programs_in_both_directions_read_packed_rows():
    graph = weighted(clew.generate.rmat(9, 8), "float64")
    with clew.memory(packed=True):
        for given_graph in (graph, graph.packed()):
            found = clew.run(Arrivals(), given_graph, device="emulated").weight
            np.testing.assert_allclose(found, clew.run(Arrivals(), graph, device="cpu").weight, rtol=1e-12)
            assert not given_graph.is_packed or not given_graph.outgoing.is_unpacked


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize(("mode", "part"), [("device", None), ("zero_copy", None), ("tiered", 2)])
def test_searches_are_the_same_in_every_memory(mode, part, directed):
    """Levels with long rows, pushed and pulled; sorted frontiers and pairs are for plain edges alone."""
    graph = clew.generate.random_weights(clew.generate.rmat(11, 16, directed=directed), 1, 255, seed=1)
    words = graph.packed().outgoing.neighbours.words
    with clew.memory(mode, None if part is None else words.nbytes // part, packed=True):
        for name in READERS:
            assert np.array_equal(run(name, graph, "emulated"), run(name, graph, "cpu")), name
        smallest = clew.bfs(graph, 0, device="emulated", deterministic=True)
        rows = edges_on(the_emulation(), graph.outgoing)
    assert np.array_equal(smallest.parent, clew.bfs(graph, 0, device="cpu", deterministic=True).parent)
    assert rows.packed is not None
    assert rows.weights.dtype == np.uint8
    assert rows.weight_dtype == graph.weights.dtype
    assert rows.on_host == (mode != "device")


@pytest.mark.parametrize("balance", BALANCES)
def test_every_balance_reads_packed_rows(balance):
    graph = weighted(clew.generate.rmat(9, 8), "int32")
    with clew.memory(packed=True):
        for name in ("bfs", "sssp", "sswp"):
            assert np.array_equal(run(name, graph, "emulated", balance=balance), run(name, graph, "cpu")), name


def test_sorted_frontiers_read_packed_rows():
    """Over the link, frontiers of large graphs are sorted; here those of a small one."""
    graph = clew.generate.random_weights(clew.generate.rmat(10, 16, directed=False), 1, 255, seed=2)
    with clew.memory("zero_copy", packed=True):
        found = sssp(the_emulation(), graph, 0, tuning=replace(DEFAULT, order_from=1))
    assert np.array_equal(found.values["distance"], clew.sssp(graph, 0, device="cpu").distance)


@pytest.mark.parametrize("packed", ["auto", True])
@pytest.mark.parametrize("name", READERS)
def test_packed_graphs_stay_packed_on_the_host(name, packed):
    """By "auto", the device unpacks edges that fit plain into its memory."""
    graph = weighted(clew.generate.rmat(9, 8), "int32", least=1).packed()
    expected = run(name, graph.unpacked(), "cpu")
    with clew.memory(packed=packed):
        assert np.array_equal(run(name, graph, "emulated"), expected)
    assert (bytes_on(gpu_for("emulated", 0), graph.outgoing) > 0) == (packed == "auto")
    assert not graph.outgoing.is_unpacked
    assert not graph.has_incoming or not graph.incoming.is_unpacked


@pytest.mark.parametrize("directed", [True, False])
def test_many_searches_read_packed_rows(directed):
    graph = clew.generate.rmat(9, 16, directed=directed)
    small, sources = graph.packed(), list(range(70))
    expected = clew.multi_source_bfs(graph, sources, device="cpu").depth
    for mode in ("device", "zero_copy"):
        with clew.memory(mode, packed=True):
            assert np.array_equal(clew.multi_source_bfs(small, sources, device="emulated").depth, expected)
    assert not small.outgoing.is_unpacked
    assert not small.incoming.is_unpacked


def test_negative_cycles_of_packed_rows_are_found():
    graph = clew.Graph.from_edges([0, 1, 2, 3, 1], [1, 2, 3, 1, 0], [5, 1, 1, -3, 9]).packed()
    again = clew.Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 1], [5, 1, 1, -2]).packed()
    with clew.memory(packed=True):
        for device in ("emulated", "cpu"):
            with pytest.raises(clew.GraphError, match="negative"):
                clew.bellman_ford(graph, 0, device=device)
        assert clew.bellman_ford(again, 0, device="emulated").distance.tolist() == [0, 5, 6, 7]


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("dtype", ["int32", "float64"])
def test_weighted_sums_read_packed_rows(directed, dtype):
    """Weights of whole numbers are stored in a byte, those with fractions as they are."""
    graph = clew.generate.random_weights(clew.generate.rmat(9, 8, directed=directed), 1, 255, 1, "int32")
    graph = graph.with_weights((graph.weights / (1 if dtype == "int32" else 4)).astype(dtype))
    small, x = graph.packed(), np.random.default_rng(1).random(graph.num_vertices)
    ranks = clew.pagerank(graph, weighted=True, device="cpu").rank
    with clew.memory(packed=True):
        found = clew.spmv(small, x, device="emulated")
        assert np.allclose(clew.pagerank(small, weighted=True, device="emulated").rank, ranks, rtol=1e-9, atol=1e-14)
    with clew.memory(packed=False):
        plain = clew.spmv(graph, x, device="emulated", way="tiles")
    # Sums over long rows add to a product in one step or in two, as the compiler likes.
    assert np.allclose(found, plain, rtol=1e-13, atol=0)
    assert "indices" not in small.outgoing._kept.keys() | small.incoming._kept.keys()


@pytest.mark.parametrize("scale", [1e-30, 1e30])
def test_ranks_of_weights_that_float32_cannot_add_up(scale):
    """A rank per unit of such weights would be no float32: plain rows with shares are read instead."""
    graph = weighted(clew.generate.rmat(7, 8), "float64", least=1)
    graph = graph.with_weights(graph.weights * scale)
    expected = clew.pagerank(graph, weighted=True, device="cpu", dtype="float32").rank
    with clew.memory(packed=True):
        found = clew.pagerank(graph, weighted=True, device="emulated", dtype="float32").rank
    assert np.allclose(found, expected, rtol=1e-4)


@pytest.mark.parametrize("directed", [True, False])
def test_clustering_reads_packed_rows(directed):
    """Parallel edges, edges in both directions, and rows that are cut into pieces of 1024."""
    graph = clew.generate.rmat(9, 24, directed=directed)
    hub = np.arange(1500) % graph.num_vertices
    source, target, _ = graph.edges()
    ends = np.concatenate([source, np.full(1500, 3), hub]), np.concatenate([target, hub, np.full(1500, 3)])
    graph = clew.Graph.from_edges(*ends, directed=directed, duplicates="keep")
    small, expected = graph.packed(), clew.clustering_coefficient(graph, device="cpu").coefficient
    for mode in ("device", "zero_copy"):
        with clew.memory(mode, packed=True):
            assert np.allclose(clew.clustering_coefficient(small, device="emulated").coefficient, expected, rtol=1e-12)
            found = clew.triangles(small, device="emulated").count
        assert np.array_equal(found, clew.triangles(graph, device="cpu").count)
    assert not small.outgoing.is_unpacked


def test_edges_that_do_not_fit_are_packed(monkeypatch):
    graph = weighted(clew.generate.rmat(11, 16), "int32", least=1)
    arcs = graph.num_arcs

    def form(fast: int | None, weights: bool, mode: str = "auto", packed: bool | str = "auto") -> bool:
        with clew.memory(mode, fast, packed=packed):
            forget_all()
            return edges_on(the_emulation(), graph.outgoing, weights=weights).packed is not None

    assert not form(2 * arcs, False)  # small graphs are read as they are
    monkeypatch.setattr(packed_rows, "MANY", 1)
    assert not form(None, False)
    assert not form(4 * arcs, False)
    assert form(2 * arcs, False)
    assert form(2 * arcs, False, "tiered")
    assert not form(2 * arcs, False, packed=False)
    assert not form(None, False, "zero_copy")
    assert form(4 * arcs, True)
    assert not form(8 * arcs, True)
    with clew.memory(fast_memory=2 * arcs):
        forget_all()
        rows = [edges_on(the_emulation(), graph.outgoing, weights=False) for _ in range(2)]
        assert rows[0] is rows[1]
        assert ledger_of(the_emulation()).charged() <= 2 * arcs


@pytest.mark.parametrize("num_vertices", [0, 5])
def test_graphs_without_edges(num_vertices):
    graph = weighted(clew.Graph.from_edges([], [], num_vertices=num_vertices), "int32").packed()
    for name in READERS.keys() - (SEARCHES.keys() if num_vertices == 0 else ()):
        assert np.array_equal(run(name, graph, "emulated"), run(name, graph, "cpu")), name
    for program in ("labels", "ranks") if num_vertices else ("labels",):
        found, expected = (clew.run(PROGRAMS[program](), graph, device=device) for device in ("emulated", "cpu"))
        assert all(np.array_equal(found.values[name], expected.values[name]) for name in expected.values)
    ranks = [clew.pagerank(graph, device=device, weighted=True).rank for device in ("emulated", "cpu")]
    assert np.allclose(*ranks)
    assert product(graph, np.ones(num_vertices), True).tolist() == [0.0] * num_vertices


def test_other_algorithms_read_plain_rows():
    graph = clew.generate.rmat(6, 8, directed=False)
    with clew.memory(packed=True):
        found = clew.betweenness(graph, device="emulated").centrality
    assert np.allclose(found, clew.betweenness(graph, device="cpu").centrality)
    assert rows_on(the_emulation(), graph.outgoing, weights=False).packed is None


def test_packed_graphs_are_plain_on_a_device_with_room(monkeypatch):
    """Those that do not fit plain are read packed, and so are they by later calls under the same policy."""
    graph = weighted(clew.generate.rmat(11, 16), "int32", least=1)
    small, arcs = graph.packed(), graph.num_arcs

    def packed(fast: int | None, mode: str = "auto", asked: bool | str = "auto") -> bool:
        with clew.memory(mode, fast, packed=asked):
            forget_all()
            assert np.array_equal(run("sssp", small, "emulated"), run("sssp", graph, "cpu"))
            rows = edges_on(the_emulation(), small.outgoing)
            assert rows.weight_dtype == graph.weights.dtype
            return rows.packed is not None

    assert not packed(None)
    assert not packed(None, "device")
    assert not packed(8 * arcs)
    assert packed(8 * arcs - 1)
    assert packed(None, "zero_copy")
    assert packed(None, asked=True)
    assert not small.outgoing.is_unpacked
    with clew.memory(fast_memory=8 * arcs - 1):
        forget_all()
        rows = packed_on(the_emulation(), small.outgoing, parts=2)
        assert rows is not None
        assert packed_on(the_emulation(), small.outgoing).neighbours is rows.neighbours


def test_packed_says_what_it_may_be():
    with pytest.raises(clew.GraphError, match="packed is 'yes'; expected True, False or 'auto'"):
        clew.memory(packed="yes")
