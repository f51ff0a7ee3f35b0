"""Blocks are rectangles of even size, with offsets of 32 bits where they are large, and give the same answers."""

from __future__ import annotations

import numpy as np
import pytest

import clew
from clew.engines.cluster import share as shares
from clew.engines.cluster.partition import Grid, Partition
from examples import vertex_programs as examples
from tests.cluster.team import run_on_team

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
