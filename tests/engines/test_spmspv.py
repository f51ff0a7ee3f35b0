"""Matrix times sparse vector: every way of merging against the reference and against the dense product."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

import clew
from clew import GraphError, semirings
from tests.algorithms.graphs import thread_count
from tests.engines.inputs import ENGINES, LARGE, SEMIRINGS, cases, examples, large, numbers

pytestmark = pytest.mark.parametrize("engine", ENGINES)
MERGES = ("auto", "none", "merge", "radix")


def frontier_of(graph, rng, dtype, share=0.4):
    active = np.flatnonzero(rng.random(graph.num_vertices) < share)
    return rng.permutation(active), numbers(rng, dtype, active.size)


@pytest.mark.parametrize(("name", "dtype"), [("min_plus", "int32"), ("plus_times", "float64"), ("or_and", "bool")])
def test_small_graphs(engine, name, dtype):
    """With weights and without for the first; sums without weights are in test_large_graphs, against spmv."""

    @examples(engine, 20)
    @given(cases(dtype, weights=None if name == "min_plus" else True))
    def agree(case):
        graph, rng = case
        frontier = frontier_of(graph, rng, dtype)
        mask = rng.random(graph.num_vertices) < 0.5
        for options in ({}, {"mask": mask}, {"mask": mask, "complement": True}, {"transpose": True}):
            expected = clew.spmspv(graph, frontier, SEMIRINGS[name], device="reference", **options)
            for merge in MERGES:
                found = clew.spmspv(graph, frontier, SEMIRINGS[name], merge=merge, device=engine, **options)
                for ours, theirs in zip(found, expected, strict=True):
                    assert ours.dtype == theirs.dtype
                    np.testing.assert_array_equal(ours, theirs)

    agree()


@pytest.mark.parametrize("share", [0.0, 0.001, 0.1, 1.0])
@pytest.mark.parametrize("name", LARGE)
def test_large_graphs(engine, name, share):
    graph, rng = large(engine, name), np.random.default_rng(7)
    active = np.flatnonzero(rng.random(graph.num_vertices) < share)
    values = rng.random(active.size)
    x = np.zeros(graph.num_vertices)
    x[active] = values
    dense = clew.spmv(graph, x, transpose=True, device=engine)
    found = [clew.spmspv(graph, (active, values), merge=merge, device=engine) for merge in MERGES]
    for vertices, sums in found:
        np.testing.assert_array_equal(vertices, found[0][0])
        # A GPU adds to a dense vector as products come, so that only sorted ones are the same to the last bit.
        np.testing.assert_allclose(sums, found[0][1], rtol=0 if engine == "cpu" else 1e-14)
        np.testing.assert_allclose(sums, dense[vertices], rtol=1e-12)
    np.testing.assert_array_equal(found[2][1], found[3][1])
    assert found[0][0].size == np.count_nonzero(dense)


@pytest.mark.parametrize("merge", MERGES)
def test_the_same_bits_for_every_number_of_threads(engine, merge):
    if engine != "cpu":
        pytest.skip("the number of threads is the CPU engine's")
    rng = np.random.default_rng(9)
    graph = large(engine, "kronecker")
    graph = clew.Graph.from_csr(graph.indptr, graph.indices, rng.random(graph.num_arcs))
    active = np.flatnonzero(rng.random(graph.num_vertices) < 0.8)
    values, mask = rng.random(active.size), rng.random(graph.num_vertices) < 0.5
    for options in ({}, {"mask": mask}):
        found = []
        for count in (1, 2, 5):
            with thread_count(count):
                found.append(clew.spmspv(graph, (active, values), merge=merge, device=engine, **options))
        for vertices, sums in found:
            np.testing.assert_array_equal(vertices, found[0][0])
            np.testing.assert_array_equal(sums, found[0][1])


@pytest.mark.quick
def test_breadth_first_search_in_four_lines(engine):
    graph = clew.generate.kronecker(9, seed=1)
    source = int(np.argmax(graph.degrees()))
    depth = np.full(graph.num_vertices, -1)
    frontier, level = np.array([source]), 0
    while frontier.size:
        depth[frontier] = level
        values = np.ones(frontier.size, dtype=bool)
        frontier, _ = clew.spmspv(graph, (frontier, values), semirings.or_and, mask=depth < 0, device=engine)
        level += 1
    np.testing.assert_array_equal(depth, clew.bfs(graph, source).depth)


@pytest.mark.quick
@pytest.mark.parametrize(
    ("frontier", "options", "message"),
    [
        ([0, 1, 2], {}, "the frontier is not a pair"),
        (([0, 1], [1.0]), {}, "2 active vertices and 1 values"),
        (([0, 9], [1.0, 2.0]), {}, "active vertices must be integers from 0 to 2"),
        (([0.5], [1.0]), {}, "active vertices must be integers"),
        (([1, 1], [1.0, 2.0]), {}, "listed twice"),
        (([1], [1.0]), {"merge": "bubble"}, "merge is 'bubble'"),
    ],
)
def test_errors(engine, frontier, options, message):
    with pytest.raises(GraphError, match=message):
        clew.spmspv(clew.generate.path(3), frontier, device=engine, **options)
