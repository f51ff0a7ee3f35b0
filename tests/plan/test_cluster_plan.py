"""Plans on a cluster: bytes as they are sent and stored, and refusals with numbers."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import clew
from clew.algorithms import ALGORITHMS
from clew.distributed.graph import ClusterGraph
from clew.distributed.locality import by_locality
from clew.engines.cluster import own_rows
from clew.engines.cluster.member import Member
from clew.engines.cluster.ranges import Cut, cut_here
from clew.engines.cluster.share import build_share
from clew.plan import cluster
from tests.cluster.team import mesh, on_team, together

GRAPH = clew.generate.rmat(11, edge_factor=12, seed=5)
COPYING = [name for name, record in sorted(ALGORITHMS.items()) if record.declared("cluster", "COPIES", ())]


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


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("name", COPYING)
def test_copies_of_edges_are_those_that_a_run_makes(name: str, directed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every worker's copies of the edges of its own vertices, as they are made on four of them."""
    graph = clew.generate.random_weights(clew.generate.kronecker(7, seed=2), 1, 9, seed=3)
    if directed:
        graph = clew.Graph.from_edges(*graph.edges()[:2], graph.edges()[2], num_vertices=graph.num_vertices)
    more: dict[str, Any] = {"weighted": True} if "walks" in name or name == "sample_neighbors" else {}
    first: dict[str, Any] = {"sources": [0, 1]} if more else {}
    first |= {"fanouts": [2]} if name == "sample_neighbors" else {}
    made, gathered = [], own_rows._gathered

    def note(*args: Any, **options: Any) -> Any:
        rows = gathered(*args, **options)
        made.append(rows.nbytes)
        return rows

    monkeypatch.setattr(own_rows, "_gathered", note)
    on_team(4, graph, name, {**first, **more})
    plan = clew.explain(graph, name, workers=4, **first, **more)
    foreseen = next(share.bytes for share in plan.memory if share.what == "edges of own vertices")
    assert 4 * foreseen == pytest.approx(sum(made), rel=0.1)


def test_a_run_without_copies_of_edges_plans_none() -> None:
    plan = clew.explain(GRAPH, "pagerank", workers=4)
    assert not any(share.what in ("edges of own vertices", "edges by number") for share in plan.memory)


def test_a_graph_in_ranges_is_planned_as_it_is() -> None:
    """The cut is counted on the members, and their grid has one column."""
    road = clew.generate.grid(1500, 12)

    def cut(transport: Any) -> Any:
        mine = slice(transport.rank, None, transport.size)
        ends = [each[mine] for each in road.edges()[:2]]
        share = build_share(Member(transport), *ends, None, road.num_vertices, directed=False, symmetrize=True)
        return cut_here(by_locality(share)), cut_here(share)

    cuts = together(cut, mesh(4))
    assert all(hashed is None for _, hashed in cuts)
    facts = {"num_vertices": road.num_vertices, "num_arcs": road.num_arcs, "num_loops": 0, "directed": False}
    facts |= {"weights": None, "names": None, "report": road.report, "nbytes": 8}
    workers: Any = SimpleNamespace(
        grid=cluster.Grid(4),
        workers=[{"threads": 1}] * 4,
        free_bytes=lambda: [1 << 30] * 4,
        forget_later=lambda _: None,
        call=lambda *_: [(np.array([2, 3, 4]), np.array([4, 1000, 16996]), 0)],
    )
    graph = ClusterGraph(workers, 1, [{**facts, "cut": found} for found, _ in cuts])
    assert graph.has_ranges
    assert graph.cut == Cut(72, 72)  # three borders of 12 edges, in both directions
    plan = clew.explain(graph, "bfs", source=0)
    text = plan.text()
    for words in ("4 × 1", "ranges", "0.10% of the edges", "0.00 copies a vertex", "inside a range"):
        assert words in text, text
    assert "hashed" not in text
    blocks = clew.explain(road, "bfs", source=0, workers=4)
    assert "hashed, in two dimensions" in blocks.text()
    sent = [dict(each.parts)["bytes between workers"].likely for each in (plan, blocks)]
    assert sent[0] < sent[1] / 4
