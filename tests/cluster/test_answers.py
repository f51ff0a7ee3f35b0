"""Every distributed algorithm gives the answers of one machine, on 1, 2, 4, 6 and 9 members."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from itertools import cycle
from typing import Any

import numpy as np
import pytest

import clew
from clew.algorithms.connected_components import cluster as components
from clew.algorithms.registry import ALGORITHMS
from clew.engines.cluster.partition import Grid, Partition
from clew.testing import contract_graphs, verify
from examples.vertex_programs import ShortestPaths
from tests.cluster.team import on_team, run_on_team

DISTRIBUTED = sorted(name for name, record in ALGORITHMS.items() if record.distributed or record.cluster)
REAL = (
    "bfs",
    "pagerank",
    "connected_components",
    "strongly_connected_components",
    "k_core",
    "triangles",
    "label_propagation",
    "clustering_coefficient",
    "multi_source_bfs",
    "hits",
    "similarity",
    "minimum_spanning_forest",
)
MANY = {  # several answers are valid
    "maximal_independent_set",
    "coloring",
    "bipartite_matching",
    "maximum_flow",
    "minimum_cut",
    "louvain",
    "leiden",
}


def same(one: np.ndarray, other: np.ndarray) -> bool:
    if one.dtype.kind == "f":
        return np.allclose(one, other, rtol=1e-12, atol=1e-14, equal_nan=True)
    return one.dtype == other.dtype and np.array_equal(one, other)


@pytest.mark.parametrize("name", DISTRIBUTED)
def test_members_together_find_what_one_machine_finds(name: str) -> None:
    """Every contract graph on four members and on another grid in turn, and the largest one on all grids."""
    graphs = graphs_for(name)
    for (label, graph), other in zip(graphs, cycle((9, 2, 6, 1)), strict=False):
        for members in (4, other):
            compare(name, label, graph, members)
    for members in (1, 2, 6, 9):
        compare(name, *largest(graphs), members)


@pytest.mark.parametrize(("name", "members"), list(zip(REAL, cycle((2, 4, 6, 9)), strict=False)))
def test_packages_of_debian(name: str, members: int) -> None:
    """A real graph: named, directed, with hubs and a large strong component."""
    compare(name, "debian", clew.datasets.debian(), members)


@pytest.mark.parametrize("name", [name for name, record in ALGORITHMS.items() if record.distributed and record.cluster])
def test_generic_forms_find_the_same(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where members have a form of their own, the generic one still runs."""
    graphs = graphs_for(name)
    monkeypatch.setitem(ALGORITHMS, name, replace(ALGORITHMS[name], cluster=None))
    for members in (4, 6):
        compare(name, *largest(graphs), members)


def graphs_for(name: str) -> list[tuple[str, clew.Graph]]:
    """The contract graphs; with weights of one type but for sssp, whose kernels the others share."""
    graphs = contract_graphs(weighted="weights" in ALGORITHMS[name].needs)
    return [(label, graph) for label, graph in graphs if name == "sssp" or "float64" not in label]


def largest(graphs: Iterable[tuple[str, clew.Graph]]) -> tuple[str, clew.Graph]:
    return max(graphs, key=lambda each: each[1].num_vertices)


def compare(name: str, label: str, graph: clew.Graph, members: int, layout: Any = lambda share: share) -> None:
    options = arguments(name, graph)
    if options is None:
        return
    try:
        expected = ALGORITHMS[name].function(graph, **options)
    except clew.GraphError:  # this algorithm does not take such graphs, wherever they are
        with pytest.raises(clew.GraphError):
            on_team(members, graph, name, options, layout)
        return
    found = on_team(members, graph, name, options, layout)
    if name in MANY:
        verify(ALGORITHMS[name], graph, found, options)
        return
    for column, values in expected.values.items():
        assert same(values, found.values[column]), (label, members, column, values, found.values[column])
    facts = {fact: value for fact, value in expected.facts.items() if fact != "sources"}  # names; members have ids
    for fact, value in facts.items():
        equal = same(np.asarray(value), np.asarray(found.facts[fact]))
        assert equal, (label, members, fact)


def arguments(name: str, graph: clew.Graph) -> dict[str, Any] | None:
    """Options for a run, or None if the graph has no vertex to start at."""
    record = ALGORITHMS[name]
    if (record.needs_source or record.needs_sources) and graph.num_vertices == 0:
        return None
    options: dict[str, Any] = {}
    if record.needs_source:
        options["source"] = graph.name(graph.num_vertices // 2)
    if record.needs_sink:
        options["sink"] = graph.name(graph.num_vertices - 1)
    if record.needs_sources:
        options["sources"] = [graph.name(0), graph.name(graph.num_vertices - 1)]
    if name in ("betweenness", "edge_betweenness", "closeness", "harmonic"):
        options["samples"] = min(3, graph.num_vertices)
    if name == "all_pairs":
        options["method"] = "floyd_warshall"
    if name in ("bfs", "sssp", "sswp", "bellman_ford"):
        options["deterministic"] = True
    return options


def test_distances_by_weights() -> None:
    graph = clew.generate.random_weights(clew.generate.rmat(5, edge_factor=4, seed=2), 1, 9, seed=3)
    for call in (
        lambda g: clew.closeness(g, samples=[1, 5], weighted=True),
        lambda g: clew.eccentricity(g, weighted=True),
        lambda g: clew.betweenness(g, samples=[1, 5, 9], weighted=True),
        lambda g: clew.betweenness(g.symmetrized(), samples=[1, 5, 9], weighted=True),
    ):
        found, expected = run_on_team(4, graph, call), call(graph)
        assert all(same(values, found.values[column]) for column, values in expected.values.items())


@pytest.mark.parametrize("members", [1, 4])
def test_negative_cycles_are_noticed(members: int) -> None:
    graph = clew.Graph.from_edges([0, 1, 2, 3], [1, 2, 1, 0], [1, -3, 2, 1])
    with pytest.raises(clew.NegativeCycleError, match="a negative cycle is reachable"):
        on_team(members, graph, "bellman_ford", {"source": 0})
    assert on_team(members, graph.reversed(), "bellman_ford", {"source": 0}).distance.tolist()[3] == 1


@pytest.mark.parametrize("members", [2, 4, 9])
def test_components_outside_the_largest(members: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """One edge joins two parts of the graph, and it is not among the first two edges of a row in any block.

    The first places of every member's segment are hubs: all vertices of their part have edges to them.
    """
    partition = Partition(720, Grid(members))
    place = np.arange(720)
    part = np.array([0, 0, 1, 2])[place % 4]
    edges = [(hub, v) for hub in place[place % partition.segment < 8] for v in place[part == part[hub]]]
    source, target = partition.permutation.inverse(np.arange(720))[np.array([*edges, (718, 719)])].T
    graph = clew.Graph.from_edges(source, target, num_vertices=720, directed=False)
    joined, other_edges = [], components._other_edges
    monkeypatch.setattr(components, "_other_edges", lambda *args: joined.append(other_edges(*args)) or joined[-1])
    found, expected = on_team(members, graph, "connected_components", {}), clew.connected_components(graph)
    assert expected.count == 2
    assert any(each.size for each in joined)
    assert np.array_equal(found.label, expected.label)
    assert np.array_equal(found.sizes, expected.sizes)


@pytest.mark.parametrize("members", [1, 2, 4, 6, 9])
def test_orders_of_graphs_without_cycles(members: int) -> None:
    random = np.random.default_rng(members)
    ends = random.permutation(300)[np.sort(random.integers(0, 300, (900, 2)), axis=1)]
    ends = ends[ends[:, 0] != ends[:, 1]]
    graph = clew.Graph.from_edges(*ends.T, num_vertices=300)
    found, expected = on_team(members, graph, "topological_order", {}), clew.topological_order(graph)
    assert all(same(values, found.values[column]) for column, values in expected.values.items())
    assert np.array_equal(found.order, expected.order)
    assert found.generations == expected.generations > 5
    with pytest.raises(clew.CycleError, match="this one has a cycle"):
        on_team(members, clew.generate.cycle(7, directed=True), "topological_order", {})


@pytest.mark.parametrize("members", [1, 2, 4, 6, 9])
@pytest.mark.parametrize("options", [{}, {"x": "in"}, {"x": "in", "y": "out"}])
def test_assortativity_of_degrees(members: int, options: dict[str, Any]) -> None:
    for graph in (clew.generate.rmat(7, seed=1), clew.generate.kronecker(7, seed=1)):
        found = run_on_team(members, graph, lambda share: clew.assortativity(share, **options))
        assert np.isclose(found.coefficient, clew.assortativity(graph, **options).coefficient, rtol=1e-12)


@pytest.mark.parametrize("members", [1, 4])
def test_numbers_of_vertices_as_functions_of_ids(members: int) -> None:
    """Every member calls them with its own ids; dicts and arrays give the same."""
    graph = clew.generate.rmat(7, seed=1)
    n, asked = graph.num_vertices, []

    def numbers(ids: np.ndarray) -> np.ndarray:
        asked.append(ids.size)
        return ids % 5

    forms = (numbers, np.arange(n) % 5, {v: v % 5 for v in range(n)})
    for call in (
        lambda g, given: clew.pagerank(g, personalization=given, start=given, tolerance=1e-12),
        lambda g, given: clew.katz(g, alpha=0.01, beta=given, start=given),
        lambda g, given: clew.eigenvector(g.symmetrized(), start=given, tolerance=1e-9),
    ):
        expected = call(graph, forms[1])
        for form in forms:
            for found in (call(graph, form), run_on_team(members, graph, partial(call, given=form))):
                for column, values in expected.values.items():
                    assert np.allclose(found.values[column], values, rtol=1e-9), column
    assert set(asked) <= {n, *(len(part) for part in np.array_split(np.arange(n), members))}
    expected = clew.random_walk_with_restart(graph, 3)
    near = run_on_team(members, graph, lambda g: clew.random_walk_with_restart(g, 3))
    assert np.allclose(near.visiting, expected.visiting, rtol=1e-9)
    with pytest.raises(clew.GraphError, match="personalization has shape"):
        run_on_team(members, graph, lambda g: clew.pagerank(g, personalization=lambda _: [1.0, 2.0, 3.0]))
    with pytest.raises(clew.GraphError, match="personalization is 0 everywhere"):
        run_on_team(members, graph, lambda g: clew.pagerank(g, personalization=lambda ids: ids * 0.0))


class FromEvenOnes(ShortestPaths):
    """Distances from all even vertices, which no array lists."""

    def start(self, graph: clew.Graph) -> Any:
        return {"distance": lambda ids: np.where(ids % 2, np.inf, 0.0)}, lambda ids: ids % 2 == 0


class FromSome(ShortestPaths):
    """The same with ids for the active vertices."""

    def start(self, graph: clew.Graph) -> Any:
        even = np.arange(0, graph.num_vertices, 2)
        return {"distance": np.where(np.arange(graph.num_vertices) % 2, np.inf, 0.0)}, even


@pytest.mark.parametrize("program", [FromEvenOnes(0), FromSome(0)])
def test_fields_as_functions_of_ids(program: Any) -> None:
    graph = clew.generate.random_weights(clew.generate.rmat(7, edge_factor=2, seed=1), 1, 9, seed=2)
    expected = clew.run(FromSome(0), graph).distance
    assert np.isinf(expected).any()
    for found in (clew.run(program, graph), run_on_team(4, graph, lambda share: clew.run(program, share))):
        assert np.array_equal(found.distance, expected)


@pytest.mark.parametrize("name", ["connected_components", "strongly_connected_components"])
def test_sizes_stay_with_their_members(name: str) -> None:
    """No member has the sizes of all components."""
    graph = clew.generate.uniform(400, 300, seed=3)

    def run(share: Any) -> clew.Result:
        found = ALGORITHMS[name].function(share)
        assert found.sizes.keys.size < found.sizes.size == found.count
        return found

    found, expected = run_on_team(4, graph, run), ALGORITHMS[name].function(graph)
    assert expected.count > 50
    assert np.array_equal(found.sizes, expected.sizes)
    assert found.largest == expected.largest
