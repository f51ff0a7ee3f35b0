"""Who gave names reads names: in every checker's sentence, in facts and in errors; ids are for arrays alone."""

from __future__ import annotations

import inspect
import re

import numpy as np
import pytest

import clew
from clew import verify
from clew.algorithms import ALGORITHMS
from clew.errors import GraphError, VerificationError
from clew.result import Result

PEOPLE = ["ann", "bob", "cy", "dan", "eve", "fay"]
PAIRS = [("ann", "bob"), ("bob", "cy"), ("cy", "dan"), ("dan", "eve"), ("ann", "dan")]
#: What is wrong with each result: the values that are replaced, for vertices by their ids (ann is 0, bob 1, …).
WRONG = {
    "all_pairs": [("distance", (0, 1), 9), ("distance", (1, 2), 0), ("distance", (0, 5), 3)],
    "articulation_points": [("member", 1, None), ("member", 3, None)],
    "assortativity": [],  # a number
    "bellman_ford": [("distance", 1, 0), ("distance", 3, 9), ("parent", 2, 4), ("parent", 0, 1)],
    "betweenness": [("centrality", 3, 9.0)],
    "bfs": [("depth", 1, 2), ("depth", 2, -1), ("parent", 2, 4), ("parent", 0, 1)],
    "biconnected_components": [("component", 4, 0), ("component", 0, 1)],
    "bipartite_matching": [("mate", 0, 2), ("mate", 0, 99), ("left", 1, None)],
    "bridges": [("bridge", 0, None), ("bridge", 4, None)],
    "closeness": [("centrality", 3, 9.0)],
    "clustering_coefficient": [("coefficient", 3, 0.5)],
    "coloring": [("color", 1, None), ("color", 4, -1)],
    "condensation": [("component", 1, 99)],
    "connected_components": [("label", 1, 1), ("label", 5, 0), ("label", 2, 99)],
    "dfs_order": [("parent", 2, 4)],
    "eccentricity": [("eccentricity", 3, 9)],
    "edge_betweenness": [("centrality", 3, 9.0)],
    "eigenvector": [("centrality", 3, -1.0)],
    "harmonic": [("centrality", 3, 9.0)],
    "hits": [("hub", 3, -1.0)],
    "k_core": [("core", 2, 0), ("core", 5, 1)],
    "k_truss": [("truss", 0, 3)],
    "katz": [("centrality", 3, 9.0)],
    "label_propagation": [("label", 2, 4)],
    "leiden": [("community", 2, 99), ("community", 4, -1)],
    "louvain": [("community", 2, 99), ("community", 4, -1)],
    "maximal_independent_set": [("member", 0, None), ("member", 5, None)],
    "maximum_flow": [("flow", 0, 99)],
    "minimum_cut": [],  # rules about the whole cut
    "minimum_spanning_forest": [("member", 0, None), ("member", 1, None)],
    "most_similar": [("similar", (0, 0), 99), ("similar", (1, 0), 5), ("score", (1, 0), 9.0)],
    "multi_source_bfs": [("depth", (0, 0), 1), ("depth", (2, 0), -1), ("depth", (3, 1), 0)],
    "node2vec_walks": [("walk", (0, 0), 3)],
    "pagerank": [("rank", 3, -1.0)],
    "random_walks": [("walk", (0, 0), 3), ("walk", (1, 1), 5), ("walk", (1, 10), -1)],
    "random_walk_with_restart": [("visiting", 3, -1.0)],
    "sample_neighbors": [],  # it has no value per vertex
    "similarity": [("score", 1, 9.0)],
    "sssp": [("distance", 1, 0), ("distance", 3, 9), ("parent", 2, 4), ("parent", 0, 1)],
    "sswp": [("width", 1, 0), ("width", 3, 1), ("parent", 2, 4), ("parent", 0, 1)],
    "strongly_connected_components": [("label", 1, 1), ("label", 5, 0), ("label", 2, 99)],
    "topological_order": [("generation", 1, 0)],
    "triadic_census": [],
    "triangles": [("count", 3, 9)],
}


@pytest.fixture(scope="module")
def people():
    source, target = zip(*PAIRS, strict=True)
    ids = [[PEOPLE.index(name) for name in side] for side in (source, target)]
    return clew.Graph.from_edges(*ids, [2, 3, 4, 5, 7], names=PEOPLE, directed=False)


def known_to(name: str) -> dict:
    wanted = {"source": "ann", "sources": ["ann", "cy"], "sink": "eve"}
    parameters = inspect.signature(ALGORITHMS[name].function).parameters
    return {key: value for key, value in wanted.items() if key in parameters}


def checked(name: str, graph: clew.Graph, result: Result) -> None:
    known = {"graph": graph, "result": result, **known_to(name)}
    checker = getattr(verify, name)
    checker(**{key: known[key] for key in inspect.signature(checker).parameters if key in known})


@pytest.mark.parametrize("name", ALGORITHMS)
def test_checkers_speak_of_vertices_by_name(name, people):
    if name == "topological_order":
        people = clew.Graph.from_edges(*people.edges(), names=PEOPLE)
    result = ALGORITHMS[name].function(people, **known_to(name))
    checked(name, people, result)
    for value, place, wrong in WRONG[name]:
        values = {key: np.array(array) for key, array in result.values.items()}
        array = values[value]
        array[place] = wrong if wrong is not None else ~array[place] if array.dtype == np.bool_ else array[0]
        broken = Result(name, values, names=people.names, facts=result.facts, iterations=result.iterations)
        with pytest.raises(VerificationError) as caught:
            checked(name, people, broken)
        message = str(caught.value)
        assert any(repr(person) in message for person in PEOPLE), message
        assert not re.search(r"(vertex|edge|from|source,) \d", message), message
        assert "1 times" not in message


def test_an_edge_is_shown_from_end_to_end(people):
    result = clew.coloring(people)
    result.color[:] = 0
    with pytest.raises(VerificationError, match=r"different colours; broken \d+ times, first at edge 'ann' -> 'bob'\."):
        verify.coloring(people, result)
    plain = clew.Graph.from_edges([0], [1], directed=False)
    result = clew.coloring(plain)
    result.color[:] = 0
    with pytest.raises(VerificationError, match="edge 0 -> 1"):
        verify.coloring(plain, result)


def test_facts_that_are_vertices_are_names(people):
    result = clew.betweenness(people, samples=["cy", "ann"])
    assert result.sources.tolist() == ["cy", "ann"]
    verify.betweenness(people, result)
    assert set(clew.betweenness(people).sources) == set(PEOPLE)
    assert clew.multi_source_bfs(people, ["eve", "ann"]).sources.tolist() == ["eve", "ann"]
    result.facts["sources"] = np.array(["cy", "zoe"], dtype=object)
    with pytest.raises(VerificationError, match="a source is a vertex"):
        verify.betweenness(people, result)


def test_errors_speak_of_vertices_by_name(people):
    with pytest.raises(GraphError, match="the edge 'ann' -> 'bob' is there one way only"):
        clew.Graph.from_edges(["ann"], ["bob"], directed=False, both_directions=True)
    with pytest.raises(GraphError, match=r"the edge '\w+' -> '\w+' closes"):
        clew.bipartite_matching(clew.Graph.from_edges(["a", "b", "c"], ["b", "c", "a"]))
    with pytest.raises(GraphError, match="vertex 'a' is on a negative cycle"):
        clew.all_pairs(clew.Graph.from_edges(["a", "b"], ["b", "a"], [1, -2]))
    with pytest.raises(clew.NegativeCycleError, match=r"'a' -> 'b' -> 'a'|'b' -> 'a' -> 'b'") as caught:
        clew.bellman_ford(clew.Graph.from_edges(["a", "b"], ["b", "a"], [1, -2]), "a")
    assert set(caught.value.cycle) == {"a", "b"}
