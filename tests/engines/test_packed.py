"""Packed rows on the CPU: the same bits as plain ones, and nothing is unpacked as a whole."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import clew
from clew import semirings
from clew.engines.cpu import products

GRAPHS = {
    "rmat, directed": lambda: clew.generate.rmat(10, 8, 0.55, 0.2, 0.2, seed=3),
    "star": lambda: clew.generate.star(9000),
    "grid": lambda: clew.generate.grid(40, 50),
    "none": lambda: clew.Graph.from_edges([], [], num_vertices=3),
}


def same(found: Any, expected: Any) -> None:
    assert found.dtype == expected.dtype
    assert found.tobytes() == expected.tobytes()


@pytest.mark.quick
@pytest.mark.parametrize("shape", GRAPHS)
def test_ranks_of_packed_graphs(shape):
    graph = GRAPHS[shape]()
    small = graph.packed()
    same(clew.pagerank(small, device="cpu").rank, clew.pagerank(graph, device="cpu").rank)
    found, expected = clew.hits(small, device="cpu"), clew.hits(graph, device="cpu")
    same(found.hub, expected.hub)
    same(found.authority, expected.authority)
    assert not small.outgoing.is_unpacked
    assert not small.incoming.is_unpacked


@pytest.mark.parametrize("shape", GRAPHS)
def test_products_over_packed_rows(shape, monkeypatch):
    graph = GRAPHS[shape]()
    weights = np.arange(graph.num_arcs, dtype=np.float64) % 100
    if graph.directed:
        graph = graph.with_weights(weights)
    small, random = graph.packed(), np.random.default_rng(1)
    x, mask = random.random(graph.num_vertices), random.random(graph.num_vertices) < 0.5
    for longest in (products.HUB, 1000):  # below the length of the star's longest row, which is then cut
        monkeypatch.setattr(products, "HUB", longest)
        for semiring in (semirings.plus_times, semirings.min_plus):
            for chosen in (None, mask):
                results = [clew.spmv(one, x, semiring, mask=chosen, device="cpu") for one in (small, graph)]
                same(*results)
        reached = [clew.spmv(one, x > 0.9, semirings.or_and, device="cpu") for one in (small, graph)]
        same(*reached)
    assert not small.outgoing.is_unpacked
