"""Workers on a Ray cluster of this machine: started, used as a user would, interrupted, and stopped."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

import numpy as np
import pytest

import clew

pytest.importorskip("ray", reason="Ray is not installed")

NAMED = clew.Graph.from_edges(list("abcdeafg"), list("bcdeaffa"), np.arange(8) + 1.0)


@pytest.fixture
def graph(cluster: clew.distributed.Cluster) -> clew.Graph:
    return clew.generate.random_weights(clew.generate.rmat(9, edge_factor=8, seed=1), 1, 9, seed=2)


def test_algorithms_find_what_they_find_on_one_machine(graph: clew.Graph) -> None:
    spread = graph.spread()
    assert (spread.num_vertices, spread.num_edges, spread.directed) == (graph.num_vertices, graph.num_edges, True)
    assert "on 4 workers (2 × 2)" in repr(spread)
    found, expected = clew.bfs(spread, 3, deterministic=True), clew.bfs(graph, 3, deterministic=True)
    assert np.array_equal(found.depth, expected.depth)
    assert np.array_equal(found.parent, expected.parent)
    assert found.num_reached == expected.num_reached
    ranks, best = clew.pagerank(spread), clew.pagerank(graph)
    assert np.allclose(ranks.rank, best.rank, rtol=1e-12)
    assert [name for name, _ in ranks.top(5)] == [name for name, _ in best.top(5)]
    paths = clew.sssp(spread, source=3)
    assert np.array_equal(paths.distance, clew.sssp(graph, 3).distance)
    assert paths.of(5) == clew.sssp(graph, 3).of(5)


def test_products_and_programs_take_the_graph_as_it_is(graph: clew.Graph) -> None:
    from examples.vertex_programs import ShortestPaths

    spread = graph.spread()
    x = np.arange(graph.num_vertices, dtype=np.float64)
    assert np.allclose(clew.spmv(spread, x), clew.spmv(graph, x), rtol=1e-12)
    for one, other in zip(
        clew.spmspv(spread, ([3, 9], [1.0, 2.0]), clew.semirings.min_plus),
        clew.spmspv(graph, ([3, 9], [1.0, 2.0]), clew.semirings.min_plus),
        strict=True,
    ):
        assert np.array_equal(one, other)
    found = clew.run(ShortestPaths(3), spread)
    assert np.array_equal(found.distance, clew.run(ShortestPaths(3), graph, device="cpu").distance)


def test_products_with_columns_gather_nothing(cluster: clew.distributed.Cluster, graph: clew.Graph) -> None:
    """Two products in a row, one after a worker is lost, and the columns that they refuse."""
    spread = graph.spread()
    ranks, expected = clew.pagerank(spread), clew.pagerank(graph).rank
    once = clew.spmv(spread, ranks.column("rank"), transpose=True)
    os.kill(cluster.workers[3]["pid"], signal.SIGKILL)
    twice = clew.spmv(spread.reversed(), once, clew.semirings.max_second)
    first = clew.spmv(graph, expected, transpose=True)
    second = clew.spmv(graph.reversed(), first, clew.semirings.max_second)
    assert [v for v, _ in ranks.top(1, "rank")] == [int(expected.argmax())]
    assert not ranks.values._gathered
    assert not once.result.values._gathered
    assert np.allclose(once, first, rtol=1e-9)
    assert np.allclose(np.asarray(twice), second, rtol=1e-9)
    assert len(twice) == graph.num_vertices
    assert [v for v, _ in twice.result.top(1)] == [int(second.argmax())]
    with pytest.raises(clew.GraphError, match="there is no value 'score'; expected one of rank"):
        ranks.column("score")
    with pytest.raises(clew.GraphError, match="does not support mask"):
        clew.spmv(spread, once, mask=[1])
    with pytest.raises(clew.GraphError, match="has no number for each vertex of this graph, where"):
        clew.spmv(NAMED.spread(), once)


def test_workers_free_what_is_no_longer_used(cluster: clew.distributed.Cluster, graph: clew.Graph) -> None:
    spread = graph.spread()
    ranks = clew.pagerank(spread)
    key = ranks._key
    product = clew.spmv(spread, ranks.column("rank"))
    del ranks
    clew.bfs(spread, 0)
    assert key in cluster._recovery._recipes  # the product would be computed from it
    del product
    clew.bfs(spread, 0)
    clew.bfs(spread, 0)
    assert key not in cluster._recovery._recipes
    assert len([each for each in cluster._recovery._recipes if each > key]) == 1


def test_names_go_in_and_come_out(cluster: clew.distributed.Cluster, tmp_path: Path) -> None:
    spread = NAMED.spread()
    found, expected = clew.bfs(spread, "a", deterministic=True), clew.bfs(NAMED, "a", deterministic=True)
    assert found.to_dict() == expected.to_dict()
    assert found.top(3, "parent") == expected.top(3, "parent")
    assert found.of("d") == expected.of("d")
    assert found.of("d", "parent") == expected.of("d", "parent")
    assert spread.gather().to_networkx().edges == NAMED.to_networkx().edges
    found.write(tmp_path / "depths")
    import pyarrow.parquet as pq

    rows = {row["vertex"]: (row["depth"], row["parent"]) for row in pq.read_table(tmp_path / "depths").to_pylist()}
    assert rows == {name: (expected.of(name), expected.of(name, "parent")) for name in "abcdefg"}
    (tmp_path / "depths" / "part-00009.parquet").touch()  # of an earlier table, by more workers
    assert len(found.write(tmp_path / "depths")) == 4 == len(list((tmp_path / "depths").iterdir()))
    with pytest.raises(clew.GraphError, match="is not the folder of a result"):
        found.write(tmp_path)
    with pytest.raises(clew.GraphError, match="'nobody' is not a vertex"):
        clew.bfs(spread, "nobody")
    assert clew.bfs(spread, "b").num_reached == 6  # the workers are connected again
    similar, others = (clew.most_similar(each, k=2) for each in (spread, NAMED))
    assert [similar.of(name, "similar") for name in "abg"] == [others.of(name, "similar") for name in "abg"]
    assert np.array_equal(similar.score, others.score)
    assert len(similar.write(tmp_path / "similar")) == 4


def test_walks_stay_with_the_workers(cluster: clew.distributed.Cluster, graph: clew.Graph, tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    for one, sources in ((graph, np.arange(graph.num_vertices)), (NAMED, list("gab"))):
        found = clew.random_walks(one.spread(), sources, length=4, walks=2, seed=3)
        expected = clew.random_walks(one, sources, length=4, walks=2, seed=3)
        assert isinstance(found, clew.WalkResult)
        assert len(found) == len(expected)
        assert found.of(3) == expected.of(3)
        assert found.to_lists() == expected.to_lists()
        assert found.to_arrow() == expected.to_arrow()
        parts = [pq.read_table(path) for path in found.write(tmp_path / "walks")]
        assert len(parts) == 4
        assert [walk for part in parts for walk in part["walk"].to_pylist()] == expected.to_lists()
        with pytest.raises(clew.GraphError, match="the number of a walk is -1"):
            found.of(-1)
    assert "walk" in repr(clew.explain(graph.spread(), "random_walks", sources=[0]))


def test_values_of_edges_stay_with_the_workers(
    cluster: clew.distributed.Cluster, graph: clew.Graph, tmp_path: Path
) -> None:
    import pyarrow.parquet as pq

    named = clew.Graph.from_edges(list("abcdeafg"), list("bcdeaffa"), np.arange(8) % 3, directed=False)
    for one in (graph, NAMED, named):
        found, expected = (clew.minimum_spanning_forest(each) for each in (one.spread(), one))
        assert isinstance(found, clew.EdgeResult)
        assert (len(found), found.weight, found.trees) == (one.num_edges, expected.weight, expected.trees)
        pairs = [tuple(end.tolist()) for end in one.to_arrow().select(["source", "target"]).to_pandas().to_numpy().T]
        for pair in list(zip(*pairs, strict=True))[:3]:
            assert found.of(pair) == expected.of(pair)
        assert found.top(5) == expected.top(5)
        assert found.to_arrow().to_pylist() == expected.to_arrow().select(["source", "target", "member"]).to_pylist()
        table = pq.read_table(found.write(tmp_path / "forest"))
        assert sorted(table.to_pylist(), key=str) == sorted(found.to_arrow().to_pylist(), key=str)
        assert np.array_equal(found.member, expected.member)
    assert found.of(("b", "a")) == expected.of(("b", "a"))
    pairs = [("g", "a"), ("b", "e"), ("b", "g")]
    assert clew.similarity(named.spread(), pairs).to_dict() == clew.similarity(named, pairs).to_dict()
    with pytest.raises(clew.GraphError, match="no value for 'a' and 'c'"):
        found.of(("a", "c"))


def test_orders_and_condensations(cluster: clew.distributed.Cluster, graph: clew.Graph) -> None:
    for one in (graph, NAMED):
        found, expected = clew.condensation(one.spread()), clew.condensation(one)
        assert np.array_equal(found.component, expected.component)
        assert found.graph == expected.graph
        assert np.array_equal(found.sizes, expected.sizes)
    acyclic = expected.graph
    assert np.array_equal(clew.topological_order(acyclic.spread()).order, clew.topological_order(acyclic).order)


def test_samples_are_in_this_process(cluster: clew.distributed.Cluster, graph: clew.Graph, tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    for one, sources in ((graph, [3, 5, 7]), (NAMED, ["a", "g"])):
        found, expected = (clew.sample_neighbors(each, sources, fanouts=[3, 2]) for each in (one.spread(), one))
        assert isinstance(found, clew.EdgeResult)
        assert found.num_sampled_edges == expected.num_sampled_edges
        assert [ends.tolist() for ends in found.edges()] == [ends.tolist() for ends in expected.edges()]
        assert found.to_arrow() == expected.to_arrow()
        (path,) = found.write(tmp_path / "sample")
        assert pq.read_table(path) == expected.to_arrow()
        with pytest.raises(clew.GraphError, match="no value per vertex, only num_nodes"):
            found.of((3, 5))


def test_workers_read_files(cluster: clew.distributed.Cluster, tmp_path: Path) -> None:
    for k in range(5):
        (tmp_path / f"{k}.csv").write_text("".join(f"user{a},user{a * 7 % 50}\n" for a in range(k, 50, 5)))
    graph = clew.read(tmp_path / "*.csv", header=False)
    assert (graph.num_vertices, graph.num_edges) == (50, 50)
    whole = clew.Graph.from_edges(*zip(*[(f"user{a}", f"user{a * 7 % 50}") for a in range(50)], strict=True))
    found, expected = clew.bfs(graph, "user1").to_dict(), clew.bfs(whole, "user1").to_dict()
    assert found == expected
    with pytest.raises(clew.FormatError, match="no file has this name"):
        clew.read(tmp_path / "*.parquet")


def test_one_file_is_shared_and_written_in_tiles(cluster: clew.distributed.Cluster, tmp_path: Path) -> None:
    """One large file, a folder that the workers write and open again, and a graph that they draw."""
    whole = clew.generate.kronecker(14, edge_factor=24, seed=2)
    clew.write(whole, tmp_path / "edges.parquet")
    seen: list[tuple[int, int]] = []
    graph = clew.read(tmp_path / "edges.parquet", progress=lambda *step: seen.append(step))
    assert seen[-1] == ((tmp_path / "edges.parquet").stat().st_size,) * 2
    assert [step[0] for step in seen] == sorted(step[0] for step in seen)
    assert "Edges are undirected" in graph.report.decisions[0]
    assert clew.write(graph, tmp_path / "graph.clewd") == []
    with pytest.raises(clew.GraphError, match=r"such as graph\.clewd, not as .*\.csv"):
        clew.write(graph, tmp_path / "graph.csv")
    again = clew.read(tmp_path / "graph.clewd")
    drawn = cluster.generate.kronecker(14, edge_factor=24, seed=2)
    for each in (graph, again, drawn):
        assert (each.num_vertices, each.num_edges, each.directed) == (whole.num_vertices, whole.num_edges, False)
        assert each.gather() == whole
    assert drawn.report == whole.report
    spread = cluster.generate.grid(4, 5)
    assert spread.num_edges == clew.generate.grid(4, 5).num_edges
    with pytest.raises(clew.GraphError, match="scale is -1"):
        cluster.generate.rmat(-1)


def test_errors_of_any_worker_reach_the_caller_and_leave_the_cluster_usable(graph: clew.Graph) -> None:
    weights = graph.weights.astype(np.float64)
    weights[len(weights) // 2] = -1
    spread = graph.with_weights(weights).spread()
    with pytest.raises(clew.GraphError, match="sssp needs weights of 0 or more"):
        clew.sssp(spread, 0)
    with pytest.raises(clew.GraphError, match=r"dfs_order does not run on a cluster: .* from vertex to vertex"):
        clew.dfs_order(spread)
    with pytest.raises(clew.ClewError):  # there is no GPU, or the worker has none
        clew.bfs(spread, 0, device="cuda")
    with pytest.raises(clew.GraphError, match='on a cluster, use "auto", "cpu" or "cuda"'):
        clew.bfs(spread, 0, device="reference")
    assert clew.connected_components(spread).count == clew.connected_components(graph).count


def test_facts_of_a_graph_are_those_of_one_machine(graph: clew.Graph) -> None:
    for one in (graph, NAMED, graph.symmetrized(), clew.Graph.from_edges([], [], num_vertices=3)):
        there, here = one.spread(), one
        for spread, whole in ((there, here), (there.reversed(), here.reversed())):
            facts, expected = spread.describe().as_dict(), whole.describe().as_dict()
            apart = {"bytes": 0, "bytes_per_arc": 0, "report": 0}  # blocks are stored in another way
            assert {**facts, **apart} == {**expected, **apart}
            for direction in ("out", "in"):
                assert np.array_equal(spread.degrees(direction), whole.degrees(direction))
        assert there.symmetrized().num_edges == here.symmetrized().num_edges
        assert there.nbytes > 0
        assert there.spread() is there


def test_what_needs_one_process_says_so(graph: clew.Graph, tmp_path: Path) -> None:
    from examples.vertex_programs import BreadthFirst

    spread = graph.spread()
    for name in ("indptr", "neighbors", "subgraph", "to_networkx", "plot", "names"):
        with pytest.raises(clew.GraphError, match=rf"Use graph.gather\(\).{name}"):
            getattr(spread, name)
    assert not hasattr(spread, "names")
    with pytest.raises(AttributeError, match="a graph on a cluster has no 'nonsense'"):
        _ = spread.nonsense
    for call in (
        lambda: clew.generate.random_weights(spread, 1, 9),
        lambda: clew.spgemm(spread, spread),
        lambda: clew.report(spread, tmp_path / "g.html"),
    ):
        with pytest.raises(clew.GraphError, match=r"this one is on a cluster. Pass graph.gather\(\)"):
            call()
    with pytest.raises(clew.GraphError, match=r"is written as a folder of tiles, .*not as '.*g.clew'"):
        clew.write(spread, tmp_path / "g.clew")
    program = BreadthFirst(3)
    program.lock = threading.Lock()
    with pytest.raises(clew.GraphError, match=r"BreadthFirst cannot be sent to the workers: cannot pickle"):
        clew.run(program, spread)


def test_a_plan_is_for_the_workers_that_have_the_graph(graph: clew.Graph) -> None:
    plan = clew.explain(graph.spread(), clew.pagerank)
    assert (plan.engine, plan.graph.num_vertices) == ("cluster", graph.num_vertices)
    assert "2 × 2" in repr(plan)
    assert plan.tiers[0].free
    assert plan.run().iterations == plan.measured.iterations
    assert "Predicted and measured" in repr(plan)


def test_the_command_line_runs_on_workers(
    cluster: clew.distributed.Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from contextlib import nullcontext

    from clew.cli import cluster as commands
    from tests.cli import running

    monkeypatch.setattr(commands, "opened", lambda where, workers: nullcontext(cluster))
    for k in range(3):
        (tmp_path / f"{k}.csv").write_text("".join(f"user{a},user{a * 7 % 50}\n" for a in range(k, 50, 3)))
    where = [f"{tmp_path}/*.csv", "--cluster", "auto", "--no-header"]
    shown = ["--top", 3, "--verify", "--output", tmp_path / "ranks.parquet"]
    code, out, err = running.clew("run", "pagerank", *where, *shown)
    assert (code, err) == (running.OK, "")
    assert "verified" in out
    assert "Top 3 by rank" in out
    assert len(list((tmp_path / "ranks.parquet").glob("part-*.parquet"))) == 4
    assert running.clew("run", "bfs", *where, "--source", "user1")[0] == running.OK
    shown = ["--verify", "--output", tmp_path / "found.parquet"]
    code, out, err = running.clew("run", "random_walks", *where, "--source", "user1", *shown)
    assert (code, err) == (running.OK, "")
    assert "user1 → user7 → user49" in out
    code, out, err = running.clew("run", "similarity", *where, *shown[:1])
    assert (code, err) == (running.OK, "")
    assert "verified" in out
    code, out, _ = running.clew("explain", "pagerank", *where)
    assert code == running.OK
    assert "2 × 2" in out


def test_clusters_cannot_be_nested(cluster: clew.distributed.Cluster) -> None:
    with pytest.raises(clew.ClusterError, match="cannot be nested"):
        clew.cluster(workers=2)


def test_a_worker_that_dies_is_replaced_and_answers_stay_the_same(
    cluster: clew.distributed.Cluster, graph: clew.Graph
) -> None:
    """Between two calls and during one; results that were there are there again."""
    spread = graph.spread()
    before = clew.pagerank(spread, tolerance=0, max_iterations=20)
    first = before.rank
    walks, more = clew.random_walks(spread, range(99)), {"seed": 4}  # all workers have their own rows from now on
    os.kill(cluster.workers[2]["pid"], signal.SIGKILL)
    assert np.array_equal(clew.pagerank(spread, tolerance=0, max_iterations=20).rank, first)
    assert before.of(3) == first[3]  # asks the workers, one of which is new
    assert np.array_equal(walks.walk, clew.random_walks(graph, range(99)).walk)
    again = clew.random_walks(spread, range(99), **more)
    assert np.array_equal(again.walk, clew.random_walks(graph, range(99), **more).walk)
    replaced = cluster.num_replaced
    killer = threading.Timer(0.3, os.kill, (cluster.workers[1]["pid"], signal.SIGKILL))
    killer.start()
    found = clew.pagerank(spread, tolerance=0, max_iterations=500)
    killer.join()
    assert cluster.num_replaced > replaced
    assert np.array_equal(found.rank, clew.pagerank(spread, tolerance=0, max_iterations=500).rank)
    assert np.array_equal(clew.bfs(spread, 3).depth, clew.bfs(graph, 3).depth)
