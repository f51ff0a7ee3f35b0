"""Triadic census and assortativity, compared with NetworkX and with their checkers."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings

import clew
from clew.errors import GraphError, VerificationError
from tests.algorithms.graphs import as_networkx, graphs


@settings(max_examples=40)
@given(graphs())
def test_the_triads_of_networkx(graph):
    found = clew.triadic_census(graph)
    clew.verify.triadic_census(graph, found)
    other = nx.DiGraph(as_networkx(graph))
    other.remove_edges_from(list(nx.selfloop_edges(other)))
    assert found.census == nx.triadic_census(other)


@settings(max_examples=30)
@given(graphs(min_vertices=1))
def test_assortativity_passes_its_checker(graph):
    columns = {
        "team": np.array(["red", "blue"])[np.arange(graph.num_vertices) % 2],
        "age": np.arange(graph.num_vertices),
    }
    graph = graph.with_vertex_columns(columns)
    for attribute in (None, "team", "age"):
        for device in ("cpu", "reference"):
            found = clew.assortativity(graph, attribute, device=device)
            clew.verify.assortativity(graph, found, attribute=attribute)


@pytest.mark.quick
def test_the_coefficients_of_networkx():
    graph = clew.generate.rmat(6, 4, seed=1, duplicates="drop", loops="drop")
    graph = graph.with_vertex_columns({"team": ["abc"[i % 3] for i in range(64)]})
    other = as_networkx(graph)
    nx.set_node_attributes(other, {v: "abc"[v % 3] for v in range(64)}, "team")
    expected = nx.degree_assortativity_coefficient(other)
    assert clew.assortativity(graph).coefficient == pytest.approx(expected)
    assert clew.assortativity(graph, "team").coefficient == pytest.approx(
        nx.attribute_assortativity_coefficient(other, "team")
    )
    with pytest.raises(GraphError, match="there is no vertex column 'size'; this graph has 'team'"):
        clew.assortativity(graph, "size")
    with pytest.raises(GraphError, match=r"(?s)^attribute is <pyarrow\.lib.{,40}; expected a string"):
        clew.assortativity(graph, graph.vertex_columns["team"])
    with pytest.raises(GraphError, match=r"'team' has 1 null; expected a value everywhere\. Fill them"):
        clew.assortativity(graph.with_vertex_columns({"team": [None, *"abc" * 21]}), "team")


def test_wrong_answers_are_noticed():
    graph = clew.generate.rmat(5, 3, seed=1)
    found = clew.triadic_census(graph)
    found.facts["census"] = {**found.census, "300": 99}
    with pytest.raises(VerificationError, match="triads of type 300"):
        clew.verify.triadic_census(graph, found)
    found = clew.assortativity(graph)
    found.facts["coefficient"] += 0.1
    with pytest.raises(VerificationError, match="the coefficient is"):
        clew.verify.assortativity(graph, found)
