"""Blocks are rectangles of even size, with offsets of 32 bits where they are large, and give the same answers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import clew
from clew.algorithms.pagerank import cluster as pagerank
from clew.engines.cluster import share as shares
from clew.engines.cluster.member import Member
from clew.engines.cluster.partition import Grid, Partition
from clew.engines.cluster.share import build_share
from clew.engines.cluster.transport import Sockets
from examples import vertex_programs as examples
from tests.cluster.team import mesh, run_on_team, together

GRAPH = clew.generate.random_weights(clew.generate.rmat(7, edge_factor=6, seed=3), 1, 9, seed=4)


def test_blocks_of_64_workers_have_about_as_many_edges() -> None:
    graph = clew.generate.kronecker(16, edge_factor=16, seed=1)
    source, target, _ = graph.edges()
    ends = np.concatenate([source, target]), np.concatenate([target, source])
    worker, row, column = Partition(graph.num_vertices, Grid(64)).edges(*ends)
    counts = np.bincount(worker, minlength=64)
    assert counts.max() <= 1.25 * counts.mean()  # 1.09 with 2^20 vertices: few hubs weigh more in a small graph
    assert row.max() < 2**13
    assert column.max() < 2**13


@pytest.mark.parametrize("members", [2, 6])
def test_wide_and_narrow_offsets_give_the_same(members: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def work(share: shares.Share) -> clew.Result:
        shape = share.partition.rows, share.partition.columns
        assert shape == (share.block.num_vertices, share.block.num_columns)
        assert shape[::-1] == (share.rows(transpose=True).num_vertices, share.rows(transpose=True).num_columns)
        assert share.block.indptr.dtype == share.rows(transpose=True).indptr.dtype == offsets
        ranks, label = clew.pagerank(share).rank, clew.connected_components(share).label
        distance = clew.run(examples.ShortestPaths(3), share).distance
        return clew.Result("all", {"rank": ranks, "label": label, "distance": distance})

    offsets = np.dtype(np.int64)
    wide = run_on_team(members, GRAPH, work)
    monkeypatch.setattr(shares, "NARROW_FROM", 0)
    offsets = np.dtype(np.int32)
    narrow = run_on_team(members, GRAPH, work)
    for name, values in wide.values.items():
        assert np.array_equal(values, narrow.values[name]), name


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("backwards", [False, True])
def test_edges_by_source_are_released_and_sorted_again(
    weighted: bool, backwards: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where there is no room for several copies, PageRank keeps those by target; the next search sorts them back.

    Without the weights, PageRank's second copy is small, and none is released.
    """
    graph = clew.generate.random_weights(clew.generate.rmat(8, edge_factor=6, seed=2), 1, 9, seed=3, dtype=np.uint8)
    source = np.repeat(np.arange(graph.num_vertices), np.diff(graph.indptr))
    monkeypatch.setattr(shares, "NARROW_FROM", 1)
    monkeypatch.setattr(shares, "check_available", lambda *_: None)

    def ranks(transport: Sockets) -> tuple[bytes, bool]:
        mine = slice(transport.rank, None, transport.size)
        ends = source[mine], graph.indices[mine].astype(np.int64)
        share = build_share(Member(transport), *ends, graph.weights[mine], graph.num_vertices)
        share = share.reversed() if backwards else share
        before, degrees = share.block, share.own_degrees()
        found = clew.pagerank(share, weighted=weighted).rank.tobytes()
        released = share._by_source is None
        assert np.array_equal(share.own_degrees(), degrees)
        assert share.weighted
        assert (share._by_source is None) == released
        after = share.block
        for name in ("indptr", "indices", "weights"):
            one, other = getattr(before, name), getattr(after, name)
            assert (one.dtype, one.tobytes()) == (other.dtype, other.tobytes())
        assert before.num_columns == after.num_columns
        light = not weighted and not backwards
        assert (share._in is None) == (released or light)  # one copy, as before
        assert not light or share.without_weights()._in.weights is None
        assert clew.bfs(share, 3).num_reached > 1
        return found, released

    expected = together(ranks, mesh(4))
    monkeypatch.setattr(shares, "available_bytes", lambda: 0)
    found = together(ranks, mesh(4))
    assert [each for each, _ in found] == [each for each, _ in expected]
    assert {released for _, released in expected} == {False}
    # Backwards, PageRank reads the edges by source.
    assert {released for _, released in found} == {weighted and not backwards}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("lacking", [False, True])
def test_edges_by_target_are_released_for_path_searches(
    weighted: bool, lacking: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where there is no room for several copies, a path search holds one: by source, with weights.

    PageRank by weights frees that one before it makes factors of the other's weights.
    """
    held = set()

    class Noting(pagerank.Sums):
        def __init__(self, edges: shares.Share, **options: Any) -> None:
            held.add(edges._by_source is not None)
            super().__init__(edges, **options)

    def work(share: shares.Share) -> clew.Result:
        before = clew.pagerank(share, weighted=weighted).rank
        paths = clew.sssp(share, 3)
        assert (share._in is None and share._without_weights is None) == lacking
        assert np.array_equal(clew.pagerank(share, weighted=weighted).rank, before)
        assert np.array_equal(clew.bfs(share, 3).reached, paths.reached)
        return clew.Result("all", {"rank": before, "distance": paths.distance})

    monkeypatch.setattr(pagerank, "Sums", Noting)
    monkeypatch.setattr(shares, "check_available", lambda *_: None)
    if lacking:
        monkeypatch.setattr(shares, "available_bytes", lambda: 0)
    found = run_on_team(4, GRAPH, work)
    assert held == {not (weighted and lacking)}
    assert np.array_equal(found.distance, clew.sssp(GRAPH, 3).distance)
    assert np.allclose(found.rank, clew.pagerank(GRAPH, weighted=weighted).rank, rtol=1e-12)
