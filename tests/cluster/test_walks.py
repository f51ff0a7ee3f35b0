"""Random walks on members are those of one machine, whatever the grid."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import clew
from clew.algorithms.random_walks import cluster as walking
from clew.engines.cluster import own_rows as gathering
from clew.engines.cluster.member import Member
from clew.engines.cluster.own_rows import own_rows
from clew.engines.cluster.ranges import in_ranges
from clew.engines.cluster.share import build_share
from tests.cluster.team import on_team, run_on_team, together
from tests.cluster.test_worker import Post, mailboxes

GRAPHS = {
    "undirected": clew.generate.kronecker(7, seed=1),
    "directed, with vertices that lead nowhere": clew.generate.rmat(7, edge_factor=2, seed=2),
    "parallel edges": clew.Graph.from_edges([0, 0, 0, 1, 2, 2, 3], [1, 1, 2, 2, 0, 0, 3], duplicates="keep"),
    "a star": clew.generate.star(60),
}
WALKS: list[tuple[str, dict[str, Any]]] = [
    ("random_walks", {"length": 12}),
    ("random_walks", {"length": 7, "walks": 3, "weighted": True, "seed": 5}),
    ("node2vec_walks", {"length": 9, "p": 4.0, "q": 0.25}),
    ("node2vec_walks", {"length": 6, "p": 0.3, "q": 3.0, "weighted": True, "walks": 2}),
]


def weighted(graph: clew.Graph) -> clew.Graph:
    return clew.generate.random_weights(graph, 0, 4, seed=3, dtype="float64")


@pytest.mark.parametrize("members", [1, 2, 4, 6, 9])
@pytest.mark.parametrize("title", GRAPHS)
def test_walks_are_those_of_one_machine(title: str, members: int) -> None:
    for name, options in WALKS:
        graph = weighted(GRAPHS[title]) if "weighted" in options else GRAPHS[title]
        sources = np.arange(graph.num_vertices)[::-1]
        expected = getattr(clew, name)(graph, sources, **options)
        found = on_team(members, graph, name, {"sources": sources, **options})
        assert found.walk.dtype == expected.walk.dtype
        assert np.array_equal(found.walk, expected.walk), (name, options)


def test_walks_in_several_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Members have different numbers of walks, and some batches are empty on some of them."""
    monkeypatch.setattr(walking, "BATCH", 5)
    monkeypatch.setattr(gathering, "ROUND", 16)
    graph = weighted(GRAPHS["undirected"])
    for sources in (range(23), [], [9]):
        for name, options in WALKS:
            found = on_team(4, graph, name, {"sources": sources, **options})
            assert np.array_equal(found.walk, getattr(clew, name)(graph, sources, **options).walk)
    assert on_team(2, graph, "random_walks", {"sources": [3], "length": 0}).walk.tolist() == [[3]]


def test_walks_in_ranges_backwards_and_by_name() -> None:
    graph = weighted(GRAPHS["directed, with vertices that lead nowhere"])
    sources = np.arange(graph.num_vertices)
    expected = clew.random_walks(graph, sources, weighted=True)
    assert np.array_equal(
        on_team(3, graph, "random_walks", {"sources": sources, "weighted": True}, in_ranges).walk, expected.walk
    )
    back = run_on_team(4, graph, lambda share: clew.random_walks(share.reversed(), sources))
    assert np.array_equal(back.walk, clew.random_walks(graph.reversed(), sources).walk)
    named = clew.Graph.from_edges(list("abcab"), list("bcdad"))
    assert np.array_equal(
        on_team(4, named, "random_walks", {"sources": list("dba")}).walk, clew.random_walks(named, list("dba")).walk
    )
    with pytest.raises(clew.GraphError, match="no vertex is called 'x'"):
        on_team(4, named, "random_walks", {"sources": ["a", "x"]})


def test_walks_over_mailboxes() -> None:
    """Where ports are closed, walks need no sockets."""
    graph = weighted(GRAPHS["undirected"])
    ends = np.repeat(np.arange(graph.num_vertices), graph.degrees()), graph.indices.astype(np.int64)

    def work(box: Any) -> np.ndarray:
        mine = [each[box.rank :: 3] for each in (*ends, graph.weights)]
        share = build_share(Member(box), *mine, graph.num_vertices, directed=False)
        return clew.node2vec_walks(share, range(20), length=5, p=2.0, weighted=True).walk

    found = np.concatenate(together(work, mailboxes(3, Post())))
    assert np.array_equal(found, clew.node2vec_walks(graph, range(20), length=5, p=2.0, weighted=True).walk)


@pytest.mark.parametrize("members", [1, 4, 6])
def test_own_rows_are_the_rows_of_the_graph(members: int) -> None:
    graph = weighted(GRAPHS["directed, with vertices that lead nowhere"])
    for transpose, rows in ((False, graph.outgoing), (True, graph.incoming)):

        def check(share: Any, transpose: bool = transpose, rows: Any = rows) -> clew.Result:
            own = own_rows(share, transpose=transpose, weighted=True)
            assert own_rows(share, transpose=transpose) is own
            for place, vertex in enumerate(share.ids):
                mine, there = (slice(each.indptr[v], each.indptr[v + 1]) for each, v in ((own, place), (rows, vertex)))
                assert np.array_equal(own.indices[mine], rows.indices[there])
                assert np.array_equal(own.weights[mine], rows.weights[there])
            return clew.Result("rows", {"id": share.ids})

        run_on_team(members, graph, check)
