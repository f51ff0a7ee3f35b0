"""Products made ready: a second call looks nothing up, and what is kept goes with the graph."""

from __future__ import annotations

import gc

import numpy as np
import pytest

import clew
from clew.engines.choice import gpu_for
from clew.engines.cuda.memory.device_graph import rows_on
from clew.engines.cuda.memory.device_rows import MOST_READY
from clew.engines.cuda.memory.ledger import forget_layouts
from clew.engines.cuda.products import sweep
from clew.engines.cuda.products.spmv import METHODS
from tests.engines.inputs import numbers, weighted
from tests.on_gpu import emulation_only

factor = 2.0


def skewed():
    """One row is so much longer than the others that "auto" takes tiles."""
    return weighted(clew.generate.star(600), "float32")


def looked_up(monkeypatch, device):
    """The kernels asked for from here on."""
    names, real = [], device.kernel

    def kernel(file, name, *rest):
        names.append(name)
        return real(file, name, *rest)

    monkeypatch.setattr(device, "kernel", kernel)
    return names


@pytest.mark.parametrize("way", ["auto", "rows", "tiles"])
def test_the_second_product_is_its_launches(way, monkeypatch):
    graph, device = skewed(), gpu_for("emulated", 0)
    x = device.upload(numbers(np.random.default_rng(1), "float32", graph.num_vertices))
    first = clew.spmv(graph, x, way=way, device="emulated")
    names = looked_up(monkeypatch, device)
    np.testing.assert_array_equal(first, clew.spmv(graph, x, way=way, device="emulated"))
    assert names == []
    clew.spmv(graph, x.astype(np.float64), way=way, device="emulated")
    assert names  # another type is another kernel


def test_a_function_that_has_changed_is_another_product(monkeypatch):
    semiring = clew.Semiring(clew.monoids.plus, lambda weight, x: weight * x * factor)
    graph, x = skewed(), np.ones(600, np.float32)
    before = clew.spmv(graph, x, semiring, device="emulated")
    monkeypatch.setitem(globals(), "factor", 3.0)
    after = clew.spmv(graph, x, semiring, device="emulated")
    np.testing.assert_allclose(after, before * 1.5)


def test_layouts_are_earned_by_products_that_are_ready(monkeypatch):
    monkeypatch.setattr(sweep, "FROM_ARCS", 0)
    monkeypatch.setattr(sweep, "SWEEP_AFTER", 4)
    monkeypatch.setattr(sweep, "HOT_PART", 0.0)
    graph, device = skewed(), gpu_for("emulated", 0)
    x = numbers(np.random.default_rng(1), "float32", graph.num_vertices)
    names = looked_up(monkeypatch, device)
    kernels = []
    for _ in range(6):
        names.clear()
        np.testing.assert_array_equal(clew.spmv(graph, x, device="emulated"), clew.spmv(graph, x, device="cpu"))
        kernels.append("spmv_sweep" in names)
    assert kernels == [False] * 4 + [True] * 2
    forget_layouts()  # they are made anew
    np.testing.assert_array_equal(clew.spmv(graph, x, device="emulated"), clew.spmv(graph, x, device="cpu"))


def test_semirings_made_in_a_loop_are_not_kept_for_ever():
    graph, x = skewed(), np.ones(600, np.float32)
    for _ in range(MOST_READY + 5):
        clew.spmv(graph, x, clew.Semiring(clew.monoids.plus, lambda weight, x: weight * x), device="emulated")
    assert len(rows_on(gpu_for("emulated", 0), graph.outgoing).ready) <= MOST_READY


@emulation_only
def test_what_is_ready_goes_with_the_graph():
    """At once: without the collector of cycles, which may not come for long."""
    device = gpu_for("emulated", 0)
    gc.collect()
    before = device.memory.live_allocations
    graph, x = skewed(), np.ones(600, np.float32)
    gc.disable()
    try:
        for way in METHODS:
            clew.spmv(graph, x, way=way, device="emulated")
        assert device.memory.live_allocations > before
        del graph
        assert device.memory.live_allocations == before
    finally:
        gc.enable()
