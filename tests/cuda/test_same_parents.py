"""deterministic=True gives the same parents on every engine: breadth first over best paths, the smallest of several."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew.engines.cuda.memory.ledger import forget_all
from tests.algorithms.waist import over_the_waist
from tests.algorithms.weighted import weighted_graphs

#: What every search finds besides parents, and how an edge carries it on.
SEARCHES: dict[str, tuple[str, Any]] = {
    "bfs": ("depth", lambda value, weight: value + 1),
    "sssp": ("distance", lambda value, weight: value + weight),
    "bellman_ford": ("distance", lambda value, weight: value + weight),
    "sswp": ("width", min),
}
#: Where edges are: in device memory, read from the host, and divided between the two.
MODES = (None, ("zero_copy", None), ("tiered", 64))


def breadth_first(graph: clew.Graph, source: int, value: Any, parent: Any, carried_on: Any) -> list[int]:
    """The parents by definition: level by level over tight edges between reached vertices, smallest vertices first."""
    first, second, weights = graph.edges()
    weights = np.ones(first.size, np.int64) if weights is None else weights
    arcs = list(zip(first.tolist(), second.tolist(), weights, strict=True))
    if not graph.directed:
        arcs += [(v, u, weight) for u, v, weight in arcs]
    found, level = {source: source}, [source]
    while level:
        new = {}
        for u, v, weight in sorted(arcs, key=lambda arc: arc[:2]):
            tight = u in level and v not in found and parent[v] >= 0
            if tight and value.dtype.type(carried_on(value[u], value.dtype.type(weight))) == value[v]:
                new.setdefault(v, u)
        found |= new
        level = sorted(new)
    return [found.get(v, -1) for v in range(graph.num_vertices)]


def check(name: str, graph: clew.Graph, source: int) -> None:
    value, carried_on = SEARCHES[name]
    function = getattr(clew, name)
    expected = function(graph, source, deterministic=True, device="cpu")
    by_definition = breadth_first(graph, source, expected.values[value], expected.parent, carried_on)
    assert expected.parent.tolist() == by_definition, "cpu"
    generic = over_the_waist(name, graph, "reference", {"source": source})
    assert generic.parent.tolist() == by_definition, "generic"
    for mode in MODES:
        forget_all()
        if mode is None:
            found = function(graph, source, deterministic=True, device="emulated")
        else:
            with clew.memory(*mode):
                found = function(graph, source, deterministic=True, device="emulated")
        parent = found.numpy().values["parent"]
        assert parent.dtype == expected.parent.dtype
        assert parent.tolist() == by_definition, mode


@pytest.mark.parametrize("name", SEARCHES)
def test_the_breadth_first_parent_is_taken_among_equal_paths(name):
    graph = clew.Graph.from_edges([2, 2, 0], [1, 0, 1], [1, 0, 1])
    check(name, graph, 2)
    assert clew.sssp(graph, 2, deterministic=True, device="emulated").numpy().values["parent"].tolist() == [2, 2, 2]


@pytest.mark.parametrize("device", ["cpu", "emulated"])
def test_the_smallest_parent_is_taken_in_whichever_order_they_are_found(device):
    """From 5, the levels are 3 and 4, then 2 and 1, in the order in which they are found; both lead to 0."""
    edges = [(5, 3), (5, 4), (3, 2), (4, 1), (2, 0), (1, 0)]
    graph = clew.Graph.from_edges(*zip(*edges, strict=True), [1] * len(edges))
    for name in ("sssp", "bellman_ford"):
        found = getattr(clew, name)(graph, 5, deterministic=True, device=device).numpy().values["parent"]
        assert found.tolist() == [1, 4, 3, 5, 5, 5], name


@pytest.mark.parametrize("dtype", ["int32", "uint64", "float32", "bool"])
@pytest.mark.parametrize("name", SEARCHES)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_any_graph_with_zero_weights_and_duplicates(name, dtype, data):
    graph = data.draw(weighted_graphs(dtype, 0, 1 if dtype == "bool" else 3))
    check(name, graph, data.draw(st.integers(0, graph.num_vertices - 1)))


@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_negative_weights(data):
    graph = data.draw(weighted_graphs("int32", -1, 2, directed=True))
    source = data.draw(st.integers(0, graph.num_vertices - 1))
    try:
        clew.bellman_ford(graph, source, device="cpu")
    except clew.errors.NegativeCycleError:
        return
    check("bellman_ford", graph, source)
