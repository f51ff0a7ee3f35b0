"""Where bytes come from and where they go: mapped, packed, piped, cut short; and files that appear only when whole."""

from __future__ import annotations

import bz2
import errno
import gzip
import lzma
import os
import stat
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew.errors import FormatError
from clew.io import source as source_module
from clew.io.sink import Sink
from clew.io.source import COMPRESSION_SUFFIXES as SUFFIXES
from clew.io.source import HEAD_BYTES, Source

PACKERS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": lambda data: pa.compress(data, "zstd", asbytes=True),
}


def text_of(source: Source, size: int) -> bytes:
    """All blocks, after a check that they are what is promised."""
    whole = b""
    for block in source.blocks(size):
        assert block.offset == len(whole)
        assert block.data.size
        assert block.data[-1] == 10
        whole += block.data.tobytes()
    return whole


# ---------------------------------------------------------------- blocks


@pytest.mark.parametrize("suffix", ["", *PACKERS])
@given(st.lists(st.integers(0, 40), max_size=30), st.booleans(), st.integers(1, 50))
@settings(max_examples=30, deadline=None)
def test_blocks_end_at_line_ends(suffix: str, lengths: list[int], last_newline: bool, size: int) -> None:
    text = b"\n".join(b"x" * length for length in lengths) + (b"\n" if last_newline else b"")
    packed = PACKERS[suffix](text) if suffix else text
    assert text_of(Source(packed), size) == text + (b"" if text.endswith(b"\n") or not text else b"\n")


@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_blocks_can_start_anywhere(suffix: str, tmp_path: Path) -> None:
    text = b"".join(b"line %d\n" % i for i in range(1000))
    path = tmp_path / "text"
    path.write_bytes(PACKERS[suffix](text) if suffix else text)
    start = text.index(b"line 500\n")
    found = list(Source(path).blocks(size=128, start=start))
    assert found[0].offset == start
    assert b"".join(block.data.tobytes() for block in found) == text[start:]


def test_a_mapped_file_is_not_copied(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes(b"one\ntwo\nthree\n" * 1000)
    source = Source(path)
    whole = source.whole()
    assert not whole.flags.writeable
    for block in source.blocks(size=100):
        assert np.shares_memory(block.data, whole)


def test_a_long_line_stays_whole(tmp_path: Path) -> None:
    text = b"a\n" + b"x" * 100_000 + b"\nb\n"
    path = tmp_path / "text"
    path.write_bytes(text)
    assert [block.data.size for block in Source(path).blocks(size=10)] == [2, 100_001, 2]
    assert text_of(Source(gzip.compress(text, mtime=0)), 10) == text


def test_reading_may_stop_early() -> None:
    text = b"line\n" * 100_000
    blocks = Source(gzip.compress(text, mtime=0)).blocks(size=1000)
    next(blocks)
    blocks.close()
    assert threading.active_count() < 20


# ---------------------------------------------------------------- compression


@pytest.mark.parametrize("suffix", PACKERS)
def test_packed_files_and_packed_bytes_are_unpacked(suffix: str, tmp_path: Path) -> None:
    text = b"0 1\n1 2\n" * 20_000
    path = tmp_path / f"graph.txt{suffix}"
    path.write_bytes(PACKERS[suffix](text))
    for source in (Source(path), Source(path.read_bytes())):
        assert source.compressed
        assert source.size is None
        assert source.head() == text[:HEAD_BYTES]
        assert source.whole().tobytes() == text
        assert source.size == len(text)
    assert Source(path).suffix == ".txt"
    assert clew.read(path) == clew.read(path.read_bytes()) == clew.read(text)


@pytest.mark.parametrize("suffix", PACKERS)
def test_members_one_after_another_are_one_file(suffix: str) -> None:
    pack = PACKERS[suffix]
    assert Source(pack(b"0 1\n") + pack(b"1 2\n")).whole().tobytes() == b"0 1\n1 2\n"


# Arrow's zstd carries no checksum, so that a changed literal byte goes unnoticed there; a missing end does not.
@pytest.mark.parametrize(
    ("suffix", "damage"), [(suffix, "cut") for suffix in PACKERS] + [(".gz", "flip"), (".bz2", "flip"), (".xz", "flip")]
)
def test_damaged_packed_data_is_an_error(suffix: str, damage: str) -> None:
    rng = np.random.default_rng(5)
    text = b"".join(b"%d %d\n" % (a, b) for a, b in rng.integers(0, 10**6, (20_000, 2)))
    packed = bytearray(PACKERS[suffix](text))
    if damage == "cut":
        del packed[len(packed) // 2 :]
    else:
        packed[len(packed) // 2] ^= 0xFF
        packed[len(packed) // 2 + 100] ^= 0xFF
    with pytest.raises(FormatError, match=r"damaged or cut short"):
        Source(bytes(packed)).whole()
    with pytest.raises(FormatError):
        clew.read(bytes(packed), format="edge-list")


@pytest.mark.parametrize("suffix", PACKERS)
def test_what_was_whole_of_data_cut_short_is_counted(suffix: str) -> None:
    text = np.random.default_rng(6).integers(0, 256, 2_000_000, dtype=np.uint8).tobytes()
    packed = PACKERS[suffix](text)
    with pytest.raises(FormatError, match=r"after [\d,]+ unpacked bytes") as caught:
        Source(packed[: len(packed) // 2]).whole()
    counted = int(str(caught.value).split("after ")[1].split(" ")[0].replace(",", ""))
    assert 800_000 < counted < 1_100_000  # bz2 has blocks of 900,000 bytes


def test_garbage_after_a_gzip_member_is_an_error() -> None:
    with pytest.raises(FormatError, match=r"damaged or cut short"):
        Source(gzip.compress(b"0 1\n", mtime=0) + b"garbage").whole()


def test_a_bomb_is_defused() -> None:
    bomb = gzip.compress(b"0" * 10_000_000, mtime=0)
    with pytest.raises(FormatError, match=r"unpacks to more than 1,000,000 bytes .*max_expanded_bytes"):
        Source(bomb, max_expanded_bytes=1_000_000).whole()
    with pytest.raises(FormatError, match="max_expanded_bytes"):
        list(Source(bomb, max_expanded_bytes=1_000_000).blocks(1000))
    assert Source(bomb, max_expanded_bytes=10_000_000).whole().size == 10_000_000


def test_text_that_starts_like_a_codec_is_text() -> None:
    assert not Source(b"BZh is a name\n").compressed


# ---------------------------------------------------------------- what is no file


def test_what_cannot_be_read_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(FormatError, match="there is no such file"):
        Source(tmp_path / "missing")
    with pytest.raises(FormatError, match=r"this address cannot be opened.*download other files first"):
        clew.read("https://example.org/edges.csv")
    with pytest.raises(FormatError, match="directory"):
        Source(tmp_path)
    with pytest.raises(FormatError, match="device"):
        Source("/dev/null")
    with pytest.raises(FormatError, match="cannot be opened"):
        Source(tmp_path / ("x" * 300))
    path = tmp_path / "secret"
    path.write_bytes(b"0 1\n")

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(FormatError, match="permission to read the file was denied"):
        Source(path)


def test_an_empty_file(tmp_path: Path) -> None:
    path = tmp_path / "empty.txt"
    path.touch()
    assert list(Source(path).blocks()) == []
    assert Source(path).head() == b""
    with pytest.raises(FormatError, match="the file is empty"):
        clew.read(path)


def test_a_pipe_is_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(b"0 1\n1 2\n" * 50_000,))
    writer.start()
    graph = clew.read(path)
    writer.join()
    assert graph.num_edges == 100_000


def test_a_pipe_has_a_cap(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(b"0 1\n" * 100,))
    writer.start()
    with pytest.raises(FormatError, match=r"the pipe holds more than 99 bytes"):
        Source(path, max_expanded_bytes=99)
    writer.join()


# ---------------------------------------------------------------- writing


def names_in(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


@pytest.mark.parametrize("suffix", ["", *SUFFIXES])
def test_what_is_written_comes_back(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"file.txt{suffix}"
    with Sink(path) as sink:
        assert sink.suffix == ".txt"
        assert sink.compression == (suffix or None)
        sink.write(b"some bytes, ")
        sink.write(np.arange(5))
        sink.write(memoryview(b" and more"))
        assert not path.exists()
        assert sink.written == 12 + 40 + 9
    assert Source(path).whole().tobytes() == b"some bytes, " + np.arange(5).tobytes() + b" and more"
    assert Source(path).compressed == bool(suffix)
    assert names_in(tmp_path) == [path.name]


def test_new_files_have_the_usual_permissions_and_old_ones_keep_theirs(tmp_path: Path) -> None:
    path = tmp_path / "file"
    before = os.umask(0o027)
    try:
        with Sink(path) as sink:
            sink.write(b"1")
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
        path.chmod(0o604)
        with Sink(path) as sink:
            sink.write(b"2")
        assert stat.S_IMODE(path.stat().st_mode) == 0o604
    finally:
        os.umask(before)


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    target = tmp_path / "folder" / "real"
    target.write_bytes(b"old")
    link = tmp_path / "link"
    link.symlink_to(target)
    with Sink(link) as sink:
        sink.write(b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"


def write_all(path: Path, parts: list[np.ndarray]) -> None:
    with Sink(path) as sink:
        for part in parts:
            sink.write(part)


class FullDisk:
    """A file that takes some bytes and then has no room for more."""

    def __init__(self, file: object, room: int, failure: BaseException) -> None:
        self._file, self._room, self._failure = file, room, failure

    def write(self, data: object) -> int:
        self._room -= memoryview(data).nbytes  # type: ignore[arg-type]
        if self._room < 0:
            raise self._failure
        return self._file.write(data)  # type: ignore[attr-defined, no-any-return]

    def __getattr__(self, name: str) -> object:
        return getattr(self._file, name)


@pytest.mark.parametrize("suffix", ["", *SUFFIXES])
@pytest.mark.parametrize("kind", ["full", "interrupted"])
def test_a_file_that_cannot_be_finished_leaves_the_old_one(
    suffix: str, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / f"file.txt{suffix}"
    path.write_bytes(b"the old file")
    failure = OSError(errno.ENOSPC, "No space left on device") if kind == "full" else KeyboardInterrupt()
    plain_open = os.fdopen
    monkeypatch.setattr(os, "fdopen", lambda *args: FullDisk(plain_open(*args), 100_000, failure))
    noise = np.random.default_rng(0).integers(0, 256, 1 << 20).astype(np.uint8)
    expected = FormatError if kind == "full" else KeyboardInterrupt
    with pytest.raises(expected) as caught:
        write_all(path, [noise] * 4)
    if kind == "full":
        assert "No space left on device. Nothing was changed." in str(caught.value)
    monkeypatch.undo()
    assert path.read_bytes() == b"the old file"
    assert names_in(tmp_path) == [path.name]


def test_an_error_in_the_block_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(TypeError), Sink(tmp_path / "file.gz") as sink:
        sink.write([b"half", b"no bytes"])  # type: ignore[arg-type]
    assert names_in(tmp_path) == []


def test_a_failing_rename_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")

    def fail(*_: object) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(FormatError, match="could not be written: Input/output error"), Sink(path) as sink:
        sink.write(b"new")
    monkeypatch.undo()
    assert path.read_bytes() == b"old"
    assert names_in(tmp_path) == ["file"]


def test_what_cannot_be_written_to_says_why(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="directory"), Sink(tmp_path):
        pass
    with pytest.raises(FormatError, match="device or a pipe"), Sink("/dev/null"):
        pass
    with (
        pytest.raises(FormatError, match=r"there is no folder .*/a; expected one"),
        Sink(tmp_path / "a" / "b"),
    ):
        pass
    assert Path("/dev/null").is_char_device()


def test_newlines_are_found_far_away() -> None:
    text = np.zeros(1 << 20, dtype=np.uint8)
    assert source_module._last_newline(text) == source_module._next_newline(text, 0) == -1
    text[[3, 700_000]] = 10
    assert source_module._last_newline(text) == source_module._next_newline(text, 4) == 700_000
    assert source_module._last_newline(text[:700_000]) == 3


def test_a_reader_may_be_ended_by_the_thread_that_unpacks_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python's garbage collection runs in any thread, and ends readers that nothing refers to."""
    source = Source(gzip.compress(b"1 2\n" * 100_000))
    paused, ended = threading.Event(), threading.Event()
    unpacked, readers = source._unpacked, []

    def collecting(size: int) -> Iterator[Any]:
        for number, piece in enumerate(unpacked(size)):
            if number == 1:
                assert paused.wait(20)
                readers.pop().close()
                ended.set()
            yield piece

    monkeypatch.setattr(source, "_unpacked", collecting)
    readers.append(source.blocks(size=1 << 10))
    next(readers[0])
    paused.set()
    assert ended.wait(20)
