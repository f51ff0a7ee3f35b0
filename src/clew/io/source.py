"""Bytes to read from: a memory-mapped file, a compressed file unpacked block by block, or a buffer.

Readers see one interface, whatever lies underneath. Memory stays bounded: text is handed out in blocks that end at a line's
end, and a compressed file is unpacked by a second thread while the block before it is parsed.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import mmap
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import IO, Any, NamedTuple, NoReturn

import numpy as np
import numpy.typing as npt

from clew.errors import FormatError

Bytes = npt.NDArray[np.uint8]

HEAD_BYTES = 1 << 16
BLOCK_BYTES = 1 << 26  # large enough to keep every core busy, small beside the graphs that need blocks at all
NEWLINE = 10


def _open_zstd(path: Path) -> IO[bytes]:
    import pyarrow as pa

    return pa.CompressedInputStream(pa.OSFile(str(path)), "zstd")  # type: ignore[return-value]


class _Codec(NamedTuple):
    suffix: str
    magic: bytes
    open: Callable[[Path], IO[bytes]]


_CODECS = (
    _Codec(".gz", b"\x1f\x8b", lambda path: gzip.open(path, "rb")),
    _Codec(".bz2", b"BZh", lambda path: bz2.open(path, "rb")),
    _Codec(".xz", b"\xfd7zXZ\x00", lambda path: lzma.open(path, "rb")),
    _Codec(".zst", b"\x28\xb5\x2f\xfd", _open_zstd),
)
COMPRESSION_SUFFIXES = tuple(codec.suffix for codec in _CODECS)


class Block(NamedTuple):
    """Consecutive bytes of a text; ``line`` is the number of the first line, counted from 1."""

    data: Bytes
    line: int
    offset: int


class Source:
    """Where a graph is read from.

    Parameters
    ----------
    origin
        A path, or an object with the buffer protocol (``bytes``, ``memoryview``, an array).
    max_expanded_bytes
        Where to stop decompressing; None is the larger of 1 GiB and 200 times the compressed size.
    """

    def __init__(
        self, origin: str | Path | bytes | memoryview, *, max_expanded_bytes: int | None = None
    ) -> None:
        self.path = Path(origin) if isinstance(origin, (str, Path)) else None
        self.name = "<bytes>" if self.path is None else str(self.path)
        self._raw = self._map(self.path) if self.path else np.frombuffer(origin, dtype=np.uint8)  # type: ignore[arg-type]
        self._codec = None if self.path is None else self._detect_codec()
        expanded = max(1 << 30, 200 * self._raw.size)
        self._limit = expanded if max_expanded_bytes is None else max_expanded_bytes
        self._whole: Bytes | None = self._raw if self._codec is None else None
        self._head: bytes | None = None

    @property
    def suffix(self) -> str:
        """The ending of the file's name without its compression suffix, in lower case."""
        if self.path is None:
            return ""
        suffixes = [suffix.lower() for suffix in self.path.suffixes]
        if suffixes and suffixes[-1] in COMPRESSION_SUFFIXES:
            suffixes.pop()
        return suffixes[-1] if suffixes else ""

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
                self._head = next(self._unpacked(HEAD_BYTES), b"")
        return self._head

    def whole(self) -> Bytes:
        """All bytes at once: the memory map itself, or everything unpacked."""
        if self._whole is None:
            pieces = list(self._unpacked(BLOCK_BYTES))
            self._whole = np.frombuffer(b"".join(pieces), dtype=np.uint8)
        return self._whole

    def blocks(self, size: int = BLOCK_BYTES) -> Iterator[Block]:
        """The text in blocks of about ``size`` bytes, each ending after a newline or at the end of the text."""
        windows = self._mapped(size) if self._whole is not None else self._prefetched(size)
        line, offset = 1, 0
        carry: list[Bytes] = []
        for window in windows:
            cut = _last_newline(window) + 1
            if cut == 0:
                carry.append(window)
                continue
            data = np.concatenate([*carry, window[:cut]]) if carry else window[:cut]
            yield Block(data, line, offset)
            line += int(np.count_nonzero(data == NEWLINE))
            offset += data.size
            carry = [window[cut:]] if cut < window.size else []
        if carry:
            yield Block(np.concatenate(carry), line, offset)

    def error(self, problem: str, *, line: int | None = None, column: int | None = None) -> FormatError:
        """A ``FormatError`` about this file, for the caller to raise."""
        return FormatError(problem, path=self.name, line=line, column=column)

    def _map(self, path: Path) -> Bytes:
        try:
            if path.is_dir():
                raise FormatError(
                    "this is a directory; expected a file. Name one of the files in it.", path=path
                )
            with path.open("rb") as file:
                file.seek(0, 2)
                if file.tell() == 0:
                    return np.empty(0, dtype=np.uint8)
                return np.frombuffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), dtype=np.uint8)
        except FileNotFoundError:
            raise FormatError("there is no such file.", path=path) from None
        except PermissionError:
            raise FormatError(
                "permission to read the file was denied; check its mode and owner.", path=path
            ) from None
        except (OSError, ValueError) as error:
            raise FormatError(f"the file cannot be opened: {error}.", path=path) from None

    def _detect_codec(self) -> _Codec | None:
        start = self._raw[:8].tobytes()
        return next((codec for codec in _CODECS if start.startswith(codec.magic)), None)

    def _mapped(self, size: int) -> Iterator[Bytes]:
        assert self._whole is not None
        for start in range(0, self._whole.size, size):
            # Extend the window to the end of its last line, so that no bytes of the map are copied.
            stop = min(start + size, self._whole.size)
            yield self._whole[start:stop]

    def _prefetched(self, size: int) -> Iterator[Bytes]:
        with closing(self._unpacked(size)) as pieces, ThreadPoolExecutor(1, "clew-unpack") as pool:
            ahead = pool.submit(next, pieces, b"")
            while piece := ahead.result():
                ahead = pool.submit(next, pieces, b"")
                yield np.frombuffer(piece, dtype=np.uint8)

    def _unpacked(self, size: int) -> Iterator[bytes]:
        assert self.path is not None
        assert self._codec is not None
        total = 0
        try:
            with self._codec.open(self.path) as stream:
                while piece := stream.read(size):
                    total += len(piece)
                    if total > self._limit:
                        self._refuse_expansion()
                    yield piece
        except (EOFError, zlib.error, lzma.LZMAError, OSError) as error:
            raise self.error(
                f"the {self._codec.suffix} data is damaged or cut short after {total:,} unpacked bytes ({error}); "
                "copy or download the file again."
            ) from None

    def _refuse_expansion(self) -> NoReturn:
        raise self.error(
            f"the file unpacks to more than {self._limit:,} bytes ({self._raw.size:,} on disk); "
            "if that is right, raise the cap with max_expanded_bytes=…"
        )


def _last_newline(window: Bytes) -> int:
    """The position of the last newline, or -1; looks at the end first, where it nearly always is."""
    stop = window.size
    step = 1 << 16
    while stop > 0:
        start = max(0, stop - step)
        found: Any = np.flatnonzero(window[start:stop] == NEWLINE)
        if found.size:
            return start + int(found[-1])
        stop = start
        step *= 2
    return -1
