"""Louvain and Leiden by clew: partitions of the nodes, as good as NetworkX's."""

from __future__ import annotations

import networkx as nx
import pytest

# ruff: noqa: N806, NetworkX calls its graphs G

pytestmark = pytest.mark.filterwarnings("ignore:Note. conversions:UserWarning")
LOUVAIN, LEIDEN = nx.community.louvain_communities, nx.community.leiden_communities


@pytest.fixture(scope="module")
def blocks():
    """Four groups of 25 nodes with many edges inside and few between them, of any names and weights."""
    G = nx.planted_partition_graph(4, 25, 0.4, 0.03, seed=5)
    for number, (_, _, data) in enumerate(G.edges(data=True)):
        data["weight"] = 1.0 + number % 3
    return nx.relabel_nodes(G, "v{}".format)


@pytest.mark.parametrize("function", [LOUVAIN, LEIDEN])
@pytest.mark.parametrize("weight", ["weight", None])
def test_communities_are_as_good_as_networkx(blocks, function, weight):
    found = function(blocks, weight=weight, backend="clew")
    best = nx.community.modularity(blocks, LOUVAIN(blocks, weight=weight, seed=1), weight)
    assert nx.community.modularity(blocks, found, weight) >= best - 0.01


@pytest.mark.parametrize("options", [{}, {"weight": None}, {"resolution": 2.0}, {"threshold": 0.2}], ids=str)
@pytest.mark.parametrize("multigraph", [False, True])
def test_louvain_has_networkx_communities_for_a_seed(blocks, options, multigraph):
    G = nx.MultiGraph([*blocks.edges(data=True), ("v3", "v3", {"weight": 2.0})]) if multigraph else blocks
    for seed in range(3):
        ours, theirs = (
            list(nx.community.louvain_partitions(G, seed=seed, backend=backend, **options))
            for backend in ("clew", "networkx")
        )
        assert ours == theirs
        assert len(theirs) >= 1


def test_leiden_has_the_same_communities_again_for_a_seed(blocks):
    assert LEIDEN(blocks, seed=7, backend="clew") == LEIDEN(blocks, seed=7, backend="clew")


def test_leiden_communities_are_connected(blocks):
    for partition in nx.community.leiden_partitions(blocks, seed=2, backend="clew"):
        assert nx.community.is_partition(blocks, partition)
        assert all(nx.is_connected(blocks.subgraph(nodes)) for nodes in partition)


@pytest.mark.parametrize("name", ["louvain", "leiden"])
def test_no_level_is_worse_than_the_one_before(blocks, name):
    levels = list(getattr(nx.community, f"{name}_partitions")(blocks, backend="clew"))
    quality = [nx.community.modularity(blocks, level) for level in levels]
    assert quality == pytest.approx(sorted(quality))
    assert [len(level) for level in levels] == sorted((len(level) for level in levels), reverse=True)
    first = LEIDEN(blocks, seed=3, max_level=1, backend="clew")
    assert first == next(nx.community.leiden_partitions(blocks, seed=3, backend="clew"))


@pytest.mark.parametrize("function", [LOUVAIN, LEIDEN])
def test_a_graph_without_edges_has_a_community_for_every_node(function):
    assert function(nx.empty_graph(3), backend="clew") == [{0}, {1}, {2}]
    with pytest.raises(ValueError, match="max_level"):
        function(nx.path_graph(3), max_level=0, backend="clew")
    with pytest.raises((NotImplementedError, nx.NetworkXNotImplemented)):
        function(nx.path_graph(3, nx.DiGraph), backend="clew")
