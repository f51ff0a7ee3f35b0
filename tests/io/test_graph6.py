"""graph6, sparse6 and digraph6: NetworkX's bytes, the published examples, and damaged files."""

from __future__ import annotations

from pathlib import Path

import networkx as nx
import numpy as np
import pytest

import clew
from tests.io.fuzzing import fuzz
from tests.io.graphs import refused, stored


def pairs(graph: clew.Graph) -> list[tuple[int, int]]:
    return list(zip(*(column.tolist() for column in graph.edges()[:2]), strict=True))


@pytest.mark.quick
def test_the_examples_of_the_specification() -> None:
    assert pairs(clew.read(b"DQc\n", format="graph6")) == [(0, 2), (0, 4), (1, 3), (3, 4)]
    graph = clew.read(b":Fa@x^\n", format="sparse6")
    assert (graph.num_vertices, pairs(graph)) == (7, [(0, 1), (0, 2), (1, 2), (5, 6)])
    graph = clew.read(b"&DI?AO?\n", format="digraph6")
    assert (graph.directed, pairs(graph)) == (True, [(0, 2), (0, 4), (3, 1), (3, 4)])


@pytest.mark.quick
@pytest.mark.parametrize("kind", ["graph6", "sparse6"])
@pytest.mark.parametrize("vertices", [0, 1, 2, 3, 4, 8, 16, 17, 32, 62, 63, 100, 400])
def test_bytes_are_those_of_networkx(kind: str, vertices: int) -> None:
    for seed, density in enumerate((0, 0.02, 0.1, 0.6)):
        expected = nx.gnp_random_graph(vertices, density, seed=seed)
        data = getattr(nx, f"to_{kind}_bytes")(expected)
        graph = clew.read(data)
        assert (graph.num_vertices, graph.directed) == (vertices, False)
        assert sorted(pairs(graph)) == sorted(tuple(sorted(edge)) for edge in expected.edges())
        assert stored(graph, "", format=kind) == data


def test_loops_parallel_edges_and_many_vertices(tmp_path: Path) -> None:
    graph = clew.Graph.from_edges([0, 1, 1, 3, 299_998], [0, 3, 3, 3, 299_999], None, 300_000, directed=False)
    clew.write(graph, tmp_path / "a.s6")
    assert clew.read(tmp_path / "a.s6") == graph
    assert sorted(nx.read_sparse6(tmp_path / "a.s6").edges()) == sorted(pairs(graph))


def test_directed_graphs_keep_loops(tmp_path: Path) -> None:
    graph = clew.Graph.from_edges([0, 1, 2, 2], [0, 2, 1, 0], None, 5)
    clew.write(graph, tmp_path / "a.d6")
    assert clew.read(tmp_path / "a.d6") == graph
    both = clew.Graph.from_edges([0, 1], [1, 2], directed=False)
    assert clew.write(both, tmp_path / "a.d6") == ["that edges go both ways: read it with directed=False"]
    assert clew.read(tmp_path / "a.d6", directed=False) == both


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"DQc\nDQc\n", "the file has 2 graphs; expected one"),
        (b">>graph6<<D!c\n", "line 1, column 12: found '!'; expected characters from '?' to '~'"),
        (b"~?", "the line ends within the number of vertices"),
        (b"DQcc", "5 vertices need 2 characters; the line has 3"),
        (b"", "the file has 0 graphs"),
    ],
)
def test_errors_say_where(data: bytes, problem: str) -> None:
    assert problem in refused(data, "graph6")


@pytest.mark.parametrize(
    ("graph", "suffix", "problem"),
    [
        (clew.Graph.from_edges([0], [1], [5], directed=False), ".g6", "has weights, which graph6 files do not hold"),
        (clew.Graph.from_edges([0], [1]), ".s6", r"is directed.*graph.symmetrized\(\)"),
        (clew.Graph.from_edges([0, 0], [1, 1], directed=False), ".g6", "has parallel edges"),
        (clew.Graph.from_edges([0], [0], directed=False), ".g6", "has self-loops"),
        (clew.Graph.from_edges([], [], num_vertices=20_000), ".d6", "more than 16,384 vertices"),
    ],
)
def test_graphs_that_do_not_fit_are_refused(graph: clew.Graph, suffix: str, problem: str) -> None:
    with pytest.raises(clew.FormatError, match=problem):
        stored(graph, suffix)


def test_damaged_files() -> None:
    graph = clew.Graph.from_edges(np.arange(9), np.arange(1, 10), directed=False)
    fuzz([stored(graph, suffix) for suffix in (".g6", ".s6", ".d6")], "graph6")
