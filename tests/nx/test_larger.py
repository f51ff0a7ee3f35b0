"""Functions whose searches go deep, on graphs of more than a few nodes: NetworkX's answer in its order."""

from __future__ import annotations

import networkx as nx
import pytest

from tests.nx.graphs import alike, told

# ruff: noqa: N803, N806, NetworkX calls its graphs G

pytestmark = pytest.mark.filterwarnings("ignore:Note. conversions:UserWarning")


def named(G):
    """Names of strings, few different weights, and two communities."""
    G = nx.relabel_nodes(G, "v{}".format)
    for number, (_, _, data) in enumerate(G.edges(data=True)):
        data["weight"] = 1 + number * 7 % 5
    nx.set_node_attributes(G, {node: int(node[1:]) % 2 for node in G}, "community")
    return G


GRAPHS = {
    "sparse": named(nx.gnm_random_graph(120, 130, seed=1)),
    "dense": named(nx.gnm_random_graph(50, 300, seed=2)),
    "clusters": named(nx.connected_caveman_graph(8, 6)),
    "directed": named(nx.gnm_random_graph(60, 150, seed=3, directed=True)),
    "acyclic": named(nx.DiGraph((u, v) for u, v in nx.gnm_random_graph(70, 300, seed=4).edges if u < v)),
}
UNDIRECTED = ("sparse", "dense", "clusters")
CALLS = [
    *((name, {}, UNDIRECTED) for name in ("articulation_points", "biconnected_component_edges", "bridges")),
    *((name, {}, UNDIRECTED) for name in ("biconnected_components", "local_bridges", "onion_layers")),
    *((name, {}, UNDIRECTED) for name in ("jaccard_coefficient", "adamic_adar_index", "common_neighbor_centrality")),
    *((name, {}, UNDIRECTED) for name in ("ra_index_soundarajan_hopcroft", "within_inter_cluster")),
    *(("k_truss", {"k": k}, ("dense", "clusters")) for k in (3, 4, 5, 6)),
    *((name, {"algorithm": rule}, UNDIRECTED) for name in ("minimum_spanning_tree",) for rule in ("kruskal", "prim")),
    ("maximum_spanning_edges", {"algorithm": "prim"}, UNDIRECTED),
    ("maximum_spanning_edges", {}, UNDIRECTED),
    ("rich_club_coefficient", {"normalized": False}, UNDIRECTED),
    ("degree_assortativity_coefficient", {"weight": "weight"}, tuple(GRAPHS)),
    ("clustering", {"weight": "weight"}, tuple(GRAPHS)),
    ("clustering", {}, ("directed", "acyclic")),
    ("edge_betweenness_centrality", {"k": 20, "seed": 1}, tuple(GRAPHS)),
    ("edge_betweenness_centrality", {"k": 20, "seed": 1, "weight": "weight"}, tuple(GRAPHS)),
    ("betweenness_centrality", {"k": 20, "seed": 1, "weight": "weight"}, tuple(GRAPHS)),
    ("dfs_labeled_edges", {"depth_limit": 4}, tuple(GRAPHS)),
    ("dfs_successors", {}, tuple(GRAPHS)),
    *((name, {"target": "v7"}, tuple(GRAPHS)) for name in ("single_target_shortest_path", "shortest_path")),
    ("descendants_at_distance", {"source": "v7", "distance": 2}, tuple(GRAPHS)),
    ("is_biconnected", {}, UNDIRECTED),
    ("triadic_census", {}, ("directed", "acyclic")),
    ("condensation", {}, ("directed", "acyclic")),
    ("transitive_closure", {}, ("directed", "acyclic")),
    *((name, {}, ("acyclic",)) for name in ("dag_longest_path", "dag_longest_path_length", "transitive_reduction")),
    ("lexicographical_topological_sort", {}, ("acyclic", "directed")),
]


@pytest.mark.parametrize(
    ("name", "options", "graph"), [(name, options, graph) for name, options, graphs in CALLS for graph in graphs]
)
def test_answers_are_networkx_own(name, options, graph):
    G, function = GRAPHS[graph], getattr(nx, name)
    ours = told(lambda: function(G, backend="clew", **options))
    theirs = told(lambda: function(G, backend="networkx", **options))
    assert ours is not None
    if name == "transitive_reduction":  # NetworkX lists neighbours in the order of a set
        ours, theirs = ([*kinds, [(node, sorted(near)) for node, near in rows]] for *kinds, rows in (ours, theirs))
    assert alike(ours, theirs, 1e-9), (ours, theirs)
