"""The algorithms over the primitives, on every engine, against those with kernels of their own and the checkers."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew.algorithms import ALGORITHMS
from tests.algorithms.graphs import LARGE, graphs
from tests.algorithms.waist import over_the_waist
from tests.algorithms.weighted import weighted_graphs

DEVICES = ("reference",)  # the CPU engine, which compiles every step, has its turn on large graphs
GENERIC = sorted(Path(clew.algorithms.__file__).parent.glob("*/generic.py"))

#: Which arrays and facts have to be equal, and which only nearly: sums of floats in another order.
SAME = {
    "all_pairs": ("distance",),
    "bfs": ("depth", "num_reached"),
    "condensation": ("component", "count", "sizes"),
    "connected_components": ("label", "count", "sizes", "largest"),
    "eccentricity": ("eccentricity", "diameter", "radius"),
    "k_core": ("core", "degeneracy"),
    "k_truss": ("truss", "largest"),
    "label_propagation": ("label", "count", "converged", "iterations"),
    "minimum_spanning_forest": ("member", "weight", "trees"),
    "multi_source_bfs": ("depth", "sources", "num_reached"),
    "node2vec_walks": ("walk",),
    "random_walks": ("walk",),
    "sample_neighbors": ("node", "row", "col", "edge"),
    "sssp": ("distance", "num_reached"),
    "sswp": ("width", "num_reached"),
    "strongly_connected_components": ("label", "count", "sizes", "largest"),
    "triangles": ("count", "total"),
}
CLOSE = {
    "assortativity": ("coefficient",),
    "betweenness": ("centrality",),
    "closeness": ("centrality",),
    "clustering_coefficient": ("coefficient", "average", "transitivity"),
    "edge_betweenness": ("centrality",),
    "eigenvector": ("centrality",),
    "harmonic": ("centrality",),
    "hits": ("hub", "authority"),
    "katz": ("centrality",),
    "most_similar": ("score",),
    "pagerank": ("rank",),
    "random_walk_with_restart": ("visiting",),
    "similarity": ("score",),
}
#: Several answers are right, so checkers decide.
CHECKED = ("bellman_ford", "bfs", "coloring", "leiden", "louvain", "maximal_independent_set", "sssp", "sswp")
#: They take bipartite or acyclic graphs alone, which the tests of these algorithms have.
ELSEWHERE = ("bipartite_matching", "topological_order")
COMPARED = [name for name in sorted(ALGORITHMS) if name not in ELSEWHERE and not ALGORITHMS[name].host]
WEIGHTED = [name for name in COMPARED if "weights" in ALGORITHMS[name].needs]
#: They search from every vertex, or go in many rounds, which takes long on large graphs.
SLOW = ("all_pairs", "betweenness", "closeness", "edge_betweenness", "harmonic")
#: They go from vertex to vertex, or sort all pairs within two steps, in Python.
STEPWISE = (
    "eccentricity",
    "k_truss",
    "label_propagation",
    "leiden",
    "louvain",
    "most_similar",
    "node2vec_walks",
    "similarity",
)
MEDIUM = {
    "kronecker": lambda: clew.generate.kronecker(9, seed=3),
    "rmat, directed": lambda: clew.generate.rmat(9, 8, 0.45, 0.22, 0.22, seed=4),
    "grid": lambda: clew.generate.grid(30, 40, delete=0.1, seed=5),
}


def arguments(name, source):
    """Keyword arguments that both forms take."""
    if ALGORITHMS[name].needs_source:
        return {"source": source}
    if name == "sample_neighbors":
        return {"sources": [source]}
    if ALGORITHMS[name].needs_sources:
        return {"sources": [source, 0, source]}
    return {"max_iterations": 5, "tolerance": 0} if name in ("eigenvector", "hits", "katz", "pagerank") else {}


def compare(name, graph, source, device):
    given_ = arguments(name, source)
    found = over_the_waist(name, graph, device, given_)
    if name in SAME or name in CLOSE:
        expected = getattr(clew, name)(graph, **given_)
        for value in SAME.get(name, ()):
            mine, theirs = getattr(found, value), getattr(expected, value)
            np.testing.assert_array_equal(mine, theirs, err_msg=f"{name}.{value}")
            assert np.asarray(mine).dtype == np.asarray(theirs).dtype, value
        for value in CLOSE.get(name, ()):
            np.testing.assert_allclose(getattr(found, value), getattr(expected, value), rtol=1e-9, atol=1e-12)
    if name in CHECKED:
        getattr(clew.verify, name)(graph, *([source] if ALGORITHMS[name].needs_source else []), found)


def test_every_generic_algorithm_is_compared():
    assert set(COMPARED) == set(SAME) | set(CLOSE) | set(CHECKED)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", [name for name in COMPARED if name not in WEIGHTED])
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_small_graphs(name, device, data):
    graph = data.draw(graphs(min_vertices=1))
    compare(name, graph, data.draw(st.integers(0, graph.num_vertices - 1)), device)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", ["uint64", "float32", "bool"])
@pytest.mark.parametrize("name", [*WEIGHTED, "all_pairs"])
@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_small_weighted_graphs(name, dtype, device, data):
    graph = data.draw(weighted_graphs(dtype, 0, 1 if dtype == "bool" else 9))
    compare(name, graph, data.draw(st.integers(0, graph.num_vertices - 1)), device)


@pytest.mark.parametrize("shape", ["kronecker", "rmat, directed", "grid"])
@pytest.mark.parametrize("name", [name for name in COMPARED if name not in SLOW])
def test_large_graphs(name, shape):
    graph = (MEDIUM if name in STEPWISE else LARGE)[shape]()
    if name in WEIGHTED:
        graph = clew.generate.random_weights(graph, 1, 255, seed=7, dtype="int32")
    compare(name, graph, int(np.argmax(graph.degrees())), "cpu")


@pytest.mark.parametrize(
    "name", [name for name in COMPARED if not (ALGORITHMS[name].needs_source or ALGORITHMS[name].needs_sources)]
)
def test_no_vertices(name):
    found = over_the_waist(name, clew.Graph.from_edges([], [], num_vertices=0), "cpu", {})
    assert len(found) == 0


def test_wrong_arguments_get_a_sentence():
    graph = clew.generate.path(3)
    with pytest.raises(clew.GraphError, match="device is 'tpu'"):
        over_the_waist("bfs", graph, "tpu", {})
    with pytest.raises(clew.GraphError, match="sssp needs edge weights"):
        over_the_waist("sssp", graph, "reference", {})
    with pytest.raises(clew.GraphError, match="damping is 2"):
        over_the_waist("pagerank", graph, "reference", {"damping": 2})
    with pytest.raises(clew.GraphError, match="is on a negative cycle"):
        over_the_waist("all_pairs", graph.with_weights([-1.0, -1.0, -1.0, -1.0]), "reference", {})


def test_negative_cycles_are_named():
    graph = clew.Graph.from_edges(["a", "b", "c", "d"], ["b", "c", "b", "a"], [1, -5, 1, 1])
    with pytest.raises(clew.NegativeCycleError, match="a negative cycle of 2 edges") as caught:
        clew.bellman_ford(graph, "a", device="reference")
    assert caught.value.cycle == ["b", "c"]


@pytest.mark.parametrize("path", GENERIC, ids=lambda path: path.parent.name)
def test_nothing_generic_knows_an_engine(path):
    for node in ast.walk(ast.parse(path.read_text())):
        module = node.module or "" if isinstance(node, ast.ImportFrom) else ""
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [module]
        assert not any(name.startswith("clew.engines") or name == "numba" for name in names)
