"""PageRank by the kernels of the GPU, run on the CPU."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew.algorithms.pagerank import Walk, cuda
from clew.algorithms.pagerank.cuda import Tuning, pagerank, parts_of
from clew.engines.cuda.emulation.device import EmulatedDevice, the_emulation
from clew.engines.cuda.memory.device_graph import incoming_on
from tests.algorithms.graphs import graphs

#: Every way to take rows, with few threads so that small graphs need several turns.
TUNINGS = [
    Tuning(binned=False, lanes=1, threads=32, resident=1),
    Tuning(binned=False, lanes=8, threads=64, resident=1),
    Tuning(binned=True, threads=64, resident=1),
    Tuning(products=True, layout="tiles"),
    Tuning(products=True, layout="sweep"),
]
SHAPES = {
    "star": lambda: clew.generate.star(6000),
    "grid": lambda: clew.generate.grid(40, 50, delete=0.1, seed=1),
    "kronecker": lambda: clew.generate.kronecker(10, seed=2),
    "rmat, directed": lambda: clew.generate.rmat(10, 8, 0.55, 0.2, 0.2, seed=3),
}


def both(graph, tuning, **options):
    """Ranks of the emulated GPU and of the CPU."""
    options = {"damping": 0.85, "tolerance": 1e-9, "max_iterations": 200, "dtype": "float64", **options}
    jumps = options.pop("personalization", None)
    weighted = options.pop("weighted", False)
    start = options.pop("start", None)
    shares, first = (None if given is None else np.asarray(given) / np.sum(given) for given in (jumps, start))
    answer = pagerank(the_emulation(), graph, Walk(jumps=shares, start=first, weighted=weighted, **options), tuning)
    rounds = {"iterations": answer.iterations, "converged": answer.converged, "trace": answer.trace}
    found = clew.Result("pagerank", answer.values, **rounds)
    expected = clew.pagerank(graph, personalization=jumps, start=start, weighted=weighted, device="cpu", **options)
    return found, expected


def agree(found, expected, rtol=1e-9):
    np.testing.assert_allclose(found.rank, expected.rank, rtol=rtol, atol=1e-15)
    assert abs(found.iterations - expected.iterations) <= 1  # where the change is close to the tolerance
    assert found.converged == expected.converged
    shared = min(found.iterations, expected.iterations)
    change = found.trace["change"]
    assert change.size == found.iterations
    np.testing.assert_allclose(change[:shared], expected.trace["change"][:shared], rtol=1e-4, atol=rtol)


@pytest.mark.parametrize("shape", ["star", "rmat, directed"])
@pytest.mark.parametrize(("mode", "part"), [("zero_copy", None), ("tiered", 2), ("tiered", 8)])
def test_products_of_edges_on_the_host(shape, mode, part):
    """They are read where they are, in their order: no layout makes a copy of them."""
    graph = SHAPES[shape]()
    with clew.memory(mode, None if part is None else graph.incoming.indices.nbytes // part):
        agree(*both(graph, Tuning(products=True)))
        rows = incoming_on(the_emulation(), graph, weights=False)
    assert rows.on_host
    assert rows.in_two_memories == (mode == "tiered")


@settings(max_examples=30, deadline=None)
@given(graphs(), st.sampled_from([0.0, 0.5, 0.85, 0.95]), st.sampled_from(TUNINGS), st.data())
def test_small_graphs(graph, damping, tuning, data):
    n = graph.num_vertices
    jumps = None
    if n and data.draw(st.booleans()):
        jumps = np.array(data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)))
        jumps[data.draw(st.integers(0, n - 1))] = 1
    weighted = data.draw(st.booleans())
    if weighted:
        source, target, _ = graph.edges()
        weights = data.draw(
            st.lists(st.sampled_from([0.0, 0.5, 3.0, 1e300]), min_size=source.size, max_size=source.size)
        )
        graph = clew.Graph.from_edges(source, target, weights, n, graph.directed)
    options = {"damping": damping, "personalization": jumps, "weighted": weighted, "tolerance": 1e-9}
    found, expected = both(graph, tuning, max_iterations=3000, **options)
    agree(found, expected)
    result = clew.pagerank(graph, device="emulated", max_iterations=3000, **options)
    clew.verify.pagerank(graph, result, **options)


@pytest.mark.parametrize("tuning", [None, *TUNINGS], ids=str)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", SHAPES)
def test_shapes(name, dtype, tuning):
    graph = SHAPES[name]()
    found, expected = both(graph, tuning, dtype=dtype, tolerance=0, max_iterations=20)
    assert found.rank.dtype == dtype
    agree(found, expected, rtol=1e-10 if dtype == "float64" else 2e-6)
    result = clew.pagerank(graph, dtype=dtype, tolerance=0, max_iterations=20, device="emulated")
    clew.verify.pagerank(graph, result, tolerance=0)


@pytest.mark.parametrize("tuning", [None, *TUNINGS], ids=str)
@pytest.mark.parametrize("jumps", [None, [1.0, 2.0, 0.0, 5.0]], ids=str)
def test_a_start_of_its_own(jumps, tuning):
    graph = SHAPES["rmat, directed"]()
    if jumps is not None:
        jumps = np.resize(jumps, graph.num_vertices)
    start = np.resize([3.0, 0.0, 1.0], graph.num_vertices)
    agree(*both(graph, tuning, start=start, personalization=jumps, tolerance=0, max_iterations=2))


@pytest.mark.parametrize("tuning", TUNINGS, ids=str)
@pytest.mark.parametrize("n", [0, 1, 2, 31, 32, 33, 63, 64, 65, 159, 160, 161, 1500])
def test_sizes(n, tuning):
    """A directed path with some edges doubled: it ends where no edge leads on."""
    order = np.random.default_rng(n).permutation(n)
    source, target = np.concatenate([order[:-1], order[:-1:3]]), np.concatenate([order[1:], order[:-1:3]])
    agree(*both(clew.Graph.from_edges(source, target, num_vertices=n), tuning))


@pytest.mark.parametrize("tuning", TUNINGS, ids=str)
def test_the_grid_makes_no_difference_to_what_is_passed_on(tuning):
    """Rows are summed in an order of their own; only the sums over all vertices go by the grid."""
    graph = clew.generate.cycle(1000)
    walk = Walk(damping=0.85, tolerance=0.0, max_iterations=7, dtype="float32")
    ranks = [pagerank(EmulatedDevice(cooperative_blocks=blocks), graph, walk, tuning).rank for blocks in (1, 4)]
    np.testing.assert_array_equal(*ranks)


def test_several_launches(monkeypatch):
    """A long run stops now and then so that Ctrl-C is heard; it goes on where it was."""
    graph = SHAPES["rmat, directed"]()
    whole, expected = both(graph, None)
    monkeypatch.setattr(cuda, "EDGES_PER_LAUNCH", 3 * (graph.num_arcs + graph.num_vertices))
    cut, _ = both(graph, None)
    agree(cut, expected)
    np.testing.assert_array_equal(whole.rank, cut.rank)
    np.testing.assert_array_equal(whole.trace["change"], cut.trace["change"])


def test_wide_ids():
    graph = SHAPES["kronecker"]()
    wide = clew.Graph.from_csr(graph.indptr, graph.indices, directed=False, id_dtype="int64")
    for tuning in (None, *TUNINGS):
        agree(*both(wide, tuning))


def test_all_rows_are_in_one_part_each():
    for name in SHAPES:
        rows = incoming_on(the_emulation(), SHAPES[name](), weights=False)
        order, bounds = parts_of(the_emulation(), rows, 5)
        np.testing.assert_array_equal(np.sort(order), np.arange(rows.num_vertices))
        flat = bounds.reshape(-1).astype(np.int64)
        assert (np.diff(flat) >= 0).all()
        assert flat[0] == 0
        assert flat[-1] == rows.num_vertices
