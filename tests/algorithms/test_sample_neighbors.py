"""Sampled neighbourhoods: the same on every engine, and as likely as they should be."""

import numpy as np
import pytest

import clew
from clew import GraphError, VerificationError, verify
from tests.algorithms.graphs import thread_count

ARRAYS = ("node", "row", "col", "edge")
FANOUTS = [3, 2, -1]


def skewed(directed):
    return clew.generate.random_weights(
        clew.generate.rmat(6, 4, seed=1, directed=directed), 0, 3, seed=1, dtype="int32"
    )


@pytest.mark.parametrize("replace", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("directed", [False, True])
def test_the_same_samples_on_every_engine(directed, weighted, replace):
    graph, batch = skewed(directed), np.array([7, 0, 3])
    options = {"fanouts": FANOUTS, "weighted": weighted, "replace": replace}
    found = clew.sample_neighbors(graph, batch, device="cpu", **options)
    verify.sample_neighbors(graph, batch, found, **options)
    for device in ("reference", "emulated"):
        other = clew.sample_neighbors(graph, batch, device=device, **options).numpy()
        for name in ARRAYS:
            np.testing.assert_array_equal(getattr(other, name), getattr(found, name), err_msg=name)
        assert other.num_sampled_nodes == found.num_sampled_nodes


def test_any_number_of_threads_and_another_seed():
    graph, batch = clew.generate.rmat(10, 8, seed=1), np.arange(600)
    found = []
    for count in (1, 2, 5):
        with thread_count(count):
            found.append(clew.sample_neighbors(graph, batch, fanouts=[4, 4]))
        np.testing.assert_array_equal(found[-1].edge, found[0].edge)
    verify.sample_neighbors(graph, batch, found[0], fanouts=[4, 4])
    other = clew.sample_neighbors(graph, batch, fanouts=[4, 4], seed=1)
    assert other.edge.size != found[0].edge.size or (other.edge != found[0].edge).any()


def frequencies(weighted, replace, fanout, stars=6000):
    """How often each of four edges is drawn, over many equal stars."""
    centre = 5 * np.arange(stars)
    source = (centre[:, np.newaxis] + [1, 2, 3, 4]).ravel()
    graph = clew.Graph.from_edges(source, np.repeat(centre, 4), np.tile([1.0, 0.0, 3.0, 4.0], stars))
    found = clew.sample_neighbors(graph, centre, fanouts=[fanout], weighted=weighted, replace=replace)
    return np.bincount(found.node[found.row] % 5, minlength=5)[1:] / stars


def test_edges_are_as_likely_as_they_should_be():
    assert frequencies(False, False, 2) == pytest.approx([0.5] * 4, abs=0.03)
    assert frequencies(False, True, 2) == pytest.approx([0.5] * 4, abs=0.04)
    assert frequencies(True, True, 2) == pytest.approx([2 / 8, 0, 6 / 8, 1], abs=0.04)
    assert frequencies(True, False, 1) == pytest.approx([1 / 8, 0, 3 / 8, 4 / 8], abs=0.03)
    # Two without replacement: the first, and the second among what is left.
    light = 1 / 8 + 3 / 8 * 1 / 5 + 4 / 8 * 1 / 4
    assert frequencies(True, False, 2)[:2] == pytest.approx([light, 0], abs=0.03)


def test_parallel_edges_have_their_own_places():
    graph = clew.Graph.from_edges([0, 0, 1, 2, 0], [1, 1, 0, 1, 1], [1.0, 2.0, 3.0, 4.0, 5.0])
    found = clew.sample_neighbors(graph, [1], fanouts=[-1])
    assert graph.weights[found.edge].tolist() == [1.0, 2.0, 5.0, 4.0]
    assert found.node.tolist() == [1, 0, 2]
    assert found.row.tolist() == [1, 1, 1, 2]
    assert found.to_pandas().to_dict("list") == {"source": [0, 0, 0, 2], "target": [1, 1, 1, 1]}


def test_nothing_to_draw():
    graph = clew.Graph.from_edges(["a"], ["b"])
    for options in ({"fanouts": []}, {"fanouts": [0, 3]}, {}):
        for device in ("cpu", "reference", "emulated"):
            found = clew.sample_neighbors(graph, ["a"], device=device, **options)
            assert (found.num_nodes, found.num_edges) == (1, 0)
    assert clew.sample_neighbors(graph, []).node.size == 0


def test_wrong_arguments_get_a_sentence():
    graph = clew.generate.path(4)
    with pytest.raises(GraphError, match="fanouts is 10; expected a number per hop"):
        clew.sample_neighbors(graph, [0], fanouts=10)
    with pytest.raises(GraphError, match="a fan-out is -2"):
        clew.sample_neighbors(graph, [0], fanouts=[-2])
    with pytest.raises(GraphError, match="sources has a vertex twice"):
        clew.sample_neighbors(graph, [0, 0])


def test_the_checker_finds_what_is_wrong():
    graph, batch = skewed(True), [0, 3]
    for name, rule in (("row", "leads from row to col"), ("col", "leads from row to col"), ("node", "comes first")):
        found = clew.sample_neighbors(graph, batch)
        getattr(found, name)[:] = np.roll(getattr(found, name), 1)
        with pytest.raises(VerificationError, match=rule):
            verify.sample_neighbors(graph, batch, found)
    found = clew.sample_neighbors(graph, batch, fanouts=[5])
    with pytest.raises(VerificationError, match="as many edges as the fan-out"):
        verify.sample_neighbors(graph, batch, found, fanouts=[6])
