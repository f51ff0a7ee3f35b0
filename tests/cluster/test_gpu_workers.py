"""Members with a GPU each give the answers of one machine; the GPU is emulated."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import clew
from clew.engines.hybrid.row_product import RowProduct
from clew.errors import OperatorError
from examples import vertex_programs as examples
from tests.cluster.conftest import change_workers
from tests.cluster.team import run_on_team

GRAPH = clew.generate.random_weights(clew.generate.rmat(6, edge_factor=4, seed=2), 1, 9, seed=3)


@pytest.mark.parametrize("members", [1, 2, 4, 6])
@pytest.mark.parametrize(
    ("name", "options"),
    [("bfs", {"source": 1, "deterministic": True}), ("pagerank", {"max_iterations": 5}), ("sssp", {"source": 1})],
)
def test_blocks_on_gpus_give_the_answers_of_one_machine(name: str, options: dict[str, Any], members: int) -> None:
    call = getattr(clew, name)
    expected = call(GRAPH, **options)
    found = run_on_team(members, GRAPH, lambda share: call(share, **options, device="emulated"))
    for column, values in expected.values.items():
        if name == "sssp" and column == "parent":
            continue  # several are valid
        assert np.allclose(values, found.values[column], rtol=1e-12), column


def test_auto_takes_the_device_of_the_member() -> None:
    """A worker that was started with a GPU runs the generic form on it, and the products."""
    x = np.arange(GRAPH.num_vertices, dtype=np.float64)

    def work(share: Any) -> clew.Result:
        share.member.device = "emulated"
        assert np.allclose(clew.spmv(share, x), clew.spmv(GRAPH, x))
        found, sums = clew.spmspv(share, ([1, 5], [1.0, 2.0]), clew.semirings.min_plus)
        there, expected = clew.spmspv(GRAPH, ([1, 5], [1.0, 2.0]), clew.semirings.min_plus)
        assert np.array_equal(found, there)
        assert np.array_equal(sums, expected)
        assert clew.random_walks(share, [3], seed=2).algorithm == "random_walks"  # on its CPU, where walks run
        with pytest.raises(clew.GraphError, match="random_walks does not run on the GPUs of a cluster"):
            clew.random_walks(share, [3], device="emulated")
        return clew.connected_components(share)

    assert run_on_team(4, GRAPH, work).count == clew.connected_components(GRAPH).count


def test_actors_with_a_gpu_each(shared_ray: Any) -> None:
    """Ray believes that this machine has two GPUs, and gives every worker one. The workers emulate it."""
    shared_ray.close()
    with clew.cluster(workers=2, gpus=True) as cluster:
        workers = cluster._open()
        calls = [actor.__ray_call__.remote(lambda _: __import__("ray").get_gpu_ids()) for actor in workers.actors]
        assert sorted(cluster._ray.get(calls)) == [[0], [1]]
        change_workers(cluster, _device="emulated")
        workers.broken = True  # connected again, they take that device
        spread = GRAPH.spread()
        assert np.array_equal(clew.bfs(spread, 1).depth, clew.bfs(GRAPH, 1).depth)
        assert np.allclose(clew.pagerank(spread).rank, clew.pagerank(GRAPH).rank, rtol=1e-12)


def test_other_weights_on_the_same_edges_are_other_weights() -> None:
    x = np.ones(GRAPH.num_vertices)

    def work(share: Any) -> clew.Result:
        share.member.device = "emulated"
        before = clew.spmv(share, x)
        doubled = share.with_weights(2 * share.block.weights)
        assert np.allclose(clew.spmv(doubled, x), 2 * before)
        return clew.connected_components(share)

    run_on_team(2, GRAPH, work)


PROGRAMS = {
    "bfs": (lambda: examples.BreadthFirst(3), {"push", "pull"}),
    "paths": (lambda: examples.ShortestPaths(3), {"push"}),
    "pagerank": (examples.PageRank, {"pull"}),
}


@pytest.mark.parametrize("members", [1, 6])
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_on_gpus_compute_what_they_do_on_one_machine(
    name: str, members: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    make, steps = PROGRAMS[name]
    products = []
    for step in ("push", "pull"):
        plain = getattr(RowProduct, step)
        monkeypatch.setattr(
            RowProduct, step, lambda *given, of=plain, step=step: (products.append(step), of(*given))[1]
        )
    expected = clew.run(make(), GRAPH, device="cpu")
    found = run_on_team(members, GRAPH, lambda share: clew.run(make(), share, device="emulated"))
    for field, values in expected.values.items():
        assert np.allclose(values, found.values[field], rtol=1e-12, equal_nan=True), field
    assert found.iterations == expected.iterations
    assert set(products) == steps


def test_programs_that_no_gpu_can_run_stay_on_cpus_unless_asked_for_a_gpu() -> None:
    def work(share: Any) -> clew.Result:
        with pytest.raises(OperatorError, match="sees all messages of a vertex at once"):
            clew.run(examples.LabelPropagation(), share, device="emulated")
        share.member.device = "emulated"
        return clew.run(examples.LabelPropagation(), share)

    expected = clew.run(examples.LabelPropagation(), GRAPH, device="cpu")
    assert np.array_equal(run_on_team(2, GRAPH, work).label, expected.label)
