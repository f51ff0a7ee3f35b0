"""Edge lists that are written come back, in every dialect."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import clew
from clew.errors import ClewError, GraphError
from tests.io.test_edge_list import edges


@st.composite
def graphs(draw: st.DrawFn) -> clew.Graph:
    """Small graphs whose vertices all have edges: an edge list has no others."""
    pairs = draw(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=25))
    count = len(pairs)
    used = {vertex: i for i, vertex in enumerate(sorted({vertex for pair in pairs for vertex in pair}))}
    weights: Any = None
    if count and draw(st.booleans()):
        kind = draw(st.sampled_from(["int64", "float64", "float32", "uint8", "bool", "uint64", "int16"]))
        values = {
            "int64": st.integers(-(2**63), 2**63 - 1),
            "uint64": st.integers(0, 2**64 - 1),
            "float64": st.floats(),
            "float32": st.floats(width=32),
            "uint8": st.integers(0, 255),
            "int16": st.integers(-(2**15), 2**15 - 1),
            "bool": st.booleans(),
        }[kind]
        weights = np.array(draw(st.lists(values, min_size=count, max_size=count)), dtype=kind)
    names: Any = None
    if draw(st.booleans()):
        some = st.integers(-(2**63), 2**63 - 1) | st.integers(-5, 20)
        if draw(st.booleans()):
            some = st.text(
                st.characters(exclude_categories=["Cs"], exclude_characters="\r\n"), max_size=5
            ) | st.sampled_from(
                [
                    "",
                    " ",
                    "1",
                    "nan",
                    "-inf",
                    "1e5",
                    "#",
                    "% x",
                    "a,b",
                    'q"',
                    '"',
                    "a\tb",
                    "x;y",
                    "\ufeffx",
                    "\0",
                    "source",
                    "+.5",
                ]
            )
        names = draw(st.lists(some, min_size=len(used), max_size=len(used), unique=True))
        if names and all(isinstance(name, int) for name in names):
            names = sorted(names)
    if names is not None and not names:
        names = None
    source = [used[u] for u, _ in pairs]
    target = [used[v] for _, v in pairs]
    directed = draw(st.booleans())
    return clew.Graph.from_edges(source, target, weights, len(used), directed, names=names)


@given(
    graphs(),
    st.sampled_from([".txt", ".csv", ".tsv", ".el", ".edges.gz", ".csv.zst", ".snap.bz2", ".edgelist.xz"]),
    st.sampled_from([None, ",", ";", "\t", " ", "|", ":"]),
    st.sampled_from([None, True, False]),
)
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
def test_what_is_written_comes_back(
    tmp_path: Path, graph: clew.Graph, suffix: str, delimiter: str | None, header: bool | None
) -> None:
    path = tmp_path / f"graph{suffix}"
    clew.write(graph, path, delimiter=delimiter, header=header)
    kind = None if graph.weights is None else graph.weights.dtype
    has_header = header if header is not None else suffix.startswith((".csv", ".tsv"))
    again = clew.read(
        path,
        format="edge-list",
        delimiter=delimiter,
        header=has_header,
        weight_dtype=kind,
        directed=graph.directed,
        ids="auto" if graph.names is None else "map",
    )
    assert edges_by_name(again) == edges_by_name(graph)
    assert again.directed == graph.directed
    if graph.names is None or graph.names.are_integers:
        expected = graph.names
        assert again.names == expected or (expected is not None and len(expected) == 0)


def edges_by_name(graph: clew.Graph) -> list[Any]:
    """Edges in an order that does not depend on how vertices are numbered; undirected ones from their lesser name."""
    found = []
    for u, v, *weight in edges(graph):
        ends = (u, v) if graph.directed else tuple(sorted((u, v)))
        found.append((ends, ["nan" if value != value else value for value in weight]))
    return sorted(found, key=repr)


def test_an_undirected_graph_says_so(tmp_path: Path) -> None:
    graph = clew.Graph.from_edges([0, 1], [1, 2], [1.5, 2], directed=False)
    path = tmp_path / "graph.txt"
    clew.write(graph, path)
    assert path.read_bytes() == b"# sym weighted\n0 1 1.5\n1 2 2.0\n"
    assert clew.read(path) == graph
    clew.write(graph, tmp_path / "graph.csv")
    assert (tmp_path / "graph.csv").read_bytes() == b"source,target,weight\n0,1,1.5\n1,2,2.0\n"
    assert clew.read(tmp_path / "graph.csv", directed=False) == graph
    clew.write(graph, tmp_path / "graph.wel")
    assert (tmp_path / "graph.wel").read_bytes() == b"0 1 1.5\n1 2 2.0\n"


def test_names_that_cannot_be_written(tmp_path: Path) -> None:
    graph = clew.Graph.from_edges([0], [1], names=["a", "b\nc"])
    with pytest.raises(ClewError, match=r"the vertex name 'b\\nc' has a line end"):
        clew.write(graph, tmp_path / "graph.txt")
    assert list(tmp_path.iterdir()) == []


def test_many_edges_in_many_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clew.io.edge_list.writer.BLOCK_EDGES", 100)
    rng = np.random.default_rng(3)
    source = np.append(rng.integers(0, 50, 3000), np.full(500, 7))
    graph = clew.Graph.from_edges(source, rng.integers(0, 50, 3500), rng.random(3500))
    path = tmp_path / "graph.tsv"
    clew.write(graph, path)
    assert clew.read(path) == graph
    undirected = graph.symmetrized()
    clew.write(undirected, path)
    assert clew.read(path, directed=False) == undirected


def test_options_that_do_not_make_sense(tmp_path: Path) -> None:
    graph = clew.Graph.from_edges([0], [1])
    with pytest.raises(GraphError, match="delimiter is 'ab'"):
        clew.write(graph, tmp_path / "graph.txt", delimiter="ab")


@pytest.mark.parametrize("suffix", [".txt", ".el", ".edges", ".csv"])
@pytest.mark.parametrize("weights", [None, [1.5, 2.5]])
@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize(
    "first",
    [
        ("follower", "followee"),
        ("source", "target"),
        ("date", "weight"),
        ("{}", "a"),
        ("graph", "["),
        ("digraph", "{"),
        ("*vertices", "3"),
    ],
)
def test_a_first_edge_that_reads_like_a_header_comes_back(
    tmp_path: Path, first: tuple[str, str], directed: bool, weights: list[float] | None, suffix: str
) -> None:
    graph = clew.Graph.from_edges([first[0], "ann"], [first[1], "bob"], weights, directed=directed)
    path = tmp_path / f"graph{suffix}"
    clew.write(graph, path)
    assert edges_by_name(clew.read(path, directed=directed)) == edges_by_name(graph)
    if suffix != ".csv":
        assert edges_by_name(clew.read(path, directed=directed, header=False, format="edge-list")) == edges_by_name(
            graph
        )
