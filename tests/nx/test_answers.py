"""Every served function beside NetworkX's own, on random graphs: the same answer, order or error, or a valid one."""

from __future__ import annotations

import inspect
from collections import Counter
from contextlib import suppress
from itertools import pairwise

import networkx as nx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from networkx.utils.backends import _registered_algorithms

from _clew_nx import FUNCTIONS
from clew.nx.interface import CALLS
from tests.nx.graphs import nx_graphs, outcome, same

# ruff: noqa: N803, N806, NetworkX calls its graphs G

pytestmark = [
    pytest.mark.filterwarnings("ignore:Note. conversions:UserWarning"),
    # Correlations of degrees that are all the same are NaN, with the warnings that NetworkX's own have.
    pytest.mark.filterwarnings("ignore:invalid value encountered:RuntimeWarning"),
    pytest.mark.filterwarnings("ignore:An input array is constant"),
]

SERVED = list(FUNCTIONS)
EXAMPLES = settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def first(G):
    return next(iter(G))


def last(G):
    return list(G)[-1]


def sets(found):
    """Sets in any order; as tuples, so that a set that is there twice is noticed."""
    return Counter(map(frozenset, found))


def unordered(pair):
    """Predecessors in any order, and distances."""
    before, distance = pair
    return {node: Counter(nodes) for node, nodes in before.items()}, distance


def edges(graph):
    return graph.is_directed(), dict(graph.nodes(data=True)), Counter(map(str, graph.edges(data=True)))


FROM_A_NODE = {  # with one node as the argument, on graphs of any kind
    "ancestors": set,
    "bfs_edges": list,
    "bfs_layers": list,
    "bfs_predecessors": list,
    "bfs_successors": list,
    "bfs_tree": edges,
    "descendants": set,
    "is_isolate": bool,
    "predecessor": dict,
    "single_source_shortest_path": lambda found: list(found.items()),
    "single_source_shortest_path_length": dict,
    "single_target_shortest_path_length": dict,
    "single_source_dijkstra_path_length": dict,
    "dijkstra_predecessor_and_distance": unordered,
}
WHOLE = {  # of a graph of any kind
    "all_pairs_dijkstra_path_length": dict,
    "all_pairs_shortest_path": lambda found: [(node, list(paths.items())) for node, paths in found],
    "all_pairs_shortest_path_length": dict,
    "average_shortest_path_length": float,
    "barycenter": set,
    "betweenness_centrality": dict,
    "center": set,
    "closeness_centrality": dict,
    "degree_centrality": dict,
    "diameter": float,
    "eccentricity": dict,
    "harmonic_centrality": dict,
    "is_bipartite": bool,
    "is_directed_acyclic_graph": bool,
    "isolates": list,
    "number_of_isolates": int,
    "pagerank": dict,
    "periphery": set,
    "radius": float,
    "shortest_path_length": dict,
    "wiener_index": float,
}
UNDIRECTED = {
    "average_clustering": float,
    "clustering": dict,
    "connected_components": lambda found: list(map(set, found)),
    "core_number": dict,
    "eigenvector_centrality": dict,
    "global_efficiency": float,
    "is_connected": bool,
    "k_core": edges,
    "k_crust": edges,
    "k_shell": edges,
    "katz_centrality": dict,
    "number_connected_components": int,
    "square_clustering": dict,
    "transitivity": float,
    "triangles": dict,
}
DIRECTED = {
    "attracting_components": sets,
    "core_number": dict,
    "eigenvector_centrality": dict,
    "has_cycle": bool,
    "in_degree_centrality": dict,
    "is_attracting_component": bool,
    "is_strongly_connected": bool,
    "is_weakly_connected": bool,
    "k_core": edges,
    "katz_centrality": dict,
    "kosaraju_strongly_connected_components": sets,
    "number_attracting_components": int,
    "number_strongly_connected_components": int,
    "number_weakly_connected_components": int,
    "out_degree_centrality": dict,
    "overall_reciprocity": float,
    "strongly_connected_components": sets,
    "topological_generations": list,
    "topological_sort": list,
    "weakly_connected_components": lambda found: list(map(set, found)),
}


def compare(G, name, shape, *args, **options):
    function = _registered_algorithms[name]
    theirs = outcome(lambda: shape(function.orig_func(G, *args, **options)))
    ours = outcome(lambda: shape(function(G, *args, backend="clew", **options)))
    assert same(ours, theirs), (name, ours, theirs)


@pytest.mark.parametrize("name", FROM_A_NODE)
@EXAMPLES
@given(nx_graphs(multigraph=None))
def test_from_a_node(name, G):
    compare(G, name, FROM_A_NODE[name], first(G))


@pytest.mark.parametrize("name", WHOLE)
@EXAMPLES
@given(nx_graphs(multigraph=None))
def test_of_a_whole_graph(name, G):
    if name in ("center", "barycenter") and not G.is_directed() and nx.number_of_selfloops(G):
        return  # NetworkX takes a tree with one edge replaced by a self-loop for a tree
    compare(G, name, WHOLE[name])


@pytest.mark.parametrize("name", UNDIRECTED)
@EXAMPLES
@given(nx_graphs(directed=False))
def test_of_an_undirected_graph(name, G):
    compare(G, name, UNDIRECTED[name])


@pytest.mark.parametrize("name", DIRECTED)
@EXAMPLES
@given(nx_graphs(directed=True))
def test_of_a_directed_graph(name, G):
    compare(G, name, DIRECTED[name])


def is_path(G, path, source, target):
    return path[0] == source and path[-1] == target and nx.is_path(G, path)


def length(G, path):
    if G.is_multigraph():
        steps = (min(data.get("weight", 1) for data in G[u][v].values()) for u, v in pairwise(path))
    else:
        steps = (G[u][v].get("weight", 1) for u, v in pairwise(path))
    return sum(steps)


PATHS = {  # each gives the paths from the first node to all that can be reached
    "all_pairs_bellman_ford_path": lambda f, G, s: dict(f(G, backend="clew"))[s],
    "all_pairs_dijkstra": lambda f, G, s: dict(f(G, backend="clew"))[s][1],
    "all_pairs_dijkstra_path": lambda f, G, s: dict(f(G, backend="clew"))[s],
    "johnson": lambda f, G, s: f(G, backend="clew")[s],
    "multi_source_dijkstra": lambda f, G, s: f(G, [s], backend="clew")[1],
    "multi_source_dijkstra_path": lambda f, G, s: f(G, [s], backend="clew"),
    "shortest_path": lambda f, G, s: f(G, s, weight="weight", backend="clew"),
    "single_source_bellman_ford": lambda f, G, s: f(G, s, backend="clew")[1],
    "single_source_bellman_ford_path": lambda f, G, s: f(G, s, backend="clew"),
    "single_source_dijkstra": lambda f, G, s: f(G, s, backend="clew")[1],
    "single_source_dijkstra_path": lambda f, G, s: f(G, s, backend="clew"),
}
ONE_PATH = {  # each gives a path between two nodes
    "bellman_ford_path": lambda f, G, s, t: f(G, s, t, backend="clew"),
    "bidirectional_dijkstra": lambda f, G, s, t: f(G, s, t, backend="clew")[1],
    "dijkstra_path": lambda f, G, s, t: f(G, s, t, backend="clew"),
    "shortest_path": lambda f, G, s, t: f(G, s, t, weight="weight", method="bellman-ford", backend="clew"),
}


@pytest.mark.parametrize("name", PATHS)
@EXAMPLES
@given(nx_graphs(multigraph=None))
def test_paths_are_paths_and_as_short_as_can_be(name, G):
    source = first(G)
    found = PATHS[name](_registered_algorithms[name], G, source)
    best = nx.single_source_dijkstra_path_length(G, source)
    assert found.keys() == best.keys()
    for target, path in found.items():
        assert is_path(G, path, source, target)
        assert same(float(length(G, path)), float(best[target]))


@pytest.mark.parametrize("name", ONE_PATH)
@EXAMPLES
@given(nx_graphs(multigraph=None))
def test_a_path_is_as_short_as_can_be(name, G):
    source, target = first(G), last(G)
    best = outcome(lambda: nx.dijkstra_path_length(G, source, target))
    found = outcome(lambda: ONE_PATH[name](_registered_algorithms[name], G, source, target))
    if best is nx.NetworkXNoPath:
        assert found is nx.NetworkXNoPath
    else:
        assert is_path(G, found, source, target)
        assert same(float(length(G, found)), float(best))


LENGTHS = {
    "all_pairs_bellman_ford_path_length": lambda f, G, **to: dict(f(G, **to)),
    "bellman_ford_path_length": lambda f, G, **to: f(G, first(G), last(G), **to),
    "bellman_ford_predecessor_and_distance": lambda f, G, **to: unordered(f(G, first(G), **to)),
    "goldberg_radzik": lambda f, G, **to: f(G, first(G), **to)[1],
    "negative_edge_cycle": lambda f, G, **to: f(G, **to),
    "single_source_bellman_ford_path_length": lambda f, G, **to: dict(f(G, first(G), **to)),
}


@pytest.mark.parametrize("name", LENGTHS)
@EXAMPLES
@given(nx_graphs(multigraph=None, negative=True))
def test_weights_of_either_sign(name, G):
    function = _registered_algorithms[name]
    theirs = outcome(lambda: LENGTHS[name](function, G, backend="networkx"))
    ours = outcome(lambda: LENGTHS[name](function, G, backend="clew"))
    assert same(ours, theirs)


@EXAMPLES
@given(nx_graphs(multigraph=None))
def test_distances_between_all_nodes(G):
    compare(G, "floyd_warshall", lambda found: {node: dict(row) for node, row in found.items()})
    compare(G, "floyd_warshall_numpy", lambda found: found.tolist())
    compare(G, "floyd_warshall_numpy", lambda found: found.tolist(), list(G)[::-1])
    compare(G, "multi_source_dijkstra_path_length", dict, {first(G), last(G)})


@EXAMPLES
@given(nx_graphs(multigraph=None))
def test_between_two_nodes(G):
    source, target = first(G), last(G)
    for name in ("has_path", "dijkstra_path_length"):
        compare(G, name, lambda found: found, source, target)
    compare(G, "bidirectional_shortest_path", len, source, target)
    compare(G, "descendants_at_distance", set, source, 2)
    compare(G, "single_target_shortest_path", lambda found: {node: len(path) for node, path in found.items()}, target)
    compare(G, "shortest_path", lambda found: {node: len(path) for node, path in found.items()}, target=target)
    compare(G, "shortest_path_length", dict, target=target, weight="weight")
    if not G.is_directed():
        compare(G, "node_connected_component", set, source)


def test_measures_of_all_nodes_in_the_order_they_are_asked_for():
    G = nx.DiGraph()
    G.add_weighted_edges_from([(0, 1, 0.25), (1, 2, 0.5), (2, 0, 3.0)])
    for nodes in ([2, 0, 1], [1, 2, 0]):
        compare(G, "eccentricity", dict, nodes, weight="weight")
        compare(G, "harmonic_centrality", dict, nodes, distance="weight", sources=nodes[::-1])


@EXAMPLES
@given(nx_graphs(directed=False), st.integers(0, 4))
def test_coronas_and_reciprocity_of_nodes(G, k):
    compare(G, "k_corona", edges, k)
    compare(G.to_directed(), "reciprocity", dict, list(G))


@EXAMPLES
@given(nx_graphs(directed=True, negative=True))
def test_a_negative_cycle_is_one(G):
    source = first(G)
    found = outcome(lambda: nx.find_negative_cycle(G, source, backend="clew"))
    if found is nx.NetworkXError:
        assert outcome(lambda: nx.single_source_bellman_ford_path_length(G, source)) is not nx.NetworkXUnbounded
    else:
        assert found[0] == found[-1]
        assert nx.is_path(G, found)
        assert length(G, found) < 0


@EXAMPLES
@given(nx_graphs(directed=False), st.sampled_from(["largest_first", "random_sequential", "smallest_last"]))
def test_colours_differ_between_neighbours(G, strategy):
    color = nx.greedy_color(G, strategy, backend="clew")
    assert color.keys() == set(G)
    assert all(color[u] != color[v] for u, v in G.edges if u != v)
    assert set(color.values()) == set(range(max(color.values()) + 1))


@EXAMPLES
@given(nx_graphs(directed=False, multigraph=None), st.integers(0, 9))
def test_independent_sets_are_maximal(G, seed):
    G.remove_edges_from(list(nx.selfloop_edges(G)))
    for nodes in (None, [last(G)]):
        chosen = nx.maximal_independent_set(G, nodes, seed=seed, backend="clew")
        assert len(set(chosen)) == len(chosen)
        assert not any(u in chosen and v in chosen for u, v in G.edges())
        assert all(node in chosen or set(G[node]) & set(chosen) for node in G)
        assert set(nodes or ()) <= set(chosen)


@EXAMPLES
@given(nx_graphs(directed=False, multigraph=None))
def test_no_label_is_more_frequent_around_a_node_than_its_own(G):
    communities = list(nx.community.label_propagation_communities(G, backend="clew"))
    label = {node: number for number, nodes in enumerate(communities) for node in nodes}
    assert sum(map(len, communities)) == len(G) == len(label)
    for node in G:
        votes = Counter(label[other] for other in G[node])
        assert not votes or votes[label[node]] == max(votes.values())


@pytest.mark.parametrize("name", ["hopcroft_karp_matching", "eppstein_matching"])
@EXAMPLES
@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=20))
def test_matchings_are_as_large_as_can_be(name, pairs):
    G = nx.Graph((("left", u), ("right", v)) for u, v in pairs)
    left = {node for node in G if node[0] == "left"}
    function = _registered_algorithms[name]
    mate = function(G, left, backend="clew")
    assert all(mate[other] == node and G.has_edge(node, other) for node, other in mate.items())
    assert len(mate) == len(function(G, left, backend="networkx"))


def test_hubs_and_authorities():
    G = nx.DiGraph([(0, 2), (0, 3), (1, 3), (4, 3), (4, 2), (2, 5)])
    compare(G, "hits", tuple)


HALVES = [{0, 1, 2}, {3, 4, 5}]
ARGUMENTS = {"source": 0, "target": 3, "sources": [0, 4], "n": 0, "k": 1, "distance": 1}
ARGUMENTS |= {"communities": HALVES, "partition": HALVES, "S": [0], "minimum": True, "nbunch": [0], "nbunch1": [0]}
ARGUMENTS |= {"attribute": "community", "_s": 0, "_t": 3, "s": 0, "t": 3}


OPTIONS = {"rich_club_coefficient": {"normalized": False}}  # the default is not served
OPTIONS |= {name: {"s": 0, "t": 3} for name in ("minimum_edge_cut", "minimum_node_cut")}


@pytest.mark.parametrize("name", SERVED)
def test_every_served_function_answers_by_itself(name):
    """A path serves them all: bipartite, connected and, directed, without cycles."""
    function = _registered_algorithms[name]
    required = [
        ARGUMENTS[key]
        for key, parameter in inspect.signature(function.orig_func).parameters.items()
        if parameter.default is parameter.empty and key not in ("G", "flowG", "kwargs")
    ]
    before = CALLS[name]
    for kind in (nx.Graph, nx.DiGraph):
        G = nx.path_graph(6, kind)
        nx.set_node_attributes(G, 0, "community")
        nx.set_edge_attributes(G, 1, "capacity")
        if name == "find_negative_cycle":
            G.add_edge(3, 2, weight=-2)
        with suppress(nx.NetworkXException, NotImplementedError):  # not for this kind of graph
            function.__wrapped__(G, *required, backend="clew", **OPTIONS.get(name, {}))
    assert CALLS[name] > before
