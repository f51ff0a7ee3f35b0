"""A run that loses members continues from a checkpoint, with the bits of an uninterrupted run. Members are threads."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import clew
from clew.algorithms.cluster import ClusterWaist
from clew.algorithms.paths.generic import shortest_paths
from clew.algorithms.random_walks import cluster as walking
from clew.engines.cluster import checkpoints
from clew.engines.cluster import own_rows as gathering
from clew.engines.cluster.checkpoints import Checkpoints, decoded, encoded
from clew.engines.cluster.member import Member
from clew.engines.cluster.ranges import in_ranges
from clew.engines.cluster.share import Share, build_share
from clew.engines.cluster.transport import Sockets
from clew.errors import ClusterError
from examples import vertex_programs as examples
from tests.cluster.team import mesh, together

GRAPH = clew.generate.random_weights(clew.generate.rmat(7, edge_factor=6, seed=3), 1, 9, seed=4)
RUNS: dict[str, Callable[[Share], Any]] = {
    "pagerank": lambda share: clew.pagerank(share, tolerance=0, max_iterations=12),
    "label_propagation": lambda share: clew.label_propagation(share, max_iterations=12),
    "bellman_ford": lambda share: shortest_paths(ClusterWaist(share, "cpu"), share, 3),
    "bfs": lambda share: clew.bfs(share, 3),
    "bfs in ranges": lambda share: clew.bfs(in_ranges(share), 3),
    "sssp": lambda share: clew.sssp(share, 3),
    "sssp with far buckets": lambda share: clew.sssp(share, 3, delta=0.001),
    "sssp in ranges": lambda share: clew.sssp(in_ranges(share), 3, delta=0.5),
    "connected_components": clew.connected_components,
    "connected_components, undirected": lambda share: clew.connected_components(share.symmetrized()),
    "connected_components in ranges": lambda share: clew.connected_components(in_ranges(share)),
    "k_core": clew.k_core,
    "triangles": clew.triangles,
    "betweenness": lambda share: clew.betweenness(share, samples=4),
    "condensation": lambda share: clew.condensation(share.reversed()),
    "k_truss": clew.k_truss,
    "biconnected_components": clew.biconnected_components,
    "louvain": clew.louvain,
    "leiden": lambda share: clew.leiden(share, max_iterations=2),
    "maximum_flow": lambda share: clew.maximum_flow(share, 0, 3),
    "most_similar": lambda share: clew.most_similar(share, k=3, method="adamic_adar"),
    "clustering_coefficient": lambda share: clew.clustering_coefficient(share, weighted=True, method="triangles"),
    "edge_betweenness": lambda share: clew.edge_betweenness(share, samples=4),
    "minimum_spanning_forest": clew.minimum_spanning_forest,
    "random_walks": lambda share: clew.random_walks(share, range(99), weighted=True),
    "node2vec_walks": lambda share: clew.node2vec_walks(share.symmetrized(), range(99), length=5, p=0.5),
    "eccentricity": lambda share: clew.eccentricity(share.symmetrized()),
    "strongly_connected_components": clew.strongly_connected_components,
    "coloring": lambda share: clew.coloring(share, method="rounds"),
    "maximal_independent_set": clew.maximal_independent_set,
    "multi_source_bfs": lambda share: clew.multi_source_bfs(share, range(70)),
    "similarity": clew.similarity,
    "program": lambda share: clew.run(examples.ShortestPaths(3), share),
    "gather program": lambda share: clew.run(examples.LabelPropagation(), share),
    "steady program": lambda share: clew.run(examples.PageRank(), share),
}


class LossError(Exception):
    """The member is gone."""


class Fragile(Sockets):
    """A transport that ends after some exchanges; those of a compiled loop up to its next pause count as one."""

    left = 1 << 60

    def exchange(self, *args: Any, **options: Any) -> Any:
        self.count()
        return super().exchange(*args, **options)

    def follow(self, *args: Any) -> None:
        self.count()
        super().follow(*args)

    def count(self) -> None:
        self.left -= 1
        if self.left < 0:
            self.close()
            raise LossError


def stores_of(members: int, folder: Path | None = None, **options: Any) -> list[Checkpoints]:
    """Stores that save every round."""
    path = None if folder is None else str(folder)
    return [Checkpoints(path, restart=0, between_losses=0, **options) for _ in range(members)]


def attempt(run: Callable[[Share], Any], stores: list[Checkpoints], loser: int = -1, exchanges: int = 0) -> list[Any]:
    """What every member finds, or its error; one of them may be lost after some exchanges of its run."""
    source = np.repeat(np.arange(GRAPH.num_vertices), np.diff(GRAPH.indptr))

    def work(transport: Sockets) -> Any:
        transport.__class__ = Fragile
        member = Member(transport, stores[transport.rank])
        mine = slice(transport.rank, None, transport.size)
        share = build_share(
            member, source[mine], GRAPH.indices[mine].astype(np.int64), GRAPH.weights[mine], GRAPH.num_vertices
        )
        transport.left = exchanges if transport.rank == loser else 1 << 60
        try:
            with member.checkpoints.run(member, "run"):
                found = run(share)
            return found.values, found.iterations, (1 << 60) - transport.left
        except (LossError, ClusterError) as error:
            transport.close()
            return error

    return together(work, mesh(len(stores)))


@pytest.fixture(autouse=True)
def pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let compiled loops pause after every superstep, walks after a few, and batches of rows after a few edges."""
    monkeypatch.setattr(walking, "BATCH", 7)
    monkeypatch.setattr(gathering, "ROOM", 64)
    monkeypatch.setattr(checkpoints, "PAUSE", 1)


@pytest.mark.parametrize("name", RUNS)
@pytest.mark.parametrize("members", [2, 4])
def test_a_run_continues_with_the_same_bits(name: str, members: int) -> None:
    """One member is lost at several moments. Its copies are lost too, and its buddy has them."""
    whole = stores_of(members)
    expected = attempt(RUNS[name], whole)
    continued = 0
    for part in (0.1, 0.5, 0.8):
        exchanges = int(part * expected[1][2])
        stores = stores_of(members)
        lost = attempt(RUNS[name], stores, loser=1, exchanges=exchanges)
        assert any(isinstance(each, Exception) for each in lost)
        stores[1:2] = stores_of(1)
        for store in stores:
            store.recover, store.num_saved = True, 0
        again = attempt(RUNS[name], stores)
        for (values, rounds, _), (wanted, total, _) in zip(again, expected, strict=True):
            assert rounds == total
            for column, array in wanted.items():
                assert array.tobytes() == values[column].tobytes(), (name, exchanges, column)
        continued += stores[0].num_saved < whole[0].num_saved
        assert not any(store.copies for store in stores)
    assert continued


def test_short_runs_save_nothing_and_lost_copies_mean_a_run_from_the_beginning() -> None:
    stores = [Checkpoints() for _ in range(4)]
    expected = attempt(RUNS["pagerank"], stores)
    assert not any(store.num_saved for store in stores)
    stores = stores_of(4)
    attempt(RUNS["pagerank"], stores, loser=1, exchanges=45)
    stores[1:3] = stores_of(2)  # member 2 had the copies of member 1
    for store in stores:
        store.recover, store.num_saved = True, 0
    again = attempt(RUNS["pagerank"], stores)
    assert again[0][0]["rank"].tobytes() == expected[0][0]["rank"].tobytes()
    assert stores[0].num_saved == 12


def test_a_folder_keeps_a_run_when_all_members_are_lost(tmp_path: Path) -> None:
    expected = attempt(RUNS["pagerank"], [Checkpoints() for _ in range(4)])
    attempt(RUNS["pagerank"], stores_of(4, tmp_path), loser=2, exchanges=50)
    files = sorted(tmp_path.glob("run/*.npz"))
    assert len(files) >= 4
    last = max(files, key=lambda path: int(path.stem.split("-")[1]))
    last.write_bytes(last.read_bytes()[:-100] + bytes(100))  # damaged: the round before it is used
    resumed = stores_of(4, tmp_path, recover=True)
    found = attempt(RUNS["pagerank"], resumed)
    for (values, *_), (wanted, *_) in zip(found, expected, strict=True):
        assert values["rank"].tobytes() == wanted["rank"].tobytes()
    assert 0 < resumed[0].num_saved < 12
    assert not list(tmp_path.iterdir())  # a run that ends leaves no files


@pytest.mark.parametrize("name", [name for name in RUNS if name.startswith("connected")])
def test_components_go_on_from_a_folder(name: str, tmp_path: Path) -> None:
    expected = attempt(RUNS[name], [Checkpoints() for _ in range(4)])
    attempt(RUNS[name], stores_of(4, tmp_path), loser=2, exchanges=int(0.9 * expected[2][2]))
    resumed = stores_of(4, tmp_path, recover=True)
    found = attempt(RUNS[name], resumed)
    for (values, *_), (wanted, *_) in zip(found, expected, strict=True):
        assert values["label"].tobytes() == wanted["label"].tobytes()
    assert [store.num_restored for store in resumed] == [1] * 4
    assert not list(tmp_path.iterdir())


def test_a_checkpoint_of_a_path_search_has_no_buckets() -> None:
    """They are filled again from the vertices that wait, so a copy has a few numbers per vertex."""
    nbytes: list[int] = []

    class Noting(Checkpoints):
        def visit(self, member: Member, step: int, state: tuple[Any, ...]) -> tuple[Any, ...]:
            nbytes.append(sum(array.nbytes for array in state))
            return super().visit(member, step, state)

    attempt(RUNS["sssp"], [Noting() for _ in range(2)])
    assert max(nbytes) < 40 * GRAPH.num_vertices


def test_states_are_arrays_numbers_and_lists() -> None:
    state = (np.arange(3.0), 7, 2.5, np.uint64(2**63), [1.5, 2.0], np.zeros(2, [("a", "i4"), ("b", "f8")]), True)
    back = decoded(encoded(state), state)
    assert [type(each) for each in back] == [type(each) for each in state]
    assert all(np.array_equal(one, other) for one, other in zip(back, state, strict=True))
    with pytest.raises(TypeError, match="arrays, numbers"):
        encoded((None,))
