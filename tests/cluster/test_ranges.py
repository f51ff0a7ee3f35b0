"""Graphs in ranges: every algorithm gives the same answers there, and ranges are chosen where they cut few edges."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import clew
from clew.algorithms.registry import ALGORITHMS
from clew.distributed import locality
from clew.engines.cluster.member import Member
from clew.engines.cluster.partition import AsNumbered, Listed, Order
from clew.engines.cluster.ranges import in_blocks, in_ranges
from clew.engines.cluster.share import Share, build_share
from clew.engines.cluster.transport import Sockets
from clew.testing import verify
from tests.cluster.team import mesh, on_team, together
from tests.cluster.test_answers import DISTRIBUTED, compare, graphs_for, largest

SEARCHES = ("bfs", "sssp", "sswp")
RANGE_FORMS = (*SEARCHES, "connected_components")


def shuffled(graph: clew.Graph) -> Order:
    return Listed(np.random.default_rng(1).permutation(graph.num_vertices).astype(np.int32))


@pytest.mark.parametrize("name", RANGE_FORMS)
def test_contract_graphs(name: str) -> None:
    """Ranges of the ids and of any other order, on every number of members."""
    graphs = graphs_for(name)
    for label, graph in graphs:
        compare(name, label, graph, 4, in_ranges)
    label, graph = largest(graphs)
    for members in (1, 2, 6, 9):
        compare(name, label, graph, members, lambda share: in_ranges(share, shuffled(graph)))


@pytest.mark.parametrize("name", SEARCHES)
@pytest.mark.parametrize("layout", [in_ranges, lambda share: share], ids=["ranges", "blocks"])
def test_any_parents_are_valid(name: str, layout: object) -> None:
    """Without ``deterministic``, parents are those that were found first. Directed, reversed, and with weights of 0."""
    graph = clew.generate.rmat(8, edge_factor=4, seed=3)
    graph = clew.generate.random_weights(graph, 0, 3, seed=2, dtype=np.uint8)
    for members in (2, 4, 6):
        for source in (0, 77):
            found = on_team(members, graph, name, {"source": source}, layout)
            verify(ALGORITHMS[name], graph, found, {"source": source})
        back = on_team(members, graph, name, {"source": 77}, lambda share: layout(share).reversed())
        verify(ALGORITHMS[name], graph.reversed(), back, {"source": 77})


@pytest.mark.parametrize("name", [name for name in DISTRIBUTED if name not in RANGE_FORMS])
def test_other_algorithms(name: str) -> None:
    label, graph = largest(graphs_for(name))
    compare(name, label, graph, 4, lambda share: in_ranges(share, shuffled(graph)))


GRID = clew.generate.grid(40, 40)


def one_way(length: int) -> clew.Graph:
    """A long ladder in a random order, whose rails have one direction each and whose rungs have both."""
    at = np.arange(length - 1)
    ends = np.concatenate(
        [[2 * at, 2 * at + 2], [2 * at + 3, 2 * at + 1], [2 * at, 2 * at + 1], [2 * at + 1, 2 * at]], 1
    )
    graph = clew.Graph.from_edges(*ends, num_vertices=2 * length)
    return graph.relabeled(np.random.default_rng(3).permutation(2 * length))


@pytest.mark.parametrize(
    ("graph", "order"),
    [
        (clew.generate.path(2000), AsNumbered),
        (clew.generate.path(2000).relabeled(np.random.default_rng(2).permutation(2000)), Listed),
        (clew.generate.rmat(9, seed=1), type(None)),
        (clew.generate.star(2000), type(None)),
        (clew.generate.path(1999, directed=True).relabeled(np.random.default_rng(2).permutation(1999)), Listed),
        (one_way(2000), Listed),
        (clew.generate.rmat(9, edge_factor=2, seed=1), type(None)),
        (clew.Graph.from_edges(np.zeros(1998, np.int64), np.arange(1, 1999)), type(None)),
    ],
    ids=["path", "shuffled path", "rmat", "star", "directed path", "one-way roads", "sparse rmat", "directed star"],
)
def test_ranges_are_chosen_by_the_cut(graph: clew.Graph, order: type, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locality, "SMALLEST", 1)
    chosen = []

    def layout(share: Share) -> Share:
        share = locality.by_locality(share)
        chosen.append(type(share.partition.order))
        return share

    found = on_team(4, graph, "bfs", {"source": 5, "deterministic": True}, layout)
    assert chosen == [order] * 4
    expected = clew.bfs(graph, 5, deterministic=True)
    assert np.array_equal(found.depth, expected.depth)
    assert np.array_equal(found.parent, expected.parent)
    assert found.num_reached == expected.num_reached
    assert found.iterations == expected.iterations


def exchanges_of(graph: clew.Graph, work: Callable[[Share], None], order: Order | None = None) -> int:
    """The most exchanges of one of four members."""
    source, target = np.repeat(np.arange(graph.num_vertices), np.diff(graph.indptr)), graph.indices.astype(np.int64)

    def exchanges(transport: Sockets) -> int:
        mine = slice(None) if transport.rank == 0 else slice(0)
        whole = build_share(Member(transport), source[mine], target[mine], None, graph.num_vertices, directed=False)
        share = in_ranges(whole, order)
        before = int(transport.notes[1])
        work(share)
        return int(transport.notes[1]) - before

    return max(together(exchanges, mesh(4)))


def test_long_searches_exchange_a_few_times() -> None:
    """The search has 2,000 levels."""

    def search(share: Share) -> None:
        assert clew.bfs(share, 0).iterations == 2000

    assert exchanges_of(clew.generate.path(2000), search) < 20


@pytest.mark.parametrize("length", [1, 2, 3, 40])
def test_components_that_cross_all_ranges_need_few_exchanges(length: int) -> None:
    """Paths in a random order: most edges are cut, and the trees of a range join in long chains."""
    target = np.arange(2000)
    source = target - (target % length > 0)
    graph = clew.Graph.from_edges(source, target, num_vertices=2000, directed=False)

    def components(share: Share) -> None:
        found = clew.connected_components(share)
        assert np.array_equal(found.label, share.ids // length * length)
        assert found.count == -(-2000 // length)
        assert found.largest == length

    assert exchanges_of(graph, components, shuffled(graph)) < 12


@pytest.mark.parametrize("backwards", [False, True])
def test_components_of_directed_ranges(backwards: bool) -> None:
    """Edges count in both directions, and are stored in one."""
    graph = clew.generate.rmat(9, edge_factor=1, seed=4)
    expected = clew.connected_components(graph)
    layout = (lambda share: in_ranges(share).reversed()) if backwards else in_ranges
    found = on_team(4, graph, "connected_components", {}, layout)
    assert np.array_equal(found.label, expected.label)
    assert np.array_equal(found.sizes, expected.sizes)


def test_back_to_blocks() -> None:
    """Edges, weights and facts are the same after both ways."""
    graph = clew.generate.random_weights(GRID, 1, 9, seed=1)
    expected = clew.sssp(graph, 3, deterministic=True)
    options = {"source": 3, "deterministic": True}
    found = on_team(4, graph, "sssp", options, lambda share: in_blocks(in_ranges(share, shuffled(graph))))
    assert np.array_equal(found.distance, expected.distance)
    assert np.array_equal(found.parent, expected.parent)
