"""Files at addresses that pyarrow opens: local ones, and those of an S3 server that runs in this process."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pyarrow import fs

import clew
from clew.distributed import loading
from tests.cluster.test_loading import edges_of, named_edges, read_together
from tests.cluster.test_tiles import open_together, write_together

GRAPH = clew.generate.random_weights(clew.generate.rmat(6, edge_factor=5, seed=3), 1, 9, seed=4)
NAMED = clew.Graph.from_edges([f"v{k % 37}" for k in range(90)], [f"v{k % 11}" for k in range(90)])


@pytest.fixture(scope="module")
def s3() -> Iterator[str]:
    """The start of addresses in a bucket, and the options that lead to the server, with a %s between them."""
    server = pytest.importorskip("moto.server", reason="moto[s3], flask or flask-cors is not installed")
    running = server.ThreadedMotoServer(port=0, verbose=False)
    running.start()
    host, port = running.get_host_and_port()
    options = f"?scheme=http&endpoint_override={host}:{port}&allow_bucket_creation=true"
    system, _ = fs.FileSystem.from_uri(f"s3://key:secret@bucket{options}")
    system.create_dir("bucket")
    yield f"s3://key:secret@bucket/%s{options}"
    running.stop()


@pytest.fixture(params=["file", "s3"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return f"file://{tmp_path}/%s" if request.param == "file" else request.getfixturevalue("s3")


def put(address: str, name: str, path: Path) -> None:
    """A local file at an address."""
    system, place = fs.FileSystem.from_uri(address % name)
    system.create_dir(place.rpartition("/")[0], recursive=True)
    with system.open_output_stream(place, compression=None) as stream:
        stream.write(path.read_bytes())


@pytest.mark.parametrize("suffix", [".parquet", ".arrow", ".csv", ".csv.gz", ".txt", ".clew", ".mtx"])
def test_one_process_and_many_read_a_file_at_an_address(
    suffix: str, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loading, "SMALLEST", 64)
    for name, graph in (("numbers", GRAPH), ("names", NAMED)):
        local = tmp_path / f"{name}-local{suffix}"
        clew.write(graph, local)
        put(address, f"{name}{suffix}", local)
        expected = clew.read(local)
        assert clew.read(address % f"{name}{suffix}") == expected
        done = read_together(3, address % f"{name}{suffix}")
        assert edges_of(done) == named_edges(expected)


def test_patterns_and_folders_at_an_address(address: str, tmp_path: Path) -> None:
    parts = [clew.Graph.from_edges(np.arange(k, k + 5), np.arange(k + 1, k + 6)) for k in range(0, 15, 5)]
    for k, part in enumerate(parts):
        local = tmp_path / f"local{k}.csv"
        clew.write(part, local)
        put(address, f"edges/{k}.csv", local)
    put(address, "edges/_success", local)
    for pattern in ("edges/*.csv", "edges", "edges/[0-2].csv"):
        names = [name.partition("?")[0].rpartition("/")[2] for name, _ in loading.files_of(address % pattern)]
        assert names == ["0.csv", "1.csv", "2.csv"]
    assert len(edges_of(read_together(2, address % "edges/*.csv"))) == 15
    with pytest.raises(clew.FormatError, match="no file has this name, or matches this pattern"):
        loading.files_of(address % "edges/*.parquet")
    with pytest.raises(clew.FormatError, match="there is no such file") as caught:
        clew.read(address % "edges/9.csv")
    assert "secret" not in str(caught.value)


def test_folders_of_tiles_at_an_address(address: str) -> None:
    for graph in (GRAPH, NAMED):
        place = address % "graph.clewd"
        write_together(2, graph, place)
        assert clew.read(place) == graph
        for members in (2, 3):
            assert edges_of(open_together(members, place)) == named_edges(graph)
    clew.write(GRAPH, address % "one.clewd")
    assert clew.read(address % "one.clewd") == GRAPH
    with pytest.raises(clew.GraphError, match=r"only \.clewd folders are written to addresses"):
        clew.write(GRAPH, address % "graph.csv")


def test_addresses_that_cannot_be_opened_say_so() -> None:
    for url in ("https://example.org/edges.csv", "nothing://x/y.csv"):
        with pytest.raises(
            clew.FormatError, match=r"cannot be opened.*pyarrow opens s3://, gs://, hdfs:// and file://"
        ):
            clew.read(url)


def test_a_path_that_has_lost_a_slash_is_an_address(tmp_path: Path) -> None:
    clew.write(GRAPH, tmp_path / "a.csv")
    options: dict[str, Any] = {"directed": True}
    assert clew.read(Path(f"file://{tmp_path}/a.csv"), **options) == clew.read(tmp_path / "a.csv", **options)
