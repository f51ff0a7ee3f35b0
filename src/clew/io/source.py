"""Bytes to read from: a memory-mapped file, a compressed file unpacked block by block, or a buffer.

Readers see one interface. The first bytes identify the compression. Memory stays bounded: text is read in blocks of
whole lines. A second thread decompresses the next block while the previous one is parsed.
"""

from __future__ import annotations

import gzip
import io
import mmap
import re
import stat
import zipfile
import zlib
from bz2 import BZ2File
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from enum import IntEnum
from lzma import LZMAError, LZMAFile
from pathlib import Path
from threading import current_thread
from typing import IO, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from clew.convert.libraries import how_to_convert
from clew.errors import FormatError

Bytes = npt.NDArray[np.uint8]

#: Errors of the decompressors on damaged or truncated data (Arrow's errors are ValueErrors and OSErrors).
BROKEN = (EOFError, OSError, ValueError, zlib.error, LZMAError, zipfile.BadZipFile, NotImplementedError)
START_BYTES = 16
HEAD_BYTES = 1 << 16
BLOCK_BYTES = 1 << 25  # enough to keep every core busy, and small compared with large graphs
SMALL_BYTES = 1 << 12
NEWLINE = 10
UNPACKING = "clew-unpack"  # the name of threads


class Match(IntEnum):
    """How well the first bytes of a file fit a format."""

    NO = 0
    MAYBE = 1
    SURE = 2


class Codec(NamedTuple):
    """A compression: its suffix, the pattern of its first bytes, and its streams."""

    suffix: str
    magic: bytes
    open: Callable[[Any], Any]
    wrap: Callable[[IO[bytes]], Any]


class SinkFile(io.RawIOBase):
    """A sink, or an open file, as an append-only file object, for libraries that need one. They may close it."""

    def __init__(self, sink: Any) -> None:
        self._sink = sink
        self._place = 0

    def writable(self) -> bool:
        """Yes."""
        return True

    def write(self, data: Any) -> int:
        """Append; returns how many bytes that were."""
        view = memoryview(data).cast("B")
        self._sink.write(view)
        self._place += len(view)
        return len(view)

    def tell(self) -> int:
        """How many bytes were written."""
        return self._place


def _arrow() -> Any:
    import pyarrow

    return pyarrow


def opened(data: Bytes) -> Any:
    """Bytes as a file object that shares their memory."""
    return _arrow().BufferReader(_arrow().py_buffer(data))


_CODECS = (
    Codec(
        ".gz",
        rb"\x1f\x8b\x08",
        lambda raw: gzip.GzipFile(fileobj=opened(raw)),
        lambda file: gzip.GzipFile(fileobj=file, mode="wb", compresslevel=6, mtime=0),
    ),
    Codec(
        ".bz2", rb"BZh[1-9](1AY&SY|\x17rE8P\x90)", lambda raw: BZ2File(opened(raw)), lambda file: BZ2File(file, "wb")
    ),
    Codec(".xz", rb"\xfd7zXZ\x00", lambda raw: LZMAFile(opened(raw)), lambda file: LZMAFile(file, "wb")),  # noqa: SIM115
    Codec(
        ".zst",
        rb"\x28\xb5\x2f\xfd",
        lambda raw: _arrow().CompressedInputStream(opened(raw), "zstd"),
        lambda file: _arrow().CompressedOutputStream(_arrow().PythonFile(SinkFile(file), mode="w"), "zstd"),
    ),
)
COMPRESSION_SUFFIXES = tuple(codec.suffix for codec in _CODECS)


def codec_of(start: bytes) -> Codec | None:
    """The codec whose data begins like ``start`` (``START_BYTES`` of it are enough), or None."""
    return next((codec for codec in _CODECS if re.match(codec.magic, start, re.DOTALL)), None)


def codec_for(suffix: str | None) -> Codec | None:
    """The codec of a file name's suffix, or None."""
    return next((codec for codec in _CODECS if codec.suffix == suffix), None)


class Block(NamedTuple):
    """Consecutive bytes of a text that end with a newline; ``offset`` is where in the text they start."""

    data: Bytes
    offset: int


class Source:
    """Where a graph is read from.

    Parameters
    ----------
    origin
        A path, or an object with the buffer protocol (``bytes``, ``memoryview``, an array). Either may be compressed:
        its first bytes tell.
    max_expanded_bytes
        Where to stop decompressing; None is the larger of 1 GiB and 200 times the compressed size.
    """

    def __init__(self, origin: str | Path | bytes | memoryview, *, max_expanded_bytes: int | None = None) -> None:
        self.path = Path(origin) if isinstance(origin, (str, Path)) else None
        self.name = "<bytes>" if self.path is None else str(self.path)
        self._mapping: mmap.mmap | None = None
        if self.path is not None:
            self._raw = self._open(self.path, max_expanded_bytes)
        else:
            try:
                self._raw = np.frombuffer(origin, dtype=np.uint8)  # type: ignore[arg-type]
            except TypeError:
                open_file = ". Of an open file, pass its name, or what file.read() gives in binary mode"
                raise FormatError(
                    f"cannot read from an object of type {type(origin).__name__}; expected a path or bytes"
                    f"{how_to_convert(origin) or open_file}."
                ) from None
        self._codec: Codec | None = codec_of(self._raw[:START_BYTES].tobytes())
        #: How many bytes the file may unpack to.
        usual = max(1 << 30, 200 * self._raw.size)
        self.expansion_limit = usual if max_expanded_bytes is None else max_expanded_bytes
        self._whole: Bytes | None = self._raw if self._codec is None else None
        self._head: bytes | None = None

    @property
    def suffix(self) -> str:
        """The ending of the file's name without its compression suffix, in lower case."""
        return "" if self.path is None else plain_suffix(self.path)

    @property
    def compressed(self) -> bool:
        """Whether bytes have to be unpacked before they can be read."""
        return self._codec is not None

    @property
    def size(self) -> int | None:
        """The number of bytes, or None where that is known only after unpacking."""
        return None if self._whole is None else self._whole.size

    @property
    def stored_bytes(self) -> int:
        """The number of bytes on disk, before unpacking."""
        return int(self._raw.size)

    def head(self) -> bytes:
        """The first bytes, at most 64 KiB."""
        if self._head is None:
            if self._whole is not None:
                self._head = self._whole[:HEAD_BYTES].tobytes()
            else:
                with closing(self._unpacked(HEAD_BYTES)) as pieces:
                    self._head = next(pieces, np.empty(0, np.uint8))[:HEAD_BYTES].tobytes()
        return self._head

    def whole(self) -> Bytes:
        """All bytes at once: the memory map itself, or everything unpacked."""
        if self._whole is None:
            whole = np.empty(0, dtype=np.uint8)
            for piece in self._unpacked(BLOCK_BYTES):
                # Growing an array moves its pages, not its bytes, so that there is never a second copy.
                whole.resize(whole.size + piece.size, refcheck=False)
                whole[whole.size - piece.size :] = piece
            self._whole = whole
        return self._whole

    def blocks(self, size: int = BLOCK_BYTES, start: int = 0) -> Generator[Block, None, None]:
        """The text from byte ``start`` (where a line begins) on, in blocks of about ``size`` bytes.

        A block is never empty and always ends with a newline: a last line without one gets it. Blocks of a memory map
        are not copied, and their pages are released when the next block is read.
        """
        if self._whole is not None:
            yield from self._mapped_blocks(self._whole, size, start)
            return
        offset = 0
        pieces, pool = self._unpacked_blocks(size), ThreadPoolExecutor(1, UNPACKING)
        try:
            ahead = pool.submit(next, pieces, None)
            while (data := ahead.result()) is not None:
                ahead = pool.submit(next, pieces, None)
                skipped = min(max(0, start - offset), data.size)
                if skipped < data.size:
                    yield Block(data[skipped:], offset + skipped)
                offset += data.size
        finally:
            # Python's garbage collection may end a reader in any thread, and this one cannot wait for itself.
            waits = not current_thread().name.startswith(UNPACKING)
            pool.shutdown(wait=waits)
            if waits:
                pieces.close()

    def lines_before(self) -> int:
        """The number of lines before the first one here: none, unless this is a part of a text."""
        return 0

    def error(
        self, problem: str, *, line: int | None = None, column: int | None = None, remedy: str = "", option: str = ""
    ) -> FormatError:
        """A ``FormatError`` about this file, for the caller to raise."""
        return FormatError(problem, path=self.name, line=line, column=column, remedy=remedy, option=option)

    def _open(self, path: Path, limit: int | None) -> Bytes:
        try:
            mode = path.stat().st_mode
            if stat.S_ISDIR(mode):
                raise self.error("this is a directory; expected a file. Name one of the files in it.")
            if stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
                raise self.error("this is a device; expected a file or a pipe.")
            with path.open("rb") as file:
                if not stat.S_ISREG(mode):
                    return self._drained(file, 1 << 30 if limit is None else limit)
                if file.seek(0, io.SEEK_END) == 0:
                    return np.empty(0, dtype=np.uint8)
                self._mapping = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
                return np.frombuffer(self._mapping, dtype=np.uint8)
        except FileNotFoundError:
            raise self.error("there is no such file.") from None
        except PermissionError:
            raise self.error("permission to read the file was denied; check its mode and owner.") from None
        except OSError as error:
            raise self.error(f"the file cannot be opened: {error.strerror or error}.") from None

    def _drained(self, pipe: IO[bytes], limit: int) -> Bytes:
        """All bytes of a pipe: it can be neither mapped nor read twice."""
        data = pipe.read(limit + 1)
        if len(data) > limit:
            raise self.error(
                f"the pipe holds more than {limit:,} bytes; raise the cap with max_expanded_bytes=…, "
                "or write it to a file first."
            )
        return np.frombuffer(data, dtype=np.uint8)

    def _mapped_blocks(self, text: Bytes, size: int, start: int) -> Iterator[Block]:
        while start < text.size:
            cut = start + _last_newline(text[start : start + size]) + 1
            if cut == start:
                cut = _next_newline(text, min(start + size, text.size)) + 1
            if cut == 0:  # the last line, which has no newline
                yield Block(np.append(text[start:], np.uint8(NEWLINE)), start)
                return
            yield Block(text[start:cut], start)
            self._forget(start, cut)
            start = cut

    def _forget(self, start: int, stop: int) -> None:
        """Tell the system that these bytes of the map are not needed in memory any more."""
        first = -(-start // mmap.PAGESIZE) * mmap.PAGESIZE
        if self._mapping is not None and stop > first:
            self._mapping.madvise(mmap.MADV_DONTNEED, first, stop - first)

    def _unpacked_blocks(self, size: int) -> Generator[Bytes, None, None]:
        line: list[Bytes] = []  # the line that is not yet complete
        for piece in self._unpacked(size):
            cut = _last_newline(piece) + 1
            if cut == 0:
                line.append(piece)
                continue
            yield np.concatenate([*line, piece[:cut]]) if line else piece[:cut]
            line = [piece[cut:]] if cut < piece.size else []
        if line:
            yield np.concatenate([*line, np.array([NEWLINE], dtype=np.uint8)])

    def _unpacked(self, size: int) -> Generator[Bytes, None, None]:
        """What the file unpacks to, ``size`` bytes at a time (the last piece is shorter)."""
        assert self._codec is not None
        total = 0
        try:
            with self._codec.open(self._raw) as stream:
                while (piece := _filled(stream, size)).size:
                    total += piece.size
                    if total > self.expansion_limit:
                        break
                    yield piece
        except FormatError:
            raise
        except BROKEN as error:
            raise self.error(
                f"the {self._codec.suffix} data is damaged or cut short after {self._sound_bytes():,} unpacked bytes "
                f"({error}); copy or download the file again."
            ) from None
        if total > self.expansion_limit:
            raise self.error(
                f"the file unpacks to more than {self.expansion_limit:,} bytes ({self._raw.size:,} on disk); "
                "if that is right, raise the cap with max_expanded_bytes=…"
            )

    def _sound_bytes(self) -> int:
        """The number of bytes that can be decompressed before an error, counted in small steps."""
        assert self._codec is not None
        total = 0
        with suppress(*BROKEN), self._codec.open(self._raw) as stream:
            while piece := stream.read1(SMALL_BYTES):
                total += len(piece)
        return total


def plain_suffix(path: Path) -> str:
    """The ending of a file's name without its compression suffix, in lower case."""
    return without_compression(path).suffix.lower()


def without_compression(path: Path) -> Path:
    """The path without its compression suffix."""
    return path.with_suffix("") if path.suffix.lower() in COMPRESSION_SUFFIXES else path


def packed_or_not(folder: Path, name: str) -> Path | None:
    """The file of this name, compressed or not; None where there is none."""
    candidates = (folder / (name + compression) for compression in ("", *COMPRESSION_SUFFIXES))
    return next((candidate for candidate in candidates if candidate.is_file()), None)


def _filled(stream: IO[bytes], size: int) -> Bytes:
    """The next ``size`` bytes, fewer only at the end; one read of a stream may return less."""
    buffer = np.empty(size, dtype=np.uint8)
    view = memoryview(buffer)  # type: ignore[arg-type]
    filled = 0
    while filled < size and (got := stream.readinto(view[filled:])):  # type: ignore[attr-defined]
        filled += got
    return buffer[:filled]


def _last_newline(window: Bytes) -> int:
    """The position of the last newline, or -1. The search starts at the end, where it nearly always is."""
    from_end = _next_newline(window[::-1], 0)
    return -1 if from_end < 0 else window.size - 1 - from_end


def _next_newline(text: Bytes, start: int) -> int:
    """The position of the first newline from ``start`` on, or -1."""
    step = 1 << 12
    while start < text.size:
        found = np.flatnonzero(text[start : start + step] == NEWLINE)
        if found.size:
            return start + int(found[0])
        start += step
        step = min(2 * step, 1 << 24)
    return -1
