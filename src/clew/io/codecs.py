"""Compression: which codec a file is packed with, and streams that pack and unpack."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import re
import zlib
from collections.abc import Callable
from typing import IO, Any, NamedTuple

#: What the decompressors raise on data that is damaged or cut short (Arrow's errors are ValueErrors and OSErrors).
BROKEN = (EOFError, OSError, ValueError, zlib.error, lzma.LZMAError)


class Codec(NamedTuple):
    """One way to compress: the suffix that asks for it, the bytes it starts with (a pattern), and its streams."""

    suffix: str
    magic: bytes
    open: Callable[[Any], Any]
    wrap: Callable[[IO[bytes]], Any]


class _BufferFile(io.RawIOBase):
    """A buffer (perhaps a memory map) as a file, without a copy."""

    def __init__(self, buffer: Any) -> None:
        self._left = memoryview(buffer).cast("B")

    def readable(self) -> bool:
        return True

    def readinto(self, target: Any) -> int:
        part = self._left[: len(target)]
        target[: len(part)] = part
        self._left = self._left[len(part) :]
        return len(part)


class _KeepOpen(io.RawIOBase):
    """A file that a compressor does not close with itself, so that what it wrote can still be synced to disk."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        return self._file.write(data)


def _buffered(raw: Any) -> io.BufferedReader:
    return io.BufferedReader(_BufferFile(raw), 1 << 18)


def _open_zstd(raw: Any) -> Any:
    import pyarrow as pa

    return pa.CompressedInputStream(pa.BufferReader(pa.py_buffer(raw)), "zstd")


def _wrap_zstd(file: IO[bytes]) -> Any:
    import pyarrow as pa

    return pa.CompressedOutputStream(pa.PythonFile(_KeepOpen(file), mode="w"), "zstd")


_CODECS = (
    Codec(
        ".gz",
        rb"\x1f\x8b\x08",
        lambda raw: gzip.GzipFile(fileobj=_buffered(raw)),
        lambda file: gzip.GzipFile(fileobj=file, mode="wb", compresslevel=6, mtime=0),
    ),
    Codec(
        ".bz2",
        rb"BZh[1-9](1AY&SY|\x17rE8P\x90)",
        lambda raw: bz2.BZ2File(_buffered(raw)),
        lambda file: bz2.BZ2File(file, "wb"),
    ),
    Codec(
        ".xz",
        rb"\xfd7zXZ\x00",
        lambda raw: lzma.LZMAFile(_buffered(raw)),  # noqa: SIM115
        lambda file: lzma.LZMAFile(file, "wb"),  # noqa: SIM115
    ),
    Codec(".zst", rb"\x28\xb5\x2f\xfd", _open_zstd, _wrap_zstd),
)
SUFFIXES = tuple(codec.suffix for codec in _CODECS)
START_BYTES = 16


def codec_of(start: bytes) -> Codec | None:
    """The codec whose data begins like ``start`` (``START_BYTES`` of it are enough), or None."""
    return next((codec for codec in _CODECS if re.match(codec.magic, start, re.DOTALL)), None)


def codec_for(suffix: str | None) -> Codec | None:
    """The codec that a file name's suffix asks for, or None."""
    return next((codec for codec in _CODECS if codec.suffix == suffix), None)
