"""Operators over vectors: every engine against NumPy and the reference."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

import clew
from clew import GraphError, monoids, operators
from tests.algorithms.graphs import thread_count
from tests.engines.inputs import ENGINES, cases, examples, numbers

pytestmark = pytest.mark.parametrize("engine", ENGINES)
OPERATORS = {name: value for name, value in vars(operators).items() if isinstance(value, clew.Operator)}
MONOIDS = {name: value for name, value in vars(monoids).items() if isinstance(value, clew.Monoid)}


@pytest.mark.parametrize("name", OPERATORS)
def test_every_operator(engine, name):
    rng = np.random.default_rng(1)
    u, v = numbers(rng, "int32", 300), numbers(rng, "int32", 300)
    found = clew.elementwise(OPERATORS[name], u, v, device=engine)
    expected = clew.elementwise(OPERATORS[name], u, v, device="reference")
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)
    pairs = clew.outer(OPERATORS[name], u[:20], v[:30], device=engine)
    np.testing.assert_array_equal(pairs, clew.outer(OPERATORS[name], u[:20], v[:30], device="reference"))


@pytest.mark.parametrize("name", MONOIDS)
def test_every_monoid(engine, name):
    @examples(engine, 20)
    @given(cases("int32", weights=True))
    def agree(case):
        graph, _ = case
        found = clew.reduce_segments(graph, MONOIDS[name], device=engine)
        expected = clew.reduce_segments(graph, MONOIDS[name], device="reference")
        assert found.dtype == expected.dtype
        if name == "any":
            for row, value in enumerate(found):
                here = graph.weights[graph.indptr[row] : graph.indptr[row + 1]]
                assert value in here if here.size else value == 0
        else:
            np.testing.assert_array_equal(found, expected)

    agree()


@pytest.mark.quick
def test_against_numpy(engine):
    rng = np.random.default_rng(2)
    u, v = rng.random(200_000), rng.random(200_000)
    for count in (1, 3):
        with thread_count(count):
            np.testing.assert_array_equal(clew.elementwise(lambda a, b: a - 2 * b, u, v, device=engine), u - 2 * v)
            table = u.reshape(400, 500)
            np.testing.assert_array_equal(clew.elementwise(min, table, 0.5, device=engine), np.minimum(table, 0.5))
            pairs = clew.outer(operators.plus, u[:400], v[:500], device=engine)
            np.testing.assert_array_equal(pairs, np.add.outer(u[:400], v[:500]))
            sums = clew.reduce_segments((u, np.arange(0, 200_001, 100)), device=engine)
            np.testing.assert_allclose(sums, u.reshape(-1, 100).sum(axis=1), rtol=1e-13)
            np.testing.assert_array_equal(clew.compact(u < 0.1, device=engine), np.flatnonzero(u < 0.1))


@pytest.mark.quick
def test_nothing_at_all(engine):
    assert clew.elementwise(min, [], [], device=engine).shape == (0,)
    assert clew.outer(operators.plus, [], [1.0], device=engine).shape == (0, 1)
    assert clew.reduce_segments(([], [0, 0]), monoids.max, device=engine).tolist() == [-np.inf]
    assert clew.reduce_segments(([], [0]), device=engine).size == 0
    assert clew.compact(np.zeros(0, dtype=bool), device=engine).size == 0


def test_degrees_are_a_segmented_sum_of_ones(engine):
    graph = clew.generate.star(9)
    np.testing.assert_array_equal(clew.reduce_segments(graph, device=engine), graph.degrees())


def test_errors(engine):
    with pytest.raises(GraphError, match="expected the same shape"):
        clew.elementwise(min, [1, 2], [1, 2, 3], device=engine)
    with pytest.raises(GraphError, match="u has shape"):
        clew.elementwise(min, np.zeros((1, 1, 1)), 1, device=engine)
    with pytest.raises(GraphError, match="indptr must ascend"):
        clew.reduce_segments(([1.0], [0, 2]), device=engine)
    with pytest.raises(GraphError, match="indptr must be a list"):
        clew.reduce_segments(([1.0], [[0]]), device=engine)
    with pytest.raises(GraphError, match="expected booleans"):
        clew.compact([1, 2], device=engine)
