"""Matrix times vector: every engine against the reference, and the reference against its definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

import clew
from clew import GraphError, layouts, semirings
from tests.algorithms.graphs import thread_count
from tests.engines.inputs import ENGINES, LARGE, SEMIRINGS, cases, examples, large, numbers, weighted

pytestmark = pytest.mark.parametrize("engine", ENGINES)


@pytest.mark.parametrize("name", SEMIRINGS)
def test_every_semiring(engine, name):
    @examples(engine, 25)
    @given(cases("int32"))
    def agree(case):
        graph, rng = case
        x = numbers(rng, "int32", graph.num_vertices)
        found = clew.spmv(graph, x, SEMIRINGS[name], device=engine)
        expected = clew.spmv(graph, x, SEMIRINGS[name], device="reference")
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found, expected)

    agree()


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float32", "float64"])
@pytest.mark.parametrize("name", ["plus_times", "min_plus"])
def test_every_kind_of_number(engine, name, dtype):
    @examples(engine, 25)
    @given(cases(dtype))
    def agree(case):
        graph, rng = case
        x = numbers(rng, dtype, graph.num_vertices)
        found = clew.spmv(graph, x, SEMIRINGS[name], device=engine)
        expected = clew.spmv(graph, x, SEMIRINGS[name], device="reference")
        assert found.dtype == expected.dtype == np.dtype(dtype)
        np.testing.assert_array_equal(found, expected)

    agree()


@pytest.mark.quick
def test_masks_accumulation_and_transposition(engine):
    @examples(engine, 25)
    @given(cases("float64"))
    def agree(case):
        graph, rng = case
        n = graph.num_vertices
        x, old = numbers(rng, "float64", n), numbers(rng, "float64", n)
        mask = rng.random(n) < 0.5
        for transpose in (False, True):
            matrix = graph.to_scipy().toarray()
            expected = (matrix.T if transpose else matrix) @ x
            options = {"transpose": transpose, "device": engine}
            np.testing.assert_array_equal(clew.spmv(graph, x, **options), expected)
            some = clew.spmv(graph, x, mask=mask, **options)
            np.testing.assert_array_equal(some, np.where(mask, expected, 0))
            others = clew.spmv(graph, x, mask=np.flatnonzero(mask), complement=True, **options)
            np.testing.assert_array_equal(others, np.where(mask, 0, expected))
            out = old.copy()
            assert clew.spmv(graph, x, out=out, mask=mask, **options) is out
            np.testing.assert_array_equal(out, np.where(mask, expected, old))
            out = old.copy()
            clew.spmv(graph, x, out=out, accumulate=max, mask=mask, **options)
            np.testing.assert_array_equal(out, np.where(mask, np.maximum(expected, old), old))
            out = old.astype(np.float32)
            clew.spmv(graph, x, out=out, accumulate=clew.monoids.plus, **options)
            np.testing.assert_array_equal(out, expected + old)

    agree()


def test_layouts(engine):
    @examples(engine, 25)
    @given(cases("int32"))
    def agree(case):
        graph, rng = case
        x = numbers(rng, "int32", graph.num_vertices)
        mask = rng.random(x.size) < 0.5
        for options in ({}, {"mask": mask}, {"transpose": True}):
            for semiring in (semirings.min_plus, semirings.plus_times):
                expected = clew.spmv(graph, x, semiring, device="reference", **options)
                for layout in (layouts.csr(graph), layouts.coo(graph), layouts.ell(graph)):
                    found = clew.spmv(layout, x, semiring, device=engine, **options)
                    np.testing.assert_array_equal(found, expected)

    agree()


@pytest.mark.parametrize("name", LARGE)
def test_large_graphs_give_the_same_bits_for_every_number_of_threads(engine, name):
    graph = large(engine, name)
    rng = np.random.default_rng(0)
    graph = clew.Graph.from_csr(graph.indptr, graph.indices, rng.random(graph.num_arcs))
    x = rng.random(graph.num_vertices)
    table = [layouts.ell(graph)] if name == "grid" else []
    for layout in (graph, layouts.coo(graph), *table):
        found = []
        for count in (1, 2, 5):
            with thread_count(count):
                found.append(clew.spmv(layout, x, device=engine))
        np.testing.assert_array_equal(found[0], found[1])
        np.testing.assert_array_equal(found[0], found[2])
        np.testing.assert_allclose(found[0], graph.to_scipy() @ x, rtol=1e-12)


def test_a_sum_may_stop_at_its_terminal_value(engine):
    star = clew.generate.star(1000)
    x = np.zeros(1000, dtype=np.int64)
    x[500] = 1
    reached = clew.Semiring(add=max, identity=0, terminal=1, multiply=lambda weight, x: x)
    assert clew.spmv(star, x, reached, device=engine)[0] == 1
    assert clew.spmv(star, x != 0, semirings.or_and, device=engine)[0]


def test_the_identity_of_integers_does_not_wrap_around(engine):
    graph = clew.Graph.from_edges([0, 1], [1, 2], np.array([5, 7], dtype=np.int8))
    far = 127
    x = np.array([far, far, 3], dtype=np.int8)
    assert clew.min_plus(graph, x, device=engine).tolist() == [far, 10, far]
    assert clew.spmv(graph, ~x, semirings.max_plus, device=engine).tolist() == [-128, 3, -128]


def test_named_forms(engine):
    graph = clew.Graph.from_edges([0, 0, 2], [1, 2, 0], [0.0, 2.0, 1.0])
    assert clew.spvisit(graph, [False, True, False], device=engine).tolist() == [True, False, False]
    assert clew.min_plus(graph, [5.0, 1.0, 0.5], device=engine).tolist() == [1.0, np.inf, 6.0]


def test_the_result_may_replace_the_vector(engine):
    graph = clew.generate.path(5)
    x = np.arange(5.0)
    expected = clew.spmv(graph, x, device="reference")
    np.testing.assert_array_equal(clew.spmv(graph, x, out=x, device=engine), expected)


@pytest.mark.parametrize("layout", [layouts.csr, layouts.coo, layouts.ell])
def test_layouts_cannot_be_changed(engine, layout):
    """A GPU keeps a copy of them."""
    edges = layout(weighted(clew.generate.path(5), "float32"))
    clew.spmv(edges, np.ones(5), device=engine)
    for name in ("rows", "columns", "indptr", "indices", "weights"):
        assert not getattr(edges, name, edges.weights).flags.writeable


@pytest.mark.parametrize("ids", ["int16", ">i4", "uint64"])
def test_layouts_take_ids_of_any_kind_of_integer(engine, ids):
    listed = layouts.COO(np.array([1, 0], dtype=ids), np.array([0, 1], dtype=ids), np.array([2, 3], dtype=">f8"), 2)
    table = layouts.ELL(np.array([[1, 0]], dtype=ids), np.array([[3, 2]], dtype=">f8"))
    for edges in (listed, table):
        assert clew.spmv(edges, [1.0, 10.0], device=engine).tolist() == [30, 2]
        assert clew.spmspv(edges, ([0], [1.0]), device=engine)[1].tolist() == [3]


def test_layouts_refuse_ids_that_are_no_integers(engine):
    with pytest.raises(GraphError, match="rows have dtype float64; expected integers"):
        layouts.COO(np.zeros(1), np.zeros(1, np.int64), None, 1)
    with pytest.raises(GraphError, match="columns have dtype float64; expected integers"):
        layouts.ELL(np.zeros((1, 1)), None)


@pytest.mark.parametrize("layout", [layouts.csr, layouts.coo, layouts.ell])
def test_the_result_may_replace_the_mask(engine, layout):
    """Also where the wanted entries are asked for again when some results are there."""
    rng = np.random.default_rng(1)
    ends = np.append(np.zeros(2000, np.int64), rng.integers(0, 300, 600)), rng.integers(0, 300, 2600)
    edges, x = layout(clew.Graph.from_edges(*ends, num_vertices=300)), rng.random(300) < 0.1
    mask = rng.random(300) < 0.5
    mask[0] = True
    expected = clew.spvisit(edges, x, mask=mask, device="reference")
    ways = ("auto", "rows", "tiles", "sweep") if layout is layouts.csr and engine == "emulated" else ("auto",)
    for way in ways:
        both = mask.copy()
        np.testing.assert_array_equal(clew.spvisit(edges, x, mask=both, out=both, way=way, device=engine), expected)


def test_dtypes_follow_numpy(engine):
    graph = weighted(clew.generate.path(3), "int32")
    x = np.ones(3, dtype=np.float32)
    assert clew.spmv(graph, x, device=engine).dtype == np.float64
    assert clew.spmv(graph, x, semirings.min_second, device=engine).dtype == np.float32
    assert clew.spmv(graph, x, semirings.min_first, device=engine).dtype == np.int32
    assert clew.spmv(graph, x, semirings.or_and, device=engine).dtype == np.bool_
    assert clew.spmv(clew.generate.path(3), x.astype(np.int8), device=engine).dtype == np.int8


@pytest.mark.quick
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"x": [1.0]}, "x has 1 entries; expected one per vertex, 3"),
        ({"x": np.zeros((3, 3))}, r"x has shape \(3, 3\)"),
        ({"x": ["a", "b", "c"]}, "x has dtype"),
        ({"x": [1j, 0, 0]}, "x has dtype complex128"),
        ({"mask": [True]}, "the mask has shape"),
        ({"complement": True}, "complement=True needs a mask"),
        ({"accumulate": min}, "accumulate needs out"),
        ({"out": np.zeros(2)}, "out is float64"),
        ({"out": [0, 0, 0]}, "out is list"),
        ({"device": "tpu"}, "device is 'tpu'"),
    ],
)
def test_errors(engine, options, message):
    graph = clew.generate.path(3)
    with pytest.raises(GraphError, match=message):
        clew.spmv(graph, **({"x": [1.0, 2.0, 3.0], "device": engine} | options))
    with pytest.raises(GraphError, match="expected a Graph or a layout"):
        clew.spmv(np.eye(3), [1.0, 2.0, 3.0], device=engine)
