"""Ranges of files, and files elsewhere: what several readers need to share one file, or to read it from a URL.

``pyarrow.fs`` opens URLs: ``s3://``, ``gs://``, ``hdfs://`` and ``file://``, as far as this pyarrow has them.
"""

from __future__ import annotations

import re
from collections.abc import Generator
from pathlib import Path
from typing import Any

import numpy as np

from clew.errors import FormatError
from clew.io import archives
from clew.io.source import HEAD_BYTES, NEWLINE, START_BYTES, Bytes, Source, codec_of

STEP = 1 << 16  # bytes that are searched for a line's end at once
LARGE_STEP = 1 << 24
_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):/(/?)(.*)", re.DOTALL)


def url_of(origin: Any) -> str | None:
    """The address that this is, such as ``s3://bucket/edges.parquet``; None for local paths and bytes.

    A ``Path`` has lost one of the two slashes.
    """
    found = _URL.fullmatch(str(origin)) if isinstance(origin, (str, Path)) else None
    if found is None or not (found[2] or isinstance(origin, Path)):
        return None
    root = "/" if isinstance(origin, Path) and found[1] == "file" else ""
    return f"{found[1]}://{root}{found[3]}"


def without_password(address: str) -> str:
    """An address as errors and reports show it."""
    return re.sub(r"://[^/@]*@", "://…@", address)


def inside(folder: str, file: str) -> str:
    """The path or the address of a file in a folder; options of an address stay at its end."""
    place, mark, options = folder.partition("?") if url_of(folder) is not None else (folder, "", "")
    return f"{place.rstrip('/')}/{file}{mark}{options}"


def open_source(origin: Any, max_expanded_bytes: int | None = None) -> Source:
    """A source of a path, a URL, or bytes; of a ``.clewd`` folder, its header; of an archive, a file in it."""
    member = ""
    if isinstance(origin, (str, Path)) and archives.MARK in str(origin):
        origin, member = archives.split(origin)
    url = url_of(origin)
    if isinstance(origin, (str, Path)) and str(origin).partition("?")[0].rstrip("/").endswith(".clewd"):
        return _header_source(str(origin) if url is None else url)
    source = (
        Source(origin, max_expanded_bytes=max_expanded_bytes) if url is None else UrlSource(url, max_expanded_bytes)
    )
    return archives.file_inside(source, member) if member or archives.START.match(source.head()) else source


def _header_source(folder: str) -> Source:
    """The header of a folder of tiles, called as the folder is."""
    try:
        source = open_source(inside(folder, "header.json"))
    except FormatError as error:
        what = "there is no such folder" if error.problem.startswith("there is no such file") else error.problem
        problem = f"{what.rstrip('.')}; expected a .clewd folder with a header.json."
        raise FormatError(problem, path=without_password(folder)) from None
    source.path, source.name = Path(folder.partition("?")[0]), without_password(folder)
    if isinstance(source, UrlSource):
        source.url = folder
    return source


def file_system(url: str) -> tuple[Any, str]:
    """The file system of a URL, and the path there."""
    import pyarrow as pa
    from pyarrow import fs

    try:
        found: tuple[Any, str] = fs.FileSystem.from_uri(url)
    except (pa.ArrowException, OSError, ValueError, NotImplementedError) as error:
        raise FormatError(
            f"this address cannot be opened: {_said(error)}.",
            path=without_password(url),
            remedy="pyarrow opens s3://, gs://, hdfs:// and file:// addresses; download other files first.",
        ) from None
    return found


def _said(error: BaseException) -> str:
    return str(error).split("\n", 1)[0].split(". Detail:", 1)[0].rstrip(". ")[:300]


class UrlSource(Source):
    """A file at a URL. What is read at once comes over the network at once; ``Range`` and tables read pieces."""

    def __init__(self, url: str, max_expanded_bytes: int | None = None) -> None:
        import pyarrow as pa

        self.url, self.name, self._mapping = url, without_password(url), None
        system, place = file_system(url)
        self.path = Path(place)
        try:
            information = system.get_file_info(place)
            if not information.is_file:
                what = "there is no such file." if information.type.name == "NotFound" else "this is no file."
                raise self.error(what)
            self._file = system.open_input_file(place)
            start = self._file.read_at(HEAD_BYTES, 0)
        except (pa.ArrowException, OSError) as error:
            raise self.error(f"the file cannot be opened: {_said(error)}.") from None
        self._stored = int(self._file.size())
        self._codec = codec_of(start[:START_BYTES])
        self.expansion_limit = max(1 << 30, 200 * self._stored) if max_expanded_bytes is None else max_expanded_bytes
        self._whole = None
        self._downloaded: Bytes | None = None
        self._head = start if self._codec is None else None

    @property
    def _raw(self) -> Bytes:  # type: ignore[override]
        """All stored bytes."""
        if self._downloaded is None:
            self._downloaded = self.between(0, self._stored)
        return self._downloaded

    @property
    def size(self) -> int | None:
        """The number of bytes, or None where that is known only after unpacking."""
        return None if self._codec is not None else self._stored

    @property
    def stored_bytes(self) -> int:
        """The number of bytes there, before unpacking."""
        return self._stored

    def _unpacked(self, size: int) -> Generator[Bytes, None, None]:
        if self._codec is not None:
            yield from super()._unpacked(size)
            return
        for start in range(0, self._stored, size):
            yield self.between(start, start + size)

    def between(self, start: int, stop: int) -> Bytes:
        """The stored bytes from ``start`` to ``stop``."""
        try:
            return np.frombuffer(self._file.read_at(max(0, min(stop, self._stored) - start), start), np.uint8)
        except OSError as error:
            raise self.error(f"the file cannot be read: {_said(error)}.") from None


def address_of(source: Source) -> str:
    """The path or the address of a file, to open it or its neighbours again."""
    return source.url if isinstance(source, UrlSource) else source.name


def between(source: Source, start: int, stop: int) -> Bytes:
    """The bytes of a file that is not compressed from ``start`` to ``stop``."""
    return source.between(start, stop) if isinstance(source, UrlSource) else source.whole()[start:stop]


class Range(Source):
    """The lines of a text that is not compressed from byte ``start`` to ``stop``, each of them where a line starts."""

    def __init__(self, text: Source, start: int, stop: int) -> None:
        self.path, self.name = text.path, text.name
        self.expansion_limit = text.expansion_limit
        self._text, self._start = text, start
        self._mapping, self._codec, self._head = text._mapping, None, None
        self._raw = self._whole = between(text, start, max(start, stop))

    def lines_before(self) -> int:
        """The number of lines of the text before the range."""
        steps = range(0, self._start, LARGE_STEP)
        pieces = (between(self._text, step, min(step + LARGE_STEP, self._start)) for step in steps)
        return sum(int(np.count_nonzero(piece == NEWLINE)) for piece in pieces)

    def _forget(self, start: int, stop: int) -> None:
        super()._forget(self._start + start, self._start + stop)


def line_start(source: Source, place: int) -> int:
    """Where the first line starts at ``place`` or after it; the size of the text if there is none."""
    size = source.size or 0
    at = place - 1
    while 0 <= at < size:
        found = np.flatnonzero(between(source, at, min(at + STEP, size)) == NEWLINE)
        if found.size:
            return at + int(found[0]) + 1
        at += STEP
    return max(0, min(place, size)) if at < 0 else size
