"""Widest paths by the kernels of the GPU, run on the CPU: against the checker and the CPU engine."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew.algorithms.sswp.cuda import sswp
from clew.engines.cuda.emulation.device import the_emulation
from tests.algorithms.weighted import weighted_graphs
from tests.cuda.test_sssp import SIZES, TUNINGS, shape
from tests.graph.strategies import WEIGHT_DTYPES


def check(graph, source, found):
    result = clew.Result("sswp", {"width": found.width, "parent": found.parent})
    clew.verify.sswp(graph, source, result)
    expected = clew.sswp(graph, source, device="cpu")
    assert found.width.dtype == expected.width.dtype
    np.testing.assert_array_equal(found.width, expected.width)
    assert found.num_reached == expected.num_reached


@pytest.mark.parametrize("tuning", ["auto", "grid", "degree cut", "full pile"])
@pytest.mark.parametrize("name", ["path", "star", "complete", "grid"])
def test_shapes(name, tuning):
    for size in SIZES:
        if name != "complete" or size <= 65:
            graph = shape(name, size)
            check(graph, size // 2, sswp(the_emulation(), graph, size // 2, tuning=TUNINGS[tuning]))


@settings(max_examples=30, deadline=None)
@given(
    weighted_graphs("int32", -3, 3) | weighted_graphs("float64", -3, 3),
    st.sampled_from(["auto", "grid"]),
    st.sampled_from([1, 4, 64]),
    st.data(),
)
def test_small_graphs(graph, tuning, buckets, data):
    source = data.draw(st.integers(0, graph.num_vertices - 1))
    steady = data.draw(st.booleans())
    options = {"tuning": TUNINGS[tuning], "buckets": buckets, "deterministic": steady}
    found = sswp(the_emulation(), graph, source, **options)
    check(graph, source, found)
    if steady:
        np.testing.assert_array_equal(found.parent, sswp(the_emulation(), graph, source, **options).parent)


@pytest.mark.parametrize("dtype", WEIGHT_DTYPES)
def test_every_dtype(dtype):
    floating, boolean = np.dtype(dtype).kind == "f", dtype == "bool"
    low, high = (-np.inf, np.inf) if floating else (False, True)
    if not floating and not boolean:
        low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    weights = np.array([4, 1, 3, high, low], dtype=dtype)
    graph = clew.Graph.from_edges([0, 0, 1, 2, 0], [1, 2, 2, 3, 4], weights)
    result = clew.sswp(graph, 0, device="emulated").numpy()
    clew.verify.sswp(graph, 0, result)
    assert result.width.dtype == dtype
    assert result.width.tolist() == [high, *([True] * 3 if boolean else [4, 3, 3]), low]
    assert result.parent.tolist()[3:] == [2, -1]


def test_skewed_graphs():
    graph = clew.generate.random_weights(clew.generate.kronecker(9, seed=3), 1, 255, seed=1, dtype="int32")
    source = int(np.argmax(graph.degrees()))
    for name in ("auto", "grid"):
        for buckets in (1, 256):
            check(graph, source, sswp(the_emulation(), graph, source, tuning=TUNINGS[name], buckets=buckets))
