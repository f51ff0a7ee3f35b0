"""Views of NetworkX: read as NetworkX reads them, converted once, and again when what they show has changed."""

from __future__ import annotations

import pickle

import networkx as nx
import pytest

from clew.nx.interface import backend, convert_from_nx

# ruff: noqa: N806, NetworkX calls its graphs G

pytestmark = pytest.mark.filterwarnings("ignore:Note. conversions:UserWarning")


@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph])
def test_views(kind):
    G = kind(nx.gnm_random_graph(20, 60, seed=1))
    views = [
        G.subgraph(range(5, 15)),
        G.edge_subgraph(list(G.edges)[::2]),
        nx.subgraph_view(G, filter_edge=every_third_missing),
    ]
    if G.is_directed():
        views.append(G.reverse(copy=False))
    for view in views:
        start = next(iter(view))
        there = convert_from_nx(view)
        assert there.number_of_edges() == view.number_of_edges()
        assert list(nx.bfs_edges(view, start, backend="clew")) == list(nx.bfs_edges(view, start))


def test_views_follow_the_graph_below_them():
    G = nx.path_graph(6)
    for view in (G.subgraph(range(6)), nx.DiGraph(G).reverse(copy=False), nx.subgraph_view(G)):
        assert nx.single_source_shortest_path_length(view, 0, backend="clew")[5] == 5
        below = view._graph
        below.add_edge(5, 0)
        below.add_edge(0, 5)
        assert nx.single_source_shortest_path_length(view, 0, backend="clew")[5] == 1
        below.remove_edge(0, 5)


@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph])
def test_rows_of_views_are_networkx_own(kind):
    """Of views by nodes and by edges, of few nodes and of many, and of views of views."""
    G = kind(nx.gnm_random_graph(20, 120, seed=1))
    nx.set_edge_attributes(G, 2, "weight")
    thin = nx.subgraph_view(G, filter_edge=every_third_missing)
    for view in (
        G.subgraph([3, 1, 2, 7]),
        G.subgraph(range(5, 19)),
        G.edge_subgraph(list(G.edges)[::3]),
        nx.restricted_view(G, [1, 2], list(G.edges)[5:9]),
        nx.subgraph_view(G, filter_node=lambda node: node % 4 > 0),
        thin.subgraph([2, 3, 5, 9, 11]),
        nx.subgraph_view(G.subgraph(range(15)), filter_edge=every_third_missing),
    ):
        rows = convert_from_nx(view)
        found = {node: rows.named(rows.neighbors(vertex)) for vertex, node in enumerate(rows.nodes)}
        assert list(found) == list(view)
        assert {node: set(near) for node, near in found.items()} == {node: set(view[node]) for node in view}
        assert rows.number_of_edges() == view.copy().number_of_edges()
        if not view.is_multigraph():
            assert found == {node: list(view[node]) for node in view}
        if view.is_directed():
            assert rows.in_rows().indices.size == rows.indices.size


def test_a_view_keeps_its_conversion_until_the_graph_below_changes():
    G = nx.path_graph(6)
    nx.set_edge_attributes(G, 1.0, "weight")
    view = G.subgraph(range(5))
    assert convert_from_nx(view) is convert_from_nx(view)
    assert backend.should_run("degree_centrality", (view,), {}) is True
    whole = convert_from_nx(view, preserve_node_attrs=True, preserve_edge_attrs=True)
    assert whole is not convert_from_nx(view)
    assert whole.original is view
    assert nx.dijkstra_path_length(view, 0, 4, backend="clew") == 4.0
    G[1][2]["weight"] = 3.0  # in place
    assert nx.dijkstra_path_length(view, 0, 4, backend="clew") == 6.0
    before = convert_from_nx(view)
    G.add_edge(0, 4)
    assert convert_from_nx(view) is not before
    assert nx.shortest_path_length(view, 0, 4, backend="clew") == 1
    other = pickle.loads(pickle.dumps(view))
    assert nx.shortest_path_length(other, 0, 4, backend="clew") == 1


@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph])
def test_a_view_by_functions_keeps_its_conversion_while_they_answer_alike(kind):
    G, hidden = kind(nx.gnm_random_graph(20, 60, seed=1)), set()
    by_node = nx.subgraph_view(G, filter_node=lambda node: node not in hidden)
    by_edge = nx.subgraph_view(G, filter_edge=lambda u, v, *_: not {(u, v), (v, u)} & hidden)
    for view, change in ((by_node, 3), (by_edge, next(iter(G.edges()))), (by_edge.subgraph(range(18)), (0, 1))):
        first = convert_from_nx(view)
        assert convert_from_nx(view) is first
        assert backend.should_run("degree_centrality", (view,), {}) is True
        for _ in range(2):
            hidden ^= {change}
            found = convert_from_nx(view)
            assert (found is first) == (found.number_of_edges() == first.number_of_edges())
            assert found.number_of_edges() == view.copy().number_of_edges()
            first = found
        G.add_edge(0, 1)
        assert convert_from_nx(view).number_of_edges() == view.copy().number_of_edges()


def test_a_view_by_a_function_follows_it():
    """The function may answer differently at the next call."""
    G, hidden = nx.path_graph(6), set()
    for view in (
        nx.subgraph_view(G, filter_node=lambda node: node not in hidden),
        nx.subgraph_view(G, filter_edge=lambda u, v: not hidden & {u, v}).subgraph(range(6)),
    ):
        assert nx.number_connected_components(view, backend="clew") == 1
        hidden.add(3)
        assert nx.number_connected_components(view, backend="clew") == nx.number_connected_components(view) > 1
        hidden.clear()
    with nx.config(cache_converted_graphs=False):
        view = G.subgraph(range(4))
        assert convert_from_nx(view) is not convert_from_nx(view)


def every_third_missing(*edge):
    return (edge[0] + edge[1]) % 3 > 0
