"""What NetworkX sees of the backend: its functions, its reasons, its conversions and how they are kept."""

from __future__ import annotations

import inspect
import logging
import math
import pickle
import subprocess
import sys
from copy import deepcopy
from time import perf_counter

import networkx as nx
import numpy as np
import pytest
from networkx.utils.backends import _registered_algorithms

import clew
from _clew_nx import _ROWS, FUNCTIONS, NOTES, get_info
from clew.nx import ClewGraph, from_clew
from clew.nx.interface import CALLS, backend, convert_from_nx, convert_to_nx, served

# ruff: noqa: N803, N806, NetworkX calls its graphs G

SERVED = list(FUNCTIONS)
pytestmark = pytest.mark.filterwarnings("ignore:Note. conversions:UserWarning")


def run(code: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={**environment, "PATH": ""}
    )
    return done.stdout.strip()


@pytest.fixture
def large():
    """Large enough to be worth a conversion."""
    return nx.gnm_random_graph(500, 3000, seed=1)


# ------------------------------------------------------------------ the list of functions


@pytest.mark.quick
def test_there_are_at_least_160_functions_each_listed_once():
    listed = [name for _, *names in _ROWS for name in names]
    assert len(listed) == len(set(listed)) == len(SERVED) >= 160
    assert set(get_info()["functions"]) == set(SERVED) >= set(NOTES)


@pytest.mark.quick
@pytest.mark.parametrize("name", SERVED)
def test_signatures_are_networkx(name):
    theirs = inspect.signature(_registered_algorithms[name].orig_func).parameters.values()
    ours = inspect.signature(getattr(backend, name)).parameters.values()
    assert [(p.name, p.kind, p.default) for p in ours] == [(p.name, p.kind, p.default) for p in theirs]


def test_networkx_documentation_mentions_clew():
    assert "clew : Compiled and parallel" in nx.pagerank.__doc__
    assert NOTES["pagerank"] in nx.pagerank.__doc__


def test_what_is_not_served_is_an_attribute_error():
    with pytest.raises(AttributeError, match="does not serve 'max_clique'"):
        backend.max_clique  # noqa: B018


def test_importing_networkx_loads_nothing_of_clew_but_the_list():
    loaded = run("import sys, networkx; print(*(name for name in sys.modules if 'clew' in name or name == 'numba'))")
    assert loaded.split() == ["_clew_nx"]


# ------------------------------------------------------------------ ways in


def test_priority_in_the_environment_is_enough():
    code = (
        "import networkx as nx; G = nx.gnm_random_graph(500, 3000, seed=1); nx.pagerank(G); "
        "nx.find_cliques_recursive; from clew.nx.interface import CALLS; print(dict(CALLS))"
    )
    assert run(code, NETWORKX_BACKEND_PRIORITY="clew") == "{'pagerank': 1}"


@pytest.mark.quick
def test_an_argument_is_enough():
    G = nx.karate_club_graph()
    before = CALLS["pagerank"]
    ranks = nx.pagerank(G, backend="clew")
    assert CALLS["pagerank"] == before + 1
    assert ranks == pytest.approx(nx.pagerank(G), abs=1e-6)
    assert list(ranks) == list(G)
    assert all(type(rank) is float for rank in ranks.values())


def test_a_graph_of_clew_is_enough():
    graph = clew.Graph.from_edges(["a", "b", "b"], ["b", "c", "a"], [2, 3, 5])
    G = from_clew(graph)
    assert nx.dijkstra_path_length(G, "a", "c") == 5
    assert nx.number_strongly_connected_components(G) == 2
    assert repr(G) == "ClewGraph of a DiGraph with 3 nodes and 3 edges"
    with nx.config(fallback_to_nx=True):
        assert not nx.is_regular(G)  # not served: converted back


def test_a_function_that_is_not_served_runs_in_networkx():
    G = nx.karate_club_graph()
    with nx.config.backend_priority(algos=["clew"]):
        assert nx.is_regular(G) is False


# ------------------------------------------------------------------ reasons

REASONS = [
    ("hits", {"nstart": {0: 1}}, "nstart is given"),
    ("pagerank", {"dangling": {0: 1}}, "dangling is given"),
    ("hits", {"normalized": False}, "normalized is False"),
    ("betweenness_centrality", {"weight": lambda u, v, data: 1}, "weight is a function"),
    ("betweenness_centrality", {"endpoints": True}, "endpoints is True"),
    ("bfs_edges", {"source": 0, "sort_neighbors": sorted}, "sort_neighbors is a function"),
    ("dijkstra_path", {"source": 0, "target": 1, "weight": lambda u, v, data: 1}, "weight is a function"),
    ("closeness_centrality", {"distance": lambda u, v, data: 1}, "distance is a function"),
    ("greedy_color", {"strategy": "DSATUR"}, "strategy is 'DSATUR'"),
    ("greedy_color", {"interchange": True}, "interchange is True"),
    ("eccentricity", {"sp": {}}, "sp is given"),
    ("diameter", {"e": {}}, "e is given"),
    ("barycenter", {"attr": "sum"}, "attr is given"),
]


@pytest.mark.parametrize(("name", "options", "reason"), REASONS)
def test_arguments_that_are_not_served_are_refused_with_a_sentence(name, options, reason):
    told = backend.can_run(name, (nx.path_graph(3),), options)
    assert isinstance(told, str)
    assert told.startswith(reason)
    assert told.endswith(".")


def test_kinds_of_graphs_that_are_not_served_are_refused_with_a_sentence():
    assert "is directed" in backend.can_run("transitivity", (nx.DiGraph(),), {})
    assert "is a multigraph" in backend.can_run("triangles", (nx.MultiGraph(),), {})
    assert "source is given" in backend.can_run("kosaraju_strongly_connected_components", (nx.DiGraph(), 1), {})
    assert "missing" in backend.can_run("dijkstra_path", (nx.Graph(),), {})


@pytest.mark.parametrize("length", [math.inf, 1e308])
@pytest.mark.parametrize("name", ["betweenness_centrality", "edge_betweenness_centrality"])
def test_infinite_paths_stay_with_networkx(name, length):
    G = nx.path_graph(5)
    nx.set_edge_attributes(G, length, "weight")
    function = getattr(nx, name)
    with nx.config.backend_priority(algos=["clew"]):
        assert function(G, weight="weight") == function(G, weight="weight", backend="networkx")
    with pytest.raises(NotImplementedError):
        function(G, weight="weight", backend="clew")


def test_networkx_logs_the_reason_and_answers_itself(caplog):
    G = nx.karate_club_graph()
    caplog.set_level(logging.DEBUG, logger="networkx")
    with nx.config.backend_priority(algos=["clew"]):
        found = nx.betweenness_centrality(G, endpoints=True)
    assert found == nx.betweenness_centrality(G, endpoints=True)
    assert "because: endpoints is True" in caplog.text


def test_the_first_call_logs_what_compiling_took(caplog, monkeypatch):
    from clew import jit

    def compiles(G):
        monkeypatch.setattr(jit, "seconds", jit.seconds + 2.0)
        return 5

    caplog.set_level(logging.INFO, logger="networkx")
    assert served()(compiles)(convert_from_nx(nx.path_graph(3))) == 5
    assert "Compiling took 2.0 s" in caplog.text
    assert "first call of compiles" in caplog.text
    caplog.clear()
    nx.is_tree(nx.path_graph(3), backend="clew")
    nx.is_tree(nx.path_graph(3), backend="clew")
    assert caplog.text.count("is_tree") <= 1


def test_iterators_log_what_compiling_took_when_they_are_read(caplog, monkeypatch):
    from clew import jit

    def yields(G):
        monkeypatch.setattr(jit, "seconds", jit.seconds + 2.0)
        yield from G.nodes

    caplog.set_level(logging.INFO, logger="networkx")
    found = served()(yields)(convert_from_nx(nx.path_graph(3)))
    assert "Compiling took" not in caplog.text
    assert list(found) == [0, 1, 2]
    assert "Compiling took 2.0 s" in caplog.text
    assert "first call of yields" in caplog.text


def test_compiling_is_counted_once():
    from clew import jit

    @jit.njit
    def inner(x):
        return x + 1

    @jit.njit
    def outer(x):
        return inner(x) * 2

    before, begun = jit.seconds, perf_counter()
    assert outer(3) == 8
    assert 0 < jit.seconds - before <= perf_counter() - begun
    compiled = jit.seconds
    assert outer(4) == 10
    assert jit.seconds == compiled


def test_small_graphs_and_quick_questions_are_not_worth_a_conversion(large):
    small = nx.karate_club_graph()
    assert "the graph has 78 edges" in backend.should_run("pagerank", (small,), {})
    assert backend.should_run("pagerank", (large,), {}) is True
    assert "less time than a conversion" in backend.should_run("degree_centrality", (large,), {})
    nx.pagerank(large, backend="clew")
    assert backend.should_run("degree_centrality", (large,), {}) is True
    assert "so few nodes" in backend.should_run("volume", (large, [1, 2]), {})
    assert backend.should_run("volume", (large, range(200)), {}) is True
    pairs = [(1, 2)] * 200
    assert "so few nodes" in backend.should_run("jaccard_coefficient", (large,), {"ebunch": pairs[:1]})
    assert backend.should_run("jaccard_coefficient", (large,), {"ebunch": pairs}) is True
    assert backend.should_run("jaccard_coefficient", (large,), {}) is True
    assert "so few nodes" in backend.should_run("within_inter_cluster", (large,), {"ebunch": pairs})
    assert backend.should_run("within_inter_cluster", (large,), {"ebunch": pairs * 50}) is True
    for name in ("clustering", "triangles", "is_isolate"):
        assert "so few nodes" in backend.should_run(name, (large, next(iter(large))), {})
    assert backend.should_run("clustering", (large,), {}) is True
    with nx.config.backends.clew(min_edges=10):
        assert backend.should_run("pagerank", (small,), {}) is True


@pytest.mark.parametrize("value", ["heavy", 2**70, None, [1], 1j])
def test_weights_that_are_no_numbers_are_left_to_networkx(value):
    G = nx.Graph()
    G.add_edge(0, 1, weight=value)
    with pytest.raises(NotImplementedError):
        nx.pagerank(G, backend="clew")


@pytest.mark.parametrize("kind", [nx.Graph, nx.MultiDiGraph])
def test_reciprocity_is_of_directed_graphs_without_parallel_edges(kind):
    """NetworkX says 0 for an undirected graph, and pairs parallel edges by their keys."""
    G = kind([(0, 1), (1, 0), (0, 1)])
    for call in (nx.reciprocity, nx.overall_reciprocity):
        with pytest.raises(NotImplementedError):
            call(G, backend="clew")
    with pytest.raises(NotImplementedError):
        nx.reciprocity(G, [0], backend="clew")


def test_from_a_node_to_itself_no_cycle_is_shorter():
    G = nx.Graph()
    G.add_edge(0, 1, weight=-1)  # there and back is a negative cycle
    for method in ("dijkstra", "bellman-ford"):
        assert nx.shortest_path_length(G, 0, 0, weight="weight", method=method, backend="clew") == 0
    with pytest.raises(nx.NetworkXUnbounded):
        nx.shortest_path_length(G, 0, 1, weight="weight", method="bellman-ford", backend="clew")


@pytest.mark.parametrize("value", [-1, float("inf"), float("nan")])
def test_lengths_that_clew_has_no_paths_for_are_left_to_networkx(value):
    G = nx.path_graph(3)
    G.add_edge(0, 1, weight=value)
    for call in (nx.all_pairs_dijkstra_path_length, nx.shortest_path_length):
        with pytest.raises(NotImplementedError):
            call(G, weight="weight", backend="clew")
    with pytest.raises(NotImplementedError):
        nx.diameter(G, weight="weight", backend="clew")


# ------------------------------------------------------------------ the same numbers

RANKS = [
    {},
    {"personalization": {0: 1, 5: 3}},
    {"personalization": {3: 1.0}, "nstart": {0: 1, 7: 2}},
    {"nstart": {0: 1, 7: 2}},
    {"personalization": {0: 1, 5: 3}, "dangling": {0: 1, 5: 3}},
    {"personalization": {1: 1}, "alpha": 0.99, "max_iter": 3000},
    {"personalization": {0: 1, 5: 3}, "tol": 1e-13, "max_iter": 500},
]


@pytest.mark.parametrize("options", RANKS, ids=str)
@pytest.mark.parametrize("directed", [False, True])
def test_ranks_have_networkx_digits(options, directed):
    """NetworkX stops when a node changes by 1e-6 on average: another start would show in the third digit."""
    G = nx.gnm_random_graph(400, 900, seed=2, directed=directed)
    assert nx.pagerank(G, backend="clew", **options) == pytest.approx(nx.pagerank(G, **options), rel=1e-9, abs=1e-15)


def test_weights_of_one_that_are_floats_give_floats():
    G = nx.path_graph(8)
    nx.set_edge_attributes(G, 1.0, "weight")
    found = nx.single_source_dijkstra_path_length(G, 0, backend="clew")
    assert repr(found) == repr(nx.single_source_dijkstra_path_length(G, 0))
    assert repr(nx.dijkstra_path_length(G, 0, 7, backend="clew")) == "7.0"
    assert repr(nx.shortest_path_length(G, 0, 7, backend="clew")) == "7"


def test_a_negative_cycle_begins_where_networkx_begins_it():
    G = nx.cycle_graph(5, nx.DiGraph)
    G.add_edge(1, 2, weight=-30)
    for source in G:
        assert nx.find_negative_cycle(G, source, backend="clew") == nx.find_negative_cycle(G, source)


# ------------------------------------------------------------------ conversion


def test_conversions_are_kept_and_dropped_when_the_graph_changes(large):
    nx.pagerank(large, backend="clew")
    (kept,) = large.__networkx_cache__["backends"]["clew"].values()
    nx.connected_components(large, backend="clew")
    assert list(large.__networkx_cache__["backends"]["clew"].values()) == [kept]
    nx.dijkstra_path_length(large, 0, 1, backend="clew")
    assert list(large.__networkx_cache__["backends"]["clew"].values()) == [kept]
    large.add_edge(0, 1, weight=0.5)
    assert not large.__networkx_cache__
    assert nx.dijkstra_path_length(large, 0, 1, backend="clew") == 0.5


def test_a_conversion_with_all_attributes_serves_functions_that_need_one():
    G = nx.path_graph(4)
    G.add_edge(2, 3, weight=7)
    nx.k_core(G, backend="clew")
    assert nx.dijkstra_path_length(G, 0, 3, backend="clew") == 9
    assert len(G.__networkx_cache__["backends"]["clew"]) == 1


@pytest.mark.quick
@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph])
def test_there_and_back(kind):
    G = kind([("a", 2), (2, "c"), ("c", "a"), ("c", "c"), ("a", 2)], title="test")
    G.add_node("alone")
    G.add_edge("a", 2, weight=3)
    there = convert_from_nx(G, edge_attrs={"weight": 1}, preserve_graph_attrs=True)
    back = convert_to_nx(there)
    assert isinstance(there, ClewGraph)
    assert type(back) is kind
    assert list(back) == list(G)
    assert back.graph == G.graph
    assert sorted(map(str, back.edges(data="weight"))) == sorted(map(str, G.edges(data="weight", default=1)))
    assert there.number_of_edges() == G.number_of_edges()
    assert (there.order(), len(there), list(there)) == (4, 4, list(G))
    assert "a" in there
    assert ["a"] not in there


def test_rows_keep_the_order_of_networkx():
    G = nx.Graph([(3, 1), (3, 0), (3, 2), (0, 1)])
    rows = convert_from_nx(G)
    near = {rows.nodes[v]: rows.named(rows.indices[rows.indptr[v] : rows.indptr[v + 1]]) for v in range(len(rows))}
    assert near == {node: list(G[node]) for node in G}


@pytest.mark.quick
def test_what_networkx_finds_near_where_it_starts_is_left_to_it():
    G, D = nx.circulant_graph(3000, [1, 2]), nx.gn_graph(3000, seed=1)  # in D, all edges lead to older nodes
    random = nx.gnm_random_graph(3000, 15_000, seed=1)
    even, odd, grid = nx.cycle_graph(3000), nx.path_graph(3000), nx.grid_2d_graph(60, 60)
    for name, *args in (
        ("descendants_at_distance", G, 0, 3),
        ("descendants", D, 5),
        ("ancestors", D, 2999),
        ("is_eulerian", odd),
        ("is_eulerian", D),
        ("is_bipartite", G),
        ("has_eulerian_path", grid),
        ("is_semieulerian", D),
        ("dijkstra_path", D, 5, 0),
        ("single_source_bellman_ford", D, 5),
        ("bidirectional_dijkstra", random, 5, 700),
        ("multi_source_dijkstra", D, {5, 7}),
        ("bfs_edges", D, 5),
        ("bfs_edges", D, 2999, True),
        ("bfs_layers", D, 5),
        ("dfs_edges", D, 5),
        ("single_source_shortest_path_length", D, 5),
    ):
        convert_from_nx(args[0])
        assert "near where it starts" in backend.should_run(name, tuple(args), {}), (name, args)
    for name, *args in (
        ("descendants_at_distance", grid, (0, 0), 20),
        ("descendants_at_distance", nx.star_graph(3000), 0, 1),
        ("descendants", G, 5),
        ("ancestors", D, 0),
        ("is_bipartite", grid),
        ("is_bipartite", D),
        ("has_eulerian_path", odd),
        ("dijkstra_path", random, 5, 700),
        ("bidirectional_dijkstra", grid, (0, 0), (59, 59)),
        ("bidirectional_dijkstra", nx.gnm_random_graph(3000, 60_000, seed=1), 5, 700),
        ("multi_source_dijkstra", random, {5, 700}),
        ("multi_source_dijkstra", D, iter([5, 7])),
        ("multi_source_dijkstra", D, {5, "absent"}),
        ("bfs_edges", D, 0, True),
        ("bfs_layers", G, [5, 7]),
        ("dfs_edges", G),
        ("descendants", G, "absent"),
        ("descendants", G),
    ):
        assert backend.should_run(name, tuple(args), {}) is True, (name, args)
    nx.is_eulerian(even, backend="clew")
    assert backend.should_run("is_eulerian", (even,), {}) is True


def test_a_graph_that_computes_its_neighbours_is_left_to_networkx():
    class Complement(nx.Graph):
        def neighbors(self, n):
            return iter(set(self) - set(self._adj[n]) - {n})

    with pytest.raises(NotImplementedError):
        nx.core_number(Complement(nx.path_graph(4)), backend="clew")


def test_an_empty_graph():
    assert nx.pagerank(nx.Graph(), backend="clew") == {}
    assert list(nx.connected_components(nx.Graph(), backend="clew")) == []
    assert list(nx.strongly_connected_components(nx.DiGraph(), backend="clew")) == []
    with pytest.raises(nx.NetworkXPointlessConcept):
        nx.is_connected(nx.Graph(), backend="clew")


def test_graphs_as_answers_keep_attributes():
    G = nx.complete_graph(4)
    G.graph["title"] = "test"
    G.nodes[0]["size"] = 1
    G.add_edge(0, 1, kind="first")
    G.add_edge(3, 4)
    core = nx.k_core(G, backend="clew")
    assert isinstance(core, nx.Graph)
    assert (core.graph, core.nodes[0], core[0][1]) == ({"title": "test"}, {"size": 1}, {"kind": "first"})
    assert 4 not in core


def test_large_graphs_are_answered_as_networkx_does(large):
    H = nx.relabel_nodes(large, {node: f"v{node}" for node in large})
    for u, v in H.edges:
        H.add_edge(u, v, weight=float(np.hypot(int(u[1:]), int(v[1:]))))
    assert nx.pagerank(H, backend="clew") == pytest.approx(nx.pagerank(H), abs=1e-5)
    assert nx.single_source_dijkstra_path_length(H, "v7", backend="clew") == nx.single_source_dijkstra_path_length(
        H, "v7"
    )
    assert nx.betweenness_centrality(H, 50, seed=3, backend="clew") == pytest.approx(
        nx.betweenness_centrality(H, 50, seed=3), abs=1e-9
    )
    assert nx.square_clustering(H, backend="clew") == pytest.approx(nx.square_clustering(H))
    assert nx.closeness_centrality(H, distance="weight", backend="clew") == pytest.approx(
        nx.closeness_centrality(H, distance="weight")
    )
    assert list(nx.bfs_edges(H, "v3", backend="clew")) == list(nx.bfs_edges(H, "v3"))


def test_a_graph_with_a_kept_conversion_can_be_copied_and_pickled(large):
    nx.k_core(large, backend="clew")
    ranks = nx.pagerank(large, backend="clew")
    for other in (pickle.loads(pickle.dumps(large)), deepcopy(large), large.copy()):
        assert nx.pagerank(other, backend="clew") == ranks
