"""Grids, triangulations, cliques and shapes: known counts and known structure."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew.generate import complete, cycle, delaunay, grid, path, ssca2, star
from tests.generate.test_attached import pairs

# ---------------------------------------------------------------------- grids


@settings(max_examples=30, deadline=None)
@given(height=st.integers(0, 12), width=st.integers(0, 12), diagonals=st.booleans())
def test_grid_has_the_edges_of_a_grid(height, width, diagonals):
    graph = grid(height, width, diagonals=diagonals)
    cells = [(r, c) for r in range(height) for c in range(width)]
    steps = [(0, 1), (1, 0), *([(1, 1), (1, -1)] if diagonals else [])]
    wanted = {
        (r * width + c, (r + dr) * width + c + dc)
        for r, c in cells
        for dr, dc in steps
        if r + dr < height and 0 <= c + dc < width
    }
    assert graph.num_vertices == height * width
    assert pairs(graph) == wanted
    count = height * max(0, width - 1) + max(0, height - 1) * width
    assert graph.num_edges == count + (2 * max(0, height - 1) * max(0, width - 1) if diagonals else 0)


@pytest.mark.parametrize("diagonals", [False, True])
def test_grid_with_holes_is_a_valid_graph(diagonals):
    graph = grid(60, 70, diagonals=diagonals, delete=0.3, max_weight=9, seed=1)
    full = grid(60, 70, diagonals=diagonals)
    assert pairs(graph) < pairs(full)
    assert graph.num_edges / full.num_edges == pytest.approx(0.7, abs=0.03)
    # from_csr checks what the grid's own rows promise: sorted, symmetric, weights too.
    assert graph == clew.Graph.from_csr(graph.indptr, graph.indices, graph.weights, directed=False)
    assert set(graph.weights.tolist()) == set(range(1, 10))
    assert graph.report.given == graph.num_edges


def test_grid_extremes():
    assert grid(8, 9, delete=1).num_edges == 0
    assert not grid(8, 9).weighted
    assert grid(1, 9) == path(9)
    assert grid(9, 1, diagonals=True) == path(9)


@pytest.mark.parametrize(
    "arguments",
    [
        {"height": -1},
        {"width": -1},
        {"delete": 1.1},
        {"delete": -0.1},
        {"delete": float("nan")},
        {"max_weight": 0},
        {"max_weight": 2**64},
        {"height": 1.5},
    ],
)
def test_grid_bad_arguments(arguments):
    with pytest.raises(clew.GraphError, match=next(iter(arguments))):
        grid(**{"height": 3, "width": 3, **arguments})


def test_grid_too_large():
    with pytest.raises(clew.ResourceError, match="bytes"):
        grid(10**9, 10**9)


# ---------------------------------------------------------------------- triangulations


@pytest.mark.parametrize("n", [3, 4, 10, 1000])
def test_delaunay_has_the_edges_of_a_triangulation(n):
    from scipy.spatial import ConvexHull

    graph = delaunay(n, seed=5, points=True)
    points = graph.metadata["coordinates"]
    assert points.shape == (n, 2)
    assert 0 <= points.min() <= points.max() < 1
    assert graph.num_edges == 3 * n - 3 - ConvexHull(points).vertices.size
    assert nx.check_planarity(graph.to_networkx())[0]
    assert nx.is_connected(graph.to_networkx())


@pytest.mark.parametrize("n", [0, 1, 2])
def test_delaunay_of_few_points(n):
    graph = delaunay(n, points=True)
    assert (graph.num_vertices, graph.num_edges) == (n, max(0, n - 1))
    assert graph.metadata["coordinates"].shape == (n, 2)
    assert "coordinates" not in delaunay(n).metadata


def test_delaunay_bad_arguments():
    with pytest.raises(clew.GraphError, match="num_vertices"):
        delaunay(-1)
    with pytest.raises(clew.ResourceError, match="bytes"):
        delaunay(2**31 - 1)


# ---------------------------------------------------------------------- cliques


def cliques_of(graph: clew.Graph) -> list[range]:
    """Maximal runs of consecutive vertices that are all joined: without edges between them, the cliques."""
    matrix = graph.to_numpy() > 0
    runs, start = [], 0
    for v in range(1, graph.num_vertices + 1):
        if v == graph.num_vertices or not matrix[v, start]:
            runs.append(range(start, v))
            start = v
    return runs


@pytest.mark.parametrize("scale", [0, 1, 2, 5, 8])
def test_cliques_are_cliques(scale):
    graph = ssca2(scale, 6, 0.0, scramble=False, seed=1)
    runs = cliques_of(graph)
    assert graph.num_vertices == 1 << scale
    assert pairs(graph) == {(u, v) for run in runs for u in run for v in run if u < v}
    assert max(len(run) for run in runs) <= 6
    if scale == 8:
        assert {len(run) for run in runs} == set(range(1, 7))


def test_edges_between_cliques_have_powers_of_two_as_distances():
    plain = ssca2(12, 5, 0.0, scramble=False, seed=2)
    joined = ssca2(12, 5, 0.8, scramble=False, seed=2)
    assert pairs(plain) < pairs(joined)
    between = np.array(sorted(pairs(joined) - pairs(plain)))
    around = (between[:, 1] - between[:, 0]) % 4096
    distance = np.minimum(around, 4096 - around)
    assert set(distance.tolist()) <= {2**i for i in range(12)}
    # From 8 on no two vertices are in the same clique, so every distance has its full probability.
    for i in range(3, 6):
        assert np.mean(distance == 2**i) * distance.size / 4096 == pytest.approx(0.8 / 2**i, rel=0.25)


def test_largest_clique_by_default():
    degrees = ssca2(9, inter_clique=0.0).degrees()
    assert degrees.max() == 7  # 2^(9/3) = 8 vertices


def test_scrambling_and_weights():
    plain = ssca2(8, seed=3, scramble=False)
    mixed = ssca2(8, seed=3, max_weight=10)
    assert np.array_equal(np.sort(plain.degrees()), np.sort(mixed.degrees()))
    assert pairs(plain) != pairs(mixed)
    assert mixed.weights.min() >= 1
    assert mixed.weights.max() <= 10


def test_one_clique_of_everything():
    assert ssca2(4, 10**9, seed=0, scramble=False).num_vertices == 16


@pytest.mark.parametrize(
    "arguments",
    [{"scale": -1}, {"scale": 41}, {"max_clique_size": 0}, {"inter_clique": 2}, {"max_weight": 0}, {"seed": -1}],
)
def test_ssca2_bad_arguments(arguments):
    with pytest.raises(clew.GraphError, match=next(iter(arguments))):
        ssca2(**{"scale": 4, **arguments})


# ---------------------------------------------------------------------- shapes


@pytest.mark.quick
@pytest.mark.parametrize("n", [0, 1, 2, 3, 50])
def test_shapes(n):
    assert pairs(path(n)) == {(i, i + 1) for i in range(n - 1)}
    assert pairs(path(n, directed=True)) == {(i, i + 1) for i in range(n - 1)}
    assert pairs(star(n)) == {(0, i) for i in range(1, n)}
    assert pairs(complete(n)) == {(i, j) for j in range(n) for i in range(j)}
    for shape in (path(n), star(n), complete(n)):
        assert shape.num_vertices == n
        assert not shape.directed
    assert path(n, directed=True).directed
    assert complete(n) == clew.Graph.from_csr(complete(n).indptr, complete(n).indices, directed=False)


@pytest.mark.quick
def test_cycle():
    assert pairs(cycle(4)) == {(0, 1), (1, 2), (2, 3), (0, 3)}
    assert pairs(cycle(3, directed=True)) == {(0, 1), (1, 2), (2, 0)}
    with pytest.raises(clew.GraphError, match="3 or more"):
        cycle(2)


@pytest.mark.parametrize("shape", [path, cycle, star, complete])
def test_shapes_bad_arguments(shape):
    with pytest.raises(clew.GraphError, match="num_vertices is -1"):
        shape(-1)
    with pytest.raises(clew.ResourceError, match="bytes"):
        shape(10**15)
