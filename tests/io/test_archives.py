"""Files in zip and tar archives."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from pathlib import Path

import pytest

import clew
from tests.io.fuzzing import assert_valid, fuzz

EDGES = b"source,target\nann,bob\nbob,cy\n"


def zipped(**files: bytes) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name.replace("_", "."), content)
    return data.getvalue()


@pytest.mark.quick
def test_the_only_file_is_read_whatever_a_mac_adds(tmp_path: Path) -> None:
    path = tmp_path / "graph.zip"
    path.write_bytes(zipped(**{"folder/edges_csv": EDGES, "__MACOSX/._edges_csv": b"\0", ".DS_Store": b"\0"}))
    graph = clew.read(path)
    assert list(graph.names) == ["ann", "bob", "cy"]
    assert clew.read(f"{path}::folder/edges.csv") == graph
    assert clew.read(path.read_bytes()) == graph


def test_several_files_are_a_question(tmp_path: Path) -> None:
    path = tmp_path / "graph.zip"
    path.write_bytes(zipped(edges_csv=EDGES, more_csv=EDGES + b"cy,dan\n"))
    with pytest.raises(clew.FormatError, match=r"which file .* has 'edges.csv', 'more.csv'.*graph.zip::edges.csv'"):
        clew.read(path)
    assert clew.read(Path(f"{path}::more.csv")).num_edges == 3
    with pytest.raises(clew.FormatError, match=r"no file 'x.csv' in the archive; it has 'edges.csv'"):
        clew.read(f"{path}::x.csv")


def tarred(**files: bytes) -> bytes:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as archive:
        for name, content in files.items():
            info = tarfile.TarInfo(name.replace("_", "."))
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return data.getvalue()


@pytest.mark.quick
def test_tar_archives_are_read_as_zip_archives_are(tmp_path: Path) -> None:
    path = tmp_path / "graph.tar.gz"
    path.write_bytes(gzip.compress(tarred(edges_csv=EDGES, README=b"read me")))
    with pytest.raises(clew.FormatError, match=r"which file .* has 'edges.csv', 'README'"):
        clew.read(path)
    assert list(clew.read(f"{path}::edges.csv").names) == ["ann", "bob", "cy"]
    assert clew.read(tarred(**{"folder/edges_csv": EDGES})).num_edges == 2
    with pytest.raises(clew.FormatError, match="damaged or cut short"):
        clew.read(tarred(edges_csv=EDGES)[:520])


def test_errors_name_the_file_inside(tmp_path: Path) -> None:
    path = tmp_path / "graph.zip"
    path.write_bytes(zipped(edges_txt=b"0 1\n2\n"))
    with pytest.raises(clew.FormatError, match=r"graph.zip::edges.txt, line 2"):
        clew.read(path)


def test_compressed_files_inside_are_unpacked_twice() -> None:
    assert clew.read(zipped(edges_gz=gzip.compress(EDGES))).num_edges == 2


def test_what_cannot_be_read_gets_a_sentence(tmp_path: Path) -> None:
    plain = tmp_path / "edges.txt"
    plain.write_bytes(b"0 1\n")
    with pytest.raises(clew.FormatError, match="this is no zip or tar archive, so there is no file 'x'"):
        clew.read(f"{plain}::x")
    with pytest.raises(clew.FormatError, match="no files in it"):
        clew.read(zipped())
    data = zipped(edges_csv=EDGES)
    with pytest.raises(clew.FormatError, match="damaged or cut short"):
        clew.read(data[:-9])
    locked = data.replace(b"PK\x01\x02\x14\x03\x14\x00\x00", b"PK\x01\x02\x14\x03\x14\x00\x01")
    with pytest.raises(clew.FormatError, match="is encrypted"):
        clew.read(locked)
    with pytest.raises(clew.FormatError, match="unpacks to more than 9 bytes"):
        clew.read(data, max_expanded_bytes=9)


def test_an_existing_file_with_colons_is_itself(tmp_path: Path) -> None:
    path = tmp_path / "a::b.csv"
    path.write_bytes(EDGES)
    assert_valid(clew.read(path))


def test_damaged_archives() -> None:
    fuzz([zipped(edges_csv=EDGES), tarred(edges_csv=EDGES)], "edge-list", 500)
