"""Weights that are changed in place between two calls, of which NetworkX does not tell its backends."""

from __future__ import annotations

import pickle
from copy import deepcopy

import networkx as nx
import pytest

from clew.nx.interface import CALLS

# ruff: noqa: N803, N806, NetworkX calls its graphs G

pytestmark = pytest.mark.filterwarnings("ignore:Note. conversions:UserWarning")
KINDS = [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph]


def a_path(kind=nx.Graph, nodes=5):
    """A path whose edges have the length 1.0."""
    G = nx.path_graph(nodes, kind)
    nx.set_edge_attributes(G, 1.0, "length")
    return G


def length(G, **options):
    """The length of the path from the first node to the last, counted by clew."""
    before = CALLS["dijkstra_path_length"]
    found = nx.dijkstra_path_length(G, 0, len(G) - 1, "length", backend="clew", **options)
    assert CALLS["dijkstra_path_length"] == before + 1
    return found


def edge(G, source, target):
    """The attributes of an edge."""
    return G[source][target][0] if G.is_multigraph() else G[source][target]


def by_subscript(G):
    edge(G, 2, 3)["length"] = 7.0


def by_data_of_edges(G):
    for source, _, data in G.edges(data=True):
        if source == 2:
            data["length"] = 7.0


def by_update(G):
    edge(G, 2, 3).update(length=7.0)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("change", [by_subscript, by_data_of_edges, by_update])
def test_a_new_weight_is_used(kind, change):
    G = a_path(kind)
    assert length(G) == 4.0
    change(G)
    assert G.__networkx_cache__["backends"]["clew"]  # NetworkX has not noticed
    assert length(G) == 10.0


def test_a_weight_that_is_removed_or_added_is_noticed():
    G = a_path()
    G[2][3]["length"] = 7.0
    assert length(G) == 10.0
    del G[2][3]["length"]
    assert length(G) == 4.0
    G[2][3]["length"] = 3.0
    assert length(G) == 6.0


def test_a_weight_of_another_type_is_noticed_though_it_is_equal():
    G = a_path()
    assert type(length(G)) is float
    for _, _, data in G.edges(data=True):
        data["length"] = 1
    assert type(length(G)) is int


def test_every_function_sees_the_new_weights():
    G = a_path()
    ways = [
        lambda: nx.single_source_dijkstra_path_length(G, 0, weight="length", backend="clew")[4],
        lambda: nx.shortest_path_length(G, 0, 4, weight="length", backend="clew"),
        lambda: nx.bidirectional_dijkstra(G, 0, 4, weight="length", backend="clew")[0],
        lambda: nx.bellman_ford_path_length(G, 0, 4, weight="length", backend="clew"),
        lambda: nx.floyd_warshall(G, weight="length", backend="clew")[0][4],
        lambda: nx.diameter(G, weight="length", backend="clew"),
        lambda: 1 / nx.harmonic_centrality(G, [0], "length", [4], backend="clew")[0],
    ]
    for new, way in enumerate(ways, start=2):
        G[1][2]["length"] = 0.5
        before = [way() for way in ways]
        assert before == pytest.approx([3.5] * len(ways))
        G[1][2]["length"] = float(new)
        assert way() == pytest.approx(3.0 + new)


def test_against_the_edges_of_a_directed_graph_too():
    G = a_path(nx.DiGraph)
    assert nx.bidirectional_dijkstra(G, 0, 4, weight="length", backend="clew")[0] == 4.0
    G[3][4]["length"] = 7.0
    assert nx.bidirectional_dijkstra(G, 0, 4, weight="length", backend="clew")[0] == 10.0
    assert nx.shortest_path_length(G, target=4, weight="length", backend="clew")[0] == 10.0


def test_ranks_too():
    G = nx.star_graph(3)
    nx.set_edge_attributes(G, 1.0, "weight")
    before = nx.pagerank(G, backend="clew")
    G[0][1]["weight"] = 5.0
    assert nx.pagerank(G, backend="clew") == pytest.approx(nx.pagerank(G, backend="networkx"))
    assert nx.pagerank(G, backend="clew")[1] > before[1]


def test_a_conversion_with_all_attributes_sees_them():
    G = a_path()
    nx.k_core(G, backend="clew")
    assert length(G) == 4.0
    G[2][3]["length"] = 7.0
    assert length(G) == 10.0


def test_copies_see_changes_of_their_own():
    G = a_path()
    assert length(G) == 4.0
    for other in (pickle.loads(pickle.dumps(G)), deepcopy(G)):
        assert other.__networkx_cache__["backends"]["clew"]
        assert length(other) == 4.0
        other[2][3]["length"] = 7.0
        assert length(other) == 10.0
        assert length(G) == 4.0


def test_a_weight_that_was_no_number_and_is_one_now_is_taken():
    G = a_path()
    G[2][3]["length"] = "long"
    with pytest.raises(NotImplementedError):
        length(G)
    G[2][3]["length"] = 7.0
    assert length(G) == 10.0


@pytest.fixture
def large():
    """A path whose edges are compared one in ten, converted, and one of the other weights changed."""
    with nx.config.backends.clew(check_edges=50):
        G = a_path(nodes=52)
        assert length(G) == 51.0
        G[2][3]["length"] = 7.0
        yield G


def test_in_a_large_graph_many_changes_are_noticed(large):
    for _, _, data in large.edges(data=True):
        data["length"] *= 2
    assert length(large) == 114.0


def clear_the_cache(G):
    G.__networkx_cache__.clear()


def keep_nothing_of_this_graph(G):
    G.__networkx_cache__ = None


def add_the_edge_again(G):
    G.add_edge(2, 3, length=7.0)


def set_attributes(G):
    nx.set_edge_attributes(G, {(2, 3): 7.0}, "length")


@pytest.mark.parametrize(
    "remedy",
    [clear_the_cache, keep_nothing_of_this_graph, add_the_edge_again, set_attributes],
    ids=lambda f: f.__name__,
)
def test_in_a_large_graph_a_single_change_may_be_missed_and_every_remedy_in_the_documentation_helps(large, remedy):
    assert length(large) == 51.0  # the limit that docs/from-networkx.md describes
    remedy(large)
    assert length(large) == 57.0


def test_without_a_cache_nothing_is_missed(large):
    with nx.config(cache_converted_graphs=False):
        assert length(large) == 57.0


def test_a_larger_number_of_edges_to_compare_misses_nothing():
    G = a_path(nodes=52)
    with nx.config.backends.clew(check_edges=51):
        assert length(G) == 51.0
        G[2][3]["length"] = 7.0
        assert length(G) == 57.0


@pytest.mark.filterwarnings("default")
def test_networkx_warns_of_a_kept_conversion_and_says_what_to_call(large):
    with pytest.warns(UserWarning, match=r"cached graph is being used for the 'clew' backend") as seen:
        length(large)
    assert "`G.__networkx_cache__.clear()`" in str(seen[0].message)
    with nx.config(warnings_to_ignore={"cache"}):
        length(large)


def test_a_topological_order_notices_that_the_graph_was_changed():
    """What NetworkX documents: an error where the graph is changed before the order is complete."""
    for change, error in (
        (lambda G: G.remove_node(2), RuntimeError),
        (lambda G: G.add_edge(3, 9), RuntimeError),
        (lambda G: G.remove_node(4), nx.NetworkXUnfeasible),
    ):
        G = nx.path_graph(5, nx.DiGraph)
        order = nx.topological_sort(G, backend="clew")
        assert [next(order), next(order)] == [0, 1]
        change(G)
        with pytest.raises(error, match="changed during iteration"):
            list(order)
    G = nx.path_graph(5, nx.DiGraph)
    order = nx.topological_sort(G, backend="clew")
    assert next(order) == 0
    G.add_edge(0, 4)  # of a node that is done with: NetworkX does not look at it again
    assert list(order) == [1, 2, 3, 4]
