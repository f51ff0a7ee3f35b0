"""Plans on a cluster: bytes as they are sent and stored, and refusals with numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import clew
from clew.engines.cluster.member import Member
from clew.engines.cluster.share import build_share
from clew.plan import cluster
from tests.cluster.team import mesh, together

GRAPH = clew.generate.rmat(11, edge_factor=12, seed=5)


def measured(members: int, graph: clew.Graph, **options: Any) -> tuple[float, int]:
    """The bytes that all members send in a round of PageRank, and the arcs of the largest block."""
    source = np.repeat(np.arange(graph.num_vertices), np.diff(graph.indptr))
    cuts = np.linspace(0, source.size, members + 1).astype(int)

    def work(transport: Any) -> tuple[list[int], int]:
        mine = slice(cuts[transport.rank], cuts[transport.rank + 1])
        ends = source[mine], graph.indices[mine].astype(np.int64)
        share = build_share(Member(transport), *ends, None, graph.num_vertices, directed=graph.directed)
        sent = []
        for rounds in (1, 11):
            before = transport.bytes_sent
            clew.pagerank(share, tolerance=0, max_iterations=rounds, **options)
            sent.append(transport.bytes_sent - before)
        return sent, share.block.num_arcs

    done = together(work, mesh(members))
    return sum(sent[1] - sent[0] for sent, _ in done) / 10, max(arcs for _, arcs in done)


@pytest.mark.parametrize("workers", [4, 6])
def test_bytes_of_a_superstep_and_of_a_block_are_those_of_a_run(workers: int) -> None:
    plan = clew.explain(GRAPH, "pagerank", workers=workers)
    sent, arcs = measured(workers, GRAPH)
    grid = cluster.Grid(workers)
    foreseen = 8 * sum(cluster.values_sent(*cluster._degree_counts(GRAPH), grid))
    assert sent == pytest.approx(foreseen, rel=0.1)
    edges = next(share.bytes for share in plan.memory if share.what == "edges")
    assert edges == pytest.approx(4 * arcs, rel=0.15)
    assert plan.engine == "cluster"
    assert plan.expected is not None
    assert plan.expected.low <= plan.expected.likely <= plan.expected.high


@pytest.mark.quick
def test_a_forecast_says_the_grid_and_the_superstep() -> None:
    text = clew.explain(GRAPH, clew.bfs, source=0, workers=6).text()
    for words in ("2 × 3", "6 workers", "a worker talks to 3 of 5 others", "ids or a bitmap", "per worker", "in all"):
        assert words in text
    plan = clew.explain(GRAPH, "bfs", source=0, workers=6)
    assert plan.to_dict()["tiers"][0]["name"] == "a worker"
    with pytest.raises(clew.ClewError, match="this plan is a forecast"):
        plan.run()
    with pytest.raises(clew.GraphError, match="workers"):
        clew.explain(GRAPH, "bfs", source=0, workers=0)


@pytest.mark.quick
def test_what_does_not_fit_is_refused_with_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "available_bytes", lambda: 10_000)
    plan = clew.explain(GRAPH, "pagerank", workers=4)
    assert plan.expected is None
    assert "bytes on every worker, and 10,000 are free. Use about" in str(plan.missing)
    assert "does not run on a cluster: a depth-first" in str(
        clew.explain(GRAPH, "dfs_order", source=0, workers=4).missing
    )
