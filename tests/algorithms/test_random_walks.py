"""Random walks: the same on every engine, and as likely as they should be."""

import numpy as np
import pytest

import clew
from clew import GraphError, ResourceError, VerificationError, verify
from clew.engines import base
from tests.algorithms.graphs import thread_count

GRAPH = clew.generate.random_weights(clew.generate.rmat(6, 4, seed=1), 0, 3, seed=1, dtype="int32")
BIASES = {"random_walks": {}, "node2vec_walks": {"p": 0.3, "q": 4.0}}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", BIASES)
def test_the_same_walks_on_every_engine_and_for_any_number_of_threads(name, weighted):
    find, sources = getattr(clew, name), np.arange(64)
    options = {"length": 12, "walks": 3, "weighted": weighted, **BIASES[name]}
    found = find(GRAPH, sources, device="cpu", **options)
    getattr(verify, name)(GRAPH, sources, found, walks=3, weighted=weighted)
    for device in ("reference", "emulated"):
        np.testing.assert_array_equal(find(GRAPH, sources, device=device, **options).numpy().walk, found.walk)
    with thread_count(1):
        np.testing.assert_array_equal(find(GRAPH, sources, device="cpu", **options).walk, found.walk)
    assert (find(GRAPH, sources, seed=1, **options).numpy().walk != found.walk).any()


def steps(walks, before, at):
    """How often walks went on to each vertex from ``at``, to which they came from ``before``."""
    here = (walks[:, :-2] == before) & (walks[:, 1:-1] == at)
    return np.bincount(walks[:, 2:][here], minlength=5) / max(1, here.sum())


def test_steps_are_as_likely_as_their_weights():
    graph = clew.Graph.from_edges([0, 0, 0, 0], [1, 2, 3, 4], [1.0, 0.0, 3.0, 4.0])
    found = clew.random_walks(graph, [0], walks=40_000, length=3, weighted=True).walk
    assert (found[:, 2:] == -1).all()
    assert np.bincount(found[:, 1], minlength=5) / 40_000 == pytest.approx([0, 1 / 8, 0, 3 / 8, 4 / 8], abs=0.01)
    evenly = clew.random_walks(graph, [0], walks=40_000, length=1).walk
    assert np.bincount(evenly[:, 1]) / 40_000 == pytest.approx([0, 0.25, 0.25, 0.25, 0.25], abs=0.01)


def test_biases_are_those_of_node2vec():
    # From 0 to 1: back is 0, 2 is a neighbour of both, 3 and 4 are farther away.
    graph = clew.Graph.from_edges([0, 0, 1, 1, 1], [1, 2, 2, 3, 4], directed=False)
    found = clew.node2vec_walks(graph, [0], walks=2000, length=40, p=2, q=0.25).walk
    likely = np.array([1 / 2, 0, 1, 4, 4])
    assert steps(found, 0, 1) == pytest.approx(likely / likely.sum(), abs=0.03)
    plain = clew.random_walks(graph, [0], walks=2000, length=40).walk
    np.testing.assert_array_equal(clew.node2vec_walks(graph, [0], walks=2000, length=40).walk, plain)
    assert steps(plain, 0, 1) == pytest.approx([0.25, 0, 0.25, 0.25, 0.25], abs=0.03)


def test_walks_by_name():
    graph = clew.Graph.from_edges(["a", "b"], ["b", "c"])
    found = clew.random_walks(graph, ["a", "c"], length=5)
    assert found.walk.tolist() == [[0, 1, 2, -1, -1, -1], [2, -1, -1, -1, -1, -1]]
    assert found.to_lists() == [["a", "b", "c"], ["c"]]
    assert found.to_arrow().to_pydict() == {"walk": [["a", "b", "c"], ["c"]]}
    assert found.of(1) == ["c"]
    with pytest.raises(GraphError, match="the number of a walk is 9; expected 0 to"):
        found.of(9)
    assert clew.random_walks(graph, []).to_lists() == []
    assert clew.random_walks(graph, ["b"], length=0).walk.tolist() == [[1]]


def test_tables_that_do_not_fit_are_refused(monkeypatch):
    graph = clew.generate.cycle(4, directed=True)
    monkeypatch.setattr(base, "UNCHECKED", 0)
    monkeypatch.setattr(base, "available_bytes", lambda: 100)
    with pytest.raises(ResourceError, match="the table of walks needs 808 bytes, but 100 bytes"):
        clew.random_walks(graph, [0, 1], length=100)
    with pytest.raises(ResourceError, match="a table of 9 others of every vertex needs 432 bytes"):
        clew.most_similar(graph, k=9)


def test_wrong_arguments_get_a_sentence():
    with pytest.raises(GraphError, match="sources is 3; expected several vertices"):
        clew.random_walks(GRAPH, 3)
    with pytest.raises(GraphError, match="p is 0; expected a number above 0"):
        clew.node2vec_walks(GRAPH, [0], p=0)
    with pytest.raises(GraphError, match="length is -1"):
        clew.random_walks(GRAPH, [0], length=-1)
    with pytest.raises(GraphError, match=r"random_walks\(weighted=True\) needs edge weights"):
        clew.random_walks(clew.generate.path(3), [0], weighted=True)


def test_the_checker_finds_what_is_wrong():
    found = clew.random_walks(GRAPH, [0, 0], weighted=True)
    found.walk[1, 4] = 63
    with pytest.raises(VerificationError, match="a step follows an edge"):
        verify.random_walks(GRAPH, [0, 0], found, weighted=True)
