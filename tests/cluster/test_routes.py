"""Members agree once on the values that blocks need; steps then send these values and nothing else."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import clew
from clew import threads
from clew.engines.cluster import overlap
from clew.engines.cluster.kernels_superstep import HEAD
from clew.engines.cluster.member import Member
from clew.engines.cluster.share import Share
from tests.cluster.team import mesh, run_on_team

GRAPH = clew.generate.random_weights(clew.generate.rmat(8, edge_factor=6, seed=3), 1, 9, seed=4)
OPTIONS: list[dict[str, Any]] = [
    {"weighted": True},
    {"dtype": "float32"},
    {"personalization": {3: 1.0, 200: 2.0}},
    {"start": np.arange(256.0)},
    {"tolerance": 0, "max_iterations": 3, "damping": 0.5},
]


@pytest.mark.parametrize("options", OPTIONS)
def test_pagerank_takes_all_options(options: dict[str, Any]) -> None:
    expected = clew.pagerank(GRAPH, **options)
    found = run_on_team(6, GRAPH, lambda share: clew.pagerank(share, **options))
    single = options.get("dtype") == "float32"
    assert found.rank.dtype == expected.rank.dtype
    assert np.allclose(found.rank, expected.rank, rtol=1e-5 if single else 1e-12, atol=1e-9 if single else 1e-15)
    assert found.iterations == expected.iterations


def test_members_that_lost_their_connections_while_they_agreed_agree_again() -> None:
    """One of them has the lists, and the others do not."""
    graph = clew.generate.rmat(6, edge_factor=4, seed=1)

    def run(share: Any) -> clew.Result:
        share.routes(transpose=False)
        if share.member.rank:
            share._routes.clear()
        share.connect(Member(connected[share.member.rank]))
        return clew.connected_components(share)

    connected = mesh(4)
    assert np.array_equal(run_on_team(4, graph, run).label, clew.connected_components(graph).label)


def test_lists_that_were_freed_are_made_again_from_bits() -> None:
    def run(share: Any) -> clew.Result:
        first = clew.pagerank(share)
        rows, routes = share.routes(transpose=True)
        for _ in range(2):
            assert np.array_equal(np.concatenate(routes.needed), np.unique(rows.indices))
            for places, bits in zip(routes.due, routes.numbering.owned[0], strict=True):
                assert np.array_equal(places, np.flatnonzero(np.unpackbits(bits.view(np.uint8), bitorder="little")))
            routes.rest()
            assert not {"needed", "due"} & routes.__dict__.keys()
        again: clew.Result = clew.pagerank(share)
        assert np.array_equal(first.rank, again.rank)
        return again

    assert np.allclose(run_on_team(6, GRAPH, run).rank, clew.pagerank(GRAPH).rank, rtol=1e-12)


def test_the_same_grid_gives_the_same_bits() -> None:
    once, again = (run_on_team(6, GRAPH, clew.pagerank).rank for _ in range(2))
    assert np.array_equal(once, again)


@pytest.mark.parametrize("members", [1, 4, 6])
@pytest.mark.parametrize("count", [1, 3])
def test_messages_in_parts_give_the_same_ranks(members: int, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some parts have no rows and no vertices. Sums of changes have another order, so ranks differ a little."""
    threads.set_count(count)
    try:
        for options in ({"dtype": "float32"}, {"weighted": True}):
            whole = run_on_team(members, GRAPH, lambda share, given=options: clew.pagerank(share, **given)).rank
            monkeypatch.setattr(overlap, "PART", 8)
            parts = [
                run_on_team(members, GRAPH, lambda share, given=options: clew.pagerank(share, **given)).rank
                for _ in range(2)
            ]
            monkeypatch.undo()
            assert np.array_equal(*parts)
            assert np.allclose(parts[0], whole, rtol=1e-6 if "dtype" in options else 1e-13)
    finally:
        threads.set_count(None)


@pytest.mark.parametrize("members", [4, 6])
def test_a_step_sends_the_values_that_blocks_need(members: int) -> None:
    """The count is of edges alone: the columns and rows of every block, but for those of the member's own segment."""

    def work(share: Share) -> clew.Result:
        clew.pagerank(share, max_iterations=1)  # agrees on the lists
        sent = []
        for steps in (1, 6):
            before = share.member.transport.bytes_sent
            clew.pagerank(share, tolerance=0, max_iterations=steps)
            sent.append(share.member.transport.bytes_sent - before)
        rows, row_axis, column_axis = share.oriented(transpose=True)
        needed = _elsewhere(share, np.unique(rows.indices), column_axis)
        sums = _elsewhere(share, np.flatnonzero(rows.degrees()), row_axis)
        received = share.member.all_reduce(np.array([needed, sums]), np.add)
        total = int(share.member.all_reduce(np.int64(sent[1] - sent[0]), np.add))
        return clew.Result("sent", {}, facts={"sent": total / 5, "least": 8 * int(received.sum())})

    found = run_on_team(members, GRAPH, work)
    reductions = 16 * members * sum(len(group) - 1 for group in _groups(members))
    assert found.sent == found.least + reductions


def test_a_search_sends_few_bytes() -> None:
    """On a grid of 4 by 4, parents included: at most 1.5 bytes a vertex, and the heads of messages."""
    graph = clew.generate.kronecker(14, seed=1)
    source = int(np.argmax(graph.degrees()))

    def work(share: Share) -> clew.Result:
        clew.bfs(share, source)  # agrees on the lists
        before = share.member.sockets.notes[:2].copy()
        clew.bfs(share, source)
        sent, exchanges = share.member.sockets.notes[:2] - before
        total = int(share.member.all_reduce(np.int64(sent - 3 * HEAD * exchanges), np.add))
        return clew.Result("sent", {}, facts={"sent": total})

    assert run_on_team(16, graph, work).sent < 1.5 * graph.num_vertices


def _elsewhere(share: Share, places: np.ndarray, axis: str) -> int:
    """How many of some places of a block other members own."""
    group, segment = share.member.groups[axis], share.partition.segment
    bounds = np.searchsorted(places, np.arange(len(group) + 1) * segment)
    return sum(
        int(high - low) for rank, (low, high) in zip(group, pairwise(bounds), strict=True) if rank != share.member.rank
    )


def _groups(members: int) -> tuple[list[int], list[int]]:
    from clew.engines.cluster.partition import Grid

    return Grid(members).row_of(0), Grid(members).column_of(0)
