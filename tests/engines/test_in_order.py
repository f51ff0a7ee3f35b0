"""Searches in the order of the rows, squares and majorities: on graphs large enough for several pieces."""

from __future__ import annotations

import numpy as np
import pytest

import clew
from clew.nx.graph import Rows
from clew.nx.searches import breadth_first, generations
from clew.nx.selection import by_turns
from clew.nx.structure import square_coefficients
from tests.algorithms.graphs import thread_count


@pytest.fixture(scope="module")
def graph():
    made = clew.generate.kronecker(12, seed=2)
    return clew.Graph.from_csr(made.indptr, made.indices, directed=False, duplicates="drop")


def shuffled_rows(graph, seed):
    rng = np.random.default_rng(seed)
    rows = [rng.permutation(row) for row in np.split(graph.indices.copy(), graph.indptr[1:-1])]
    return np.concatenate(rows)


def test_vertices_are_found_in_the_order_of_the_rows(graph):
    indices = shuffled_rows(graph, 0)
    found = breadth_first(Rows(graph.indptr, indices), np.array([5, 3]))
    order, parent, depth = [5, 3], {5: 5, 3: 3}, {5: 0, 3: 0}
    for v in order:
        for w in indices[graph.indptr[v] : graph.indptr[v + 1]].tolist():
            if w not in depth:
                order.append(w)
                parent[w], depth[w] = v, depth[v] + 1
    assert found.order.tolist() == order
    assert found.parent[order].tolist() == [parent[v] for v in order]
    assert found.distance[order].tolist() == [depth[v] for v in order]
    assert (found.distance >= 0).sum() == (found.parent >= 0).sum() == len(order)


@pytest.mark.parametrize("limit", [0, 1, 2])
def test_a_limit_stops_the_search(graph, limit):
    found = breadth_first(Rows(graph.indptr, graph.indices), np.array([5]), limit)
    depth = clew.bfs(graph, 5).depth
    assert sorted(found.order) == np.flatnonzero((depth >= 0) & (depth <= limit)).tolist()


def test_generations_of_a_graph_with_a_cycle_end_before_it():
    graph = clew.Graph.from_edges([0, 1, 2, 3, 4], [1, 2, 3, 2, 0])
    found = generations(Rows(graph.indptr, graph.indices))
    assert [generation.tolist() for generation in found] == [[4], [0], [1]]


def test_squares_are_those_of_the_squared_matrix(graph):
    edges = graph.to_scipy().astype(np.int64)
    edges.setdiag(0)
    edges.eliminate_zeros()
    degree = np.asarray(edges.sum(axis=1)).ravel()
    ways = edges @ edges
    ways.setdiag(0)
    squares = np.asarray(ways.multiply(ways - (ways > 0)).sum(axis=1)).ravel() // 2
    closed = np.asarray(ways.multiply(edges).sum(axis=1)).ravel()
    possible = (degree - 1) * (edges @ degree) - degree * (degree - 1) - closed - squares
    expected = np.where((degree > 1) & (possible > 0), squares / np.maximum(possible, 1), 0)
    for threads in (1, 3):
        with thread_count(threads):
            assert np.array_equal(square_coefficients(graph), expected)


def test_no_label_is_more_frequent_than_a_vertex_own(graph):
    label = by_turns(graph, clew.coloring(graph).color)
    for v in range(graph.num_vertices):
        row = label[graph.indices[graph.indptr[v] : graph.indptr[v + 1]]]
        if row.size:
            votes = np.bincount(row)
            assert votes[label[v] : label[v] + 1].sum() == votes.max()
