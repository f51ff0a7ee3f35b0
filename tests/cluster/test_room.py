"""What edges take on the workers that read them, found out before anything is read."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import clew
from clew.distributed.generating import Generators
from clew.distributed.loading import files_of
from clew.distributed.room import bytes_of_files, bytes_of_tiles, check_room, free_bytes
from clew.distributed.tiles import write_share
from clew.engines.cluster.member import Member
from clew.engines.cluster.partition import Grid
from clew.engines.cluster.ranges import in_ranges
from clew.engines.cluster.share import build_share
from clew.io import tiles
from clew.plan import cluster as plan
from tests.cluster.team import mesh, together


class Opened:
    """As much of a cluster as the checks need."""

    def __init__(self, free: list[int], nodes: str = "aa") -> None:
        self.workers = [{"host": "h", "node": node, "threads": 1} for node in nodes]
        self.free, self.built = free, 0

    def free_bytes(self) -> list[int]:
        return self.free

    def check_room(self, nbytes: int, what: str) -> None:
        check_room(self.workers, self.free, nbytes, what)

    def build_by(self, *_: Any) -> None:
        self.built += 1


def test_workers_of_one_node_share_its_memory_and_not_their_own_limits() -> None:
    """Nodes may have the same host name, and a plan divides memory as loading does."""

    def free(pools: list[dict[str, int]], nodes: str = "aa") -> list[int]:
        opened = Opened([], nodes)
        opened.free = free_bytes(opened.workers, pools)
        graph: Any = type("Graph", (), {"cluster": opened})
        assert plan._room(graph) == (1, min(opened.free))
        return opened.free

    assert free([{"machine": 1000, "one": 300}, {"machine": 1000, "other": 400}]) == [300, 400]
    assert free([{"machine": 1000, "container": 300}] * 2) == [150, 150]
    assert free([{"machine": 500}] * 2) == [250, 250]
    assert free([{"machine": 500, "container": 300}] * 2, "ab") == [300, 300]


def test_what_does_not_fit_is_refused_with_numbers() -> None:
    opened = Opened([300, 400])
    opened.check_room(600, "the edges")
    with pytest.raises(clew.ClusterError, match=r"the edges need at least 301 bytes .* have 300 bytes each"):
        opened.check_room(602, "the edges")


def test_rows_of_parquet_files_count_and_not_their_compressed_bytes(tmp_path: Path) -> None:
    rows = 100_000
    for name in ("a", "b"):
        pq.write_table(
            pa.table({"u": np.zeros(rows, np.int64), "v": np.zeros(rows, np.int64)}), tmp_path / f"{name}.parquet"
        )
    files = files_of(tmp_path / "*.parquet")
    assert sum(size for _, size in files) < rows
    assert bytes_of_files(files, {}) == 16 * rows
    assert bytes_of_files(files, {"directed": False}) == 32 * rows
    assert bytes_of_files(files * 40, {}) == 40 * 16 * rows  # not every footer is read
    (tmp_path / "c.csv").write_text("1,2\n")
    files = files_of(tmp_path / "*")
    assert bytes_of_files(files, {}) == sum(size for _, size in files)
    (tmp_path / "a.parquet").write_bytes(b"PAR1 damaged")  # the worker that reads it says so
    assert bytes_of_files(files_of(tmp_path / "a.parquet"), {}) == 12


@pytest.mark.parametrize("ranges", [False, True])
def test_tiles_of_another_grid_take_room_for_all_edges(tmp_path: Path, ranges: bool) -> None:
    folder = str(tmp_path / "graph.clewd")
    graph = clew.generate.random_weights(clew.generate.rmat(6, seed=1), 1, 9)
    ends = np.repeat(np.arange(64), np.diff(graph.indptr)), graph.indices.astype(np.int64)

    def write(transport: Any) -> Any:
        given = ends if transport.rank == 0 else (np.empty(0, np.int64),) * 2
        weights = graph.weights if transport.rank == 0 else graph.weights[:0]
        share = build_share(Member(transport), *given, weights, 64)
        return write_share(in_ranges(share) if ranges else share, folder)

    Path(folder).mkdir()
    written = together(write, mesh(4))
    tiles.write_header(folder, replace(written[0][0], tiles=tuple(tile for _, tile in written)))
    moved = graph.num_arcs * (8 + graph.weights.itemsize)
    assert bytes_of_tiles(folder, Grid(4)) == (moved if ranges else 0)
    assert bytes_of_tiles(folder, Grid(6)) == moved


def test_a_generator_is_refused_before_its_edges_are_drawn() -> None:
    opened: Any = Opened([8 << 10, 8 << 10])
    Generators(opened).rmat(7, edge_factor=16)
    with pytest.raises(clew.ClusterError, match=r"the edges of kronecker need at least 16,384 bytes on every worker"):
        Generators(opened).kronecker(7, edge_factor=16)
    assert opened.built == 1
