"""PageRank, against its checker, NetworkX, a dense solver and the expected outputs of LDBC Graphalytics."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew import GraphError, Result, VerificationError
from tests.algorithms.graphs import LARGE, graphs, thread_count


def exact(graph, damping, jumps, weighted=False):
    """Ranks by solving the dense linear system."""
    n = graph.num_vertices
    matrix = np.zeros((n, n))
    source = np.repeat(np.arange(n), np.diff(graph.indptr))
    np.add.at(matrix, (source, graph.indices), graph.weights if weighted else 1.0)
    leaving = matrix.sum(axis=1)
    matrix[leaving > 0] /= leaving[leaving > 0, None]
    matrix[leaving == 0] = jumps
    return np.linalg.solve(np.eye(n) - damping * matrix.T, (1 - damping) * jumps)


@settings(max_examples=40, deadline=None)
@given(graphs(), st.sampled_from([0.0, 0.5, 0.85, 0.99]), st.data())
def test_small_graphs(graph, damping, data):
    n = graph.num_vertices
    given_jumps = None
    if n and data.draw(st.booleans()):
        given_jumps = np.array(data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)))
        given_jumps[data.draw(st.integers(0, n - 1))] = 1
    weighted = data.draw(st.booleans())
    if weighted:
        source, target, _ = graph.edges()
        weights = data.draw(
            st.lists(st.sampled_from([0.0, 0.5, 3.0, 1e300]), min_size=len(source), max_size=len(source))
        )
        graph = clew.Graph.from_edges(source, target, weights, n, graph.directed)
    options = {"damping": damping, "tolerance": 1e-10, "personalization": given_jumps, "weighted": weighted}
    result = clew.pagerank(graph, max_iterations=5000, **options)
    assert result.converged
    clew.verify.pagerank(graph, result, **options)
    if n:
        jumps = np.full(n, 1 / n) if given_jumps is None else given_jumps / given_jumps.sum()
        with np.errstate(over="ignore"):
            scaled = graph if not weighted else graph.with_weights(graph.weights / 1e300)
        np.testing.assert_allclose(result.rank, exact(scaled, damping, jumps, weighted), atol=2e-8)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("directed", [False, True])
def test_networkx(directed, weighted):
    graph = clew.generate.rmat(9, 6, 0.5, 0.2, 0.2, seed=8)
    graph = graph if directed else graph.symmetrized()
    if weighted:
        graph = clew.generate.random_weights(graph, 1, 9, seed=9)
    jumps = {0: 2.0, 5: 1.0, 17: 3.5}
    other = graph.to_networkx()
    for personalization in (None, jumps):
        expected = nx.pagerank(other, tol=1e-15, max_iter=500, weight="weight", personalization=personalization)
        result = clew.pagerank(
            graph, tolerance=1e-11, max_iterations=500, weighted=weighted, personalization=personalization
        )
        np.testing.assert_allclose(result.rank, [expected[v] for v in range(graph.num_vertices)], atol=1e-10)


@pytest.mark.parametrize("name", LARGE)
def test_large_graphs_to_the_last_bit_with_any_number_of_threads(name):
    graph = LARGE[name]()
    found = []
    for threads in (1, 2, 5):
        with thread_count(threads):
            found.append(clew.pagerank(graph))
    clew.verify.pagerank(graph, found[0])
    assert found[0].converged
    assert len(found[0].trace) == found[0].iterations
    for other in found[1:]:
        np.testing.assert_array_equal(other.rank, found[0].rank)
        np.testing.assert_array_equal(other.trace["change"], found[0].trace["change"])


@pytest.mark.parametrize("name", LARGE)
def test_float32_is_as_near_as_float32_can_be(name):
    graph = LARGE[name]()
    narrow = clew.pagerank(graph, dtype="float32", tolerance=0, max_iterations=40)
    wide = clew.pagerank(graph, tolerance=0, max_iterations=40)
    assert narrow.rank.dtype == np.float32
    assert wide.rank.dtype == np.float64
    assert not narrow.converged
    assert narrow.iterations == 40
    clew.verify.pagerank(graph, narrow, tolerance=0)
    np.testing.assert_allclose(narrow.rank, wide.rank, rtol=2e-6)


def test_personalization_of_pandas_goes_by_its_index():
    pd = pytest.importorskip("pandas")
    graph = clew.Graph.from_edges(["ann", "bob", "cy"], ["bob", "cy", "dan"])
    wanted = {"dan": 3.0, "ann": 1.0, "bob": 0.5, "cy": 0.0}
    expected = clew.pagerank(graph, personalization=wanted).rank
    assert np.array_equal(clew.pagerank(graph, personalization=pd.Series(wanted)).rank, expected)
    assert np.array_equal(clew.pagerank(graph, personalization=pd.Series([1, 0.5, 0, 3])).rank, expected)
    with pytest.raises(GraphError, match="a vertex occurs twice in the index of personalization"):
        clew.pagerank(graph, personalization=pd.Series([1, 2], index=["ann", "ann"]))


def test_weights_and_personalization_on_several_threads():
    graph = clew.generate.random_weights(LARGE["rmat, directed"](), 1, 255, seed=2)
    jumps = np.arange(graph.num_vertices) % 7
    options = {"personalization": jumps, "weighted": True, "tolerance": 1e-9}
    found = []
    for threads in (1, 2, 5):
        with thread_count(threads):
            found.append(clew.pagerank(graph, max_iterations=300, **options))
        clew.verify.pagerank(graph, found[-1], **options)
        np.testing.assert_array_equal(found[-1].rank, found[0].rank)


def test_a_start_changes_the_rounds_and_not_where_they_lead():
    graph = LARGE["rmat, directed"]()
    jumps = {0: 2.0, 5: 1.0}
    options = {"personalization": jumps, "tolerance": 1e-12, "max_iterations": 500}
    ranks = clew.pagerank(graph, **options)
    for start in (np.ones(graph.num_vertices), {17: 3.0}):
        other = clew.pagerank(graph, start=start, **options)
        np.testing.assert_allclose(other.rank, ranks.rank, atol=1e-11)
        clew.verify.pagerank(graph, other, personalization=jumps, tolerance=1e-12)
    again = clew.pagerank(graph, start=ranks.rank, **options)
    assert again.iterations < ranks.iterations / 5
    assert clew.explain(graph, "pagerank", start=ranks.rank)


def test_the_first_round_begins_at_the_start():
    """A walker who only follows edges is one edge further after a round, wherever jumps would lead."""
    graph = clew.Graph.from_edges([0, 1, 2], [1, 2, 0])
    for device in ("cpu", "reference"):
        walk = {"damping": 1, "start": {1: 5}, "personalization": {0: 1}, "tolerance": 0, "max_iterations": 1}
        found = clew.pagerank(graph, **walk, device=device)
        assert found.rank.tolist() == [0, 0, 1]


def test_vertices_that_the_personalization_does_not_lead_to_have_rank_zero():
    """NetworkX starts with all vertices alike, and leaves a rest there."""
    graph = clew.Graph.from_edges([0, 2], [1, 3])
    assert clew.pagerank(graph, personalization={0: 1}).rank[2:].tolist() == [0, 0]


def test_equal_weights_are_no_weights():
    graph = LARGE["grid"]()
    same = graph.with_weights(np.full(graph.num_arcs, 7, dtype=np.uint8))
    np.testing.assert_allclose(clew.pagerank(same, weighted=True).rank, clew.pagerank(graph).rank, rtol=1e-12)
    np.testing.assert_array_equal(clew.pagerank(same).rank, clew.pagerank(graph).rank)


def test_wide_ids():
    graph = LARGE["kronecker"]()
    wide = clew.Graph.from_csr(graph.indptr, graph.indices, directed=False, id_dtype="int64")
    np.testing.assert_array_equal(clew.pagerank(wide).rank, clew.pagerank(graph).rank)


def test_known_answers():
    empty = clew.pagerank(clew.Graph.from_edges([], []))
    assert (empty.rank.size, empty.iterations, empty.converged) == (0, 0, True)
    lonely = clew.pagerank(clew.Graph.from_edges([], [], num_vertices=4))
    assert lonely.rank.tolist() == [0.25] * 4
    # Two edges to the same vertex carry two thirds.
    graph = clew.Graph.from_edges(["a", "a", "a"], ["b", "b", "c"])
    ranks = clew.pagerank(graph, damping=0.6, tolerance=1e-13).to_dict()
    assert ranks["b"] - ranks["a"] == pytest.approx(2 * (ranks["c"] - ranks["a"]))
    assert clew.pagerank(graph, damping=0, personalization={"c": 5}).to_dict() == {"a": 0, "b": 0, "c": 1}
    cycle = clew.pagerank(clew.Graph.from_edges([0, 1], [1, 0]), damping=1, personalization={0: 1}, max_iterations=7)
    assert cycle.rank.tolist() == [0, 1]
    assert not cycle.converged


@pytest.mark.parametrize("name", ["example-directed", "example-undirected", "test-pr-directed", "test-pr-undirected"])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_ldbc(shared_data, name, dtype):
    graph = clew.read(shared_data / "ldbc" / f"{name}.e")
    facts = graph.metadata["ldbc"]
    result = clew.pagerank(
        graph,
        damping=float(facts["pr.damping-factor"]),
        max_iterations=int(facts["pr.num-iterations"]),
        tolerance=0,
        dtype=dtype,
    )
    lines = (line.split() for line in (shared_data / "ldbc" / f"{name}-PR").read_text().splitlines())
    expected = {int(vertex): float(rank) for vertex, rank in lines}
    assert result.to_dict() == pytest.approx(expected, rel=1e-4)


def test_gnutella(shared_data):
    """Ten rounds on the undirected graph.

    The expected output for the directed graph follows another rule, which no PageRank of ours gives: there, vertices
    without out-edges get nothing from their in-edges, so that the ranks sum to 0.46.
    """
    folder = shared_data / "ldbc_p2p31"
    source, target = np.loadtxt(folder / "p2p-31.e.gz", dtype=np.int64, usecols=(0, 1), unpack=True)
    graph = clew.Graph.from_edges(source, target, directed=False, ids="map")
    vertex, rank = np.loadtxt(folder / "p2p-31-PR.gz", unpack=True)
    found = clew.pagerank(graph, tolerance=0, max_iterations=10)
    expected = dict(zip(vertex.astype(int).tolist(), rank.tolist(), strict=True))
    assert found.to_dict() == pytest.approx(expected, rel=1e-9)


WEIGHTED = clew.Graph.from_edges(["a", "b"], ["b", "c"], [1.0, 2.0])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"damping": 1.5}, "damping is 1.5; expected a number from 0 to 1"),
        ({"damping": "much"}, "damping is 'much'"),
        ({"tolerance": -1}, "tolerance is -1; expected a number of 0 or more"),
        ({"tolerance": float("nan")}, "tolerance is nan"),
        ({"max_iterations": 0}, "max_iterations is 0; expected 1 to 2,147,483,647"),
        ({"max_iterations": 2.5}, "max_iterations is 2.5"),
        ({"dtype": "float16"}, "dtype is 'float16'; expected 'float64' or 'float32'"),
        ({"device": "tpu"}, "device is 'tpu'"),
        ({"personalization": [1, 2]}, r"personalization has shape \(2,\).*each of the 3 vertices"),
        ({"personalization": ["x", "y", "z"]}, "personalization has shape"),
        ({"personalization": [0, 0, 0]}, "personalization is 0 everywhere"),
        ({"personalization": {}}, "personalization is 0 everywhere"),
        ({"personalization": {"a": -1}}, "negative, infinite or NaN"),
        ({"personalization": {"a": "1"}}, "personalization of 'a' is '1'"),
        ({"personalization": {"z": 1}}, "no vertex is called 'z'"),
        ({"start": [1, 2]}, r"start has shape \(2,\).*each of the 3 vertices"),
        ({"start": [0, 0, 0]}, "start is 0 everywhere"),
        ({"start": {"a": -1}}, "start has a negative, infinite or NaN entry"),
        ({"start": {"a": "1"}}, "start of 'a' is '1'"),
    ],
)
def test_bad_arguments(options, message):
    with pytest.raises(GraphError, match=message):
        clew.pagerank(WEIGHTED, **options)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (None, "and this graph has none"),
        ([1.0, -2.0], "smallest weight is -2.0"),
        ([1.0, np.nan], "1 weight is NaN or infinite"),
        ([np.inf, 1.0], "1 weight is NaN or infinite"),
    ],
)
def test_bad_weights(weights, message):
    graph = clew.Graph.from_edges([0, 1], [1, 2], weights)
    assert clew.pagerank(graph).converged  # weights do not matter unless asked for
    with pytest.raises(GraphError, match=message):
        clew.pagerank(graph, weighted=True)


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        (lambda rank: rank[:-1], "an entry for every vertex"),
        (lambda rank: rank * np.where(np.arange(4) == 1, -1, 1), "numbers of 0 or more"),
        (lambda rank: np.where(np.arange(4) == 1, np.nan, rank), "numbers of 0 or more"),
        (lambda rank: rank * 1.001, "ranks sum to 1"),
        (lambda rank: rank[::-1], "one more round changes"),
        (lambda rank: np.full(4, 0.25), "one more round changes"),
    ],
)
def test_the_checker_finds_what_is_wrong(change, rule):
    graph = clew.Graph.from_edges([0, 1, 2], [1, 2, 3])
    result = clew.pagerank(graph)
    with pytest.raises(VerificationError, match=rule):
        clew.verify.pagerank(graph, Result("pagerank", {"rank": change(result.rank)}, iterations=result.iterations))


def test_the_checker_wants_the_same_arguments():
    result = clew.pagerank(WEIGHTED, weighted=True, personalization={"b": 1})
    clew.verify.pagerank(WEIGHTED, result, weighted=True, personalization={"b": 1})
    with pytest.raises(VerificationError, match="one more round"):
        clew.verify.pagerank(WEIGHTED, result)
    early = clew.pagerank(WEIGHTED, max_iterations=2)
    assert not early.converged
    clew.verify.pagerank(WEIGHTED, early)
