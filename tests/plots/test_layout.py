"""Layouts: the shape of a graph comes out, the same one every time, and soon."""

from __future__ import annotations

import time

import numpy as np
import pytest

import clew
from clew.plots import layout
from tests.algorithms.graphs import thread_count


def planted(groups: int, size: int, within: int, between: int, seed: int = 1) -> clew.Graph:
    """Random graphs of ``within`` edges each, and ``between`` edges among all."""
    random = np.random.default_rng(seed)
    inner = random.integers(0, size, (2, groups, within)) + size * np.arange(groups)[:, None]
    outer = random.integers(0, groups * size, (2, between))
    source, target = np.concatenate([inner.reshape(2, -1), outer], axis=1)
    return clew.Graph.from_edges(source, target, None, groups * size, directed=False)


def lengths(graph: clew.Graph, place: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How long edges are, and how far apart random vertices."""
    source, target, _ = graph.edges()
    one, other = np.random.default_rng(0).integers(0, graph.num_vertices, (2, 20_000))
    return np.linalg.norm(place[source] - place[target], axis=1), np.linalg.norm(place[one] - place[other], axis=1)


@pytest.mark.parametrize("vertices", [0, 1, 2, 7])
def test_without_edges_nobody_shares_a_place(vertices):
    place = layout(clew.Graph.from_edges([], [], num_vertices=vertices))
    assert place.shape == (vertices, 2)
    assert place.dtype == np.float32
    assert len(np.unique(place, axis=0)) == vertices


def test_small_graphs_of_every_shape_have_finite_and_distinct_places():
    shapes = [clew.generate.path(2), clew.generate.star(9), clew.generate.complete(6), clew.generate.cycle(12)]
    shapes.append(clew.Graph.from_edges([0, 0, 1, 1, 3], [0, 1, 2, 2, 3], num_vertices=5))  # loops, duplicates, alone
    for graph in shapes:
        place = layout(graph)
        assert np.isfinite(place).all()
        assert len(np.unique(place, axis=0)) == graph.num_vertices


@pytest.mark.parametrize("side", [12, 100], ids=["small", "over a mesh"])
def test_a_grid_unfolds(side):
    place = layout(clew.generate.grid(side, side))
    row, column = np.divmod(np.arange(side * side), side)
    one, other = np.random.default_rng(0).integers(0, side * side, (2, 5_000))
    true = np.hypot(row[one] - row[other], column[one] - column[other])
    drawn = np.linalg.norm(place[one] - place[other], axis=1)
    assert np.corrcoef(true, drawn)[0, 1] > 0.96


def test_a_cycle_is_round_and_a_path_is_not():
    around = layout(clew.generate.cycle(300))
    radius = np.linalg.norm(around - around.mean(axis=0), axis=1)
    assert radius.min() > 0.6 * radius.max()
    along = layout(clew.generate.path(300))
    ends = np.linalg.norm(along[0] - along[-1])
    assert ends > 0.6 * np.linalg.norm(np.diff(along, axis=0), axis=1).sum()


def test_communities_separate():
    graph = planted(6, 100, within=500, between=300)
    place = layout(graph).reshape(6, 100, 2)
    middle = place.mean(axis=1)
    spread = np.linalg.norm(place - middle[:, None], axis=2).mean()
    apart = np.linalg.norm(middle[:, None] - middle[None], axis=2)[~np.eye(6, dtype=bool)].min()
    assert apart > 2 * spread


def test_the_same_seed_gives_the_same_places_with_any_number_of_threads():
    source, target, _ = clew.generate.grid(60, 60).edges()  # enough for a mesh
    more = np.arange(3600, 3630)  # small components, and vertices without edges
    source, target = np.concatenate([source, more[::3]]), np.concatenate([target, more[1::3]])
    graph = clew.Graph.from_edges(source, target, None, 3640, directed=False)
    with thread_count(1):
        alone = layout(graph, seed=3)
    with thread_count(3):
        together = layout(graph, seed=3)
    assert np.array_equal(alone, together)
    assert not np.array_equal(alone, layout(graph, seed=4))


def test_components_lie_side_by_side_and_isolated_vertices_aside():
    source = np.concatenate([np.arange(30), [40, 41, 50]])
    target = np.concatenate([np.arange(1, 31), [41, 42, 51]])
    graph = clew.Graph.from_edges(source, target, num_vertices=60)
    place = layout(graph)
    label = clew.connected_components(graph).label
    boxes = {part: (place[label == part].min(axis=0), place[label == part].max(axis=0)) for part in np.unique(label)}
    for one, (low, high) in boxes.items():
        for other, (bottom, top) in boxes.items():
            assert one == other or (high < bottom).any() or (top < low).any(), (one, other)


def test_a_hundred_thousand_vertices_are_laid_out_soon_and_well():
    graph = clew.generate.delaunay(100_000, seed=5)
    began = time.process_time()
    place = layout(graph)
    assert time.process_time() - began < 30  # seconds of all threads together
    edges, pairs = lengths(graph, place)
    assert np.median(edges) < 0.02 * np.median(pairs)
    assert np.quantile(edges, 0.99) < 0.1 * np.median(pairs)
