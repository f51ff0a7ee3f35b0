"""The container behind ``.clew``: a header that describes arrays, then the arrays themselves, ready to be mapped.

==========  =====  ====================================================================================================
at byte     bytes  what (all integers little-endian)
==========  =====  ====================================================================================================
0           8      magic: ``CLEW``, CR, LF, ^Z, LF; a transfer in text mode damages it, so that it shows at once
8           4      version of the format
12          4      CRC-32 of the header
16          8      length of the header in bytes
24          8      length of the whole file in bytes
32                 the header: JSON in UTF-8
==========  =====  ====================================================================================================

After the header, at the next multiple of 64, come the sections in the order in which the header lists them, each one
starting at a multiple of 64 with zeros in between. The header says of each: name, dtype, shape, offset from the start
of the first section, and the CRC-32 of every 16 MiB of it. Nothing follows the last section.
"""

from __future__ import annotations

import json
import math
import struct
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from clew import threads
from clew.dtypes import WEIGHT_DTYPES, Array
from clew.io.binary import little_endian, typed
from clew.io.options import Progress
from clew.io.sink import Sink
from clew.io.source import Bytes, Source

MAGIC = b"CLEW\r\n\x1a\n"
VERSION = 1
ALIGNMENT = 64
BLOCK = 1 << 24
BATCH = 32  # blocks between two calls of ``progress``

_PREAMBLE = struct.Struct("<8sIIQQ")
_DTYPES = {dtype.newbyteorder("<").str: dtype for dtype in WEIGHT_DTYPES}


@dataclass(frozen=True, slots=True)
class Section:
    """Where one array lies, and its checksums."""

    name: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    offset: int
    crcs: tuple[int, ...]

    @property
    def nbytes(self) -> int:
        """The bytes it takes."""
        return math.prod(self.shape) * self.dtype.itemsize


class Container:
    """An opened file: its header, and its arrays as views of the mapped bytes.

    Parameters
    ----------
    source
        The file; its structure is checked here, the content of its arrays by ``verify``.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self._data = source.whole()
        header_bytes = self._check_preamble()
        self.header = self._parse_header(header_bytes)
        self._start = _aligned(_PREAMBLE.size + header_bytes)
        self._sections = self._parse_sections()

    def __contains__(self, name: str) -> bool:
        return name in self._sections

    @property
    def nbytes(self) -> int:
        """The bytes of all arrays."""
        return sum(section.nbytes for section in self._sections.values())

    def array(self, name: str) -> Array:
        """The array called ``name``, a view of the file."""
        section = self._sections.get(name)
        if section is None:
            raise self._damaged(f"the header lists no section {name!r}")
        flat = typed(self._data, self._start + section.offset, math.prod(section.shape), section.dtype)
        try:
            return flat.reshape(section.shape)
        except (ValueError, OverflowError):
            raise self._damaged(f"the section {name!r} has the shape {section.shape}") from None

    def verify(self, progress: Progress | None = None) -> None:
        """Compare every checksum, on all threads."""
        blocks = [
            (section.name, self._start + section.offset + place, min(BLOCK, section.nbytes - place), crc)
            for section in self._sections.values()
            for place, crc in zip(range(0, section.nbytes, BLOCK), section.crcs, strict=True)
        ]

        def intact(piece: int, first: int) -> bool:
            _, start, length, crc = blocks[first + piece]
            return zlib.crc32(self._data[start : start + length].data) == crc

        for first in range(0, len(blocks), BATCH):
            batch = blocks[first : first + BATCH]
            for (name, start, *_), good in zip(batch, threads.each(intact, len(batch), first), strict=True):
                if not good:
                    raise self._damaged(f"the checksum of {name!r} does not match in the block at byte {start:,}")
            if progress:
                progress(batch[-1][1] + batch[-1][2], self._data.size)
        for section in self._sections.values():
            # Any other byte than 0 and 1 in an array of booleans misleads whatever computes with it.
            if section.dtype == np.bool_ and self.array(section.name).view(np.uint8).max(initial=0) > 1:
                raise self._damaged(f"the booleans in {section.name!r} are not all 0 or 1")

    def _check_preamble(self) -> int:
        """The length of the header, after its checksum was compared."""
        if self._data.size < _PREAMBLE.size:
            raise self._source.error(
                f"the file has {self._data.size} bytes; expected a .clew file, which has at least {_PREAMBLE.size}."
            )
        magic, version, crc, header_bytes, file_bytes = _PREAMBLE.unpack(self._data[: _PREAMBLE.size].tobytes())
        if magic != MAGIC:
            raise self._source.error(f"the file starts with {magic!r}; expected {MAGIC!r}, the mark of a .clew file.")
        if version != VERSION:
            raise self._source.error(
                f"the file has version {version} of the .clew format; this clew reads version {VERSION}. "
                + ("Install a newer clew." if version > VERSION else "Write it anew with the clew that wrote it.")
            )
        if file_bytes != self._data.size:
            raise self._source.error(
                f"the file has {self._data.size:,} bytes but was written with {file_bytes:,}: it was cut short, or "
                "something was appended. Copy it again."
            )
        header = self._data[_PREAMBLE.size : _PREAMBLE.size + header_bytes]
        if header.size != header_bytes or zlib.crc32(header.data) != crc:
            raise self._damaged("the checksum of the header does not match")
        return int(header_bytes)

    def _parse_header(self, header_bytes: int) -> dict[str, Any]:
        try:
            header = json.loads(self._data[_PREAMBLE.size : _PREAMBLE.size + header_bytes].tobytes())
        except (ValueError, RecursionError) as error:
            raise self._damaged(f"the header is not JSON ({error})") from None
        if not isinstance(header, dict) or not isinstance(header.get("sections"), list):
            raise self._damaged("the header lists no sections")
        return header

    def _parse_sections(self) -> dict[str, Section]:
        """Every section that the header lists, after a check that they fill the rest of the file exactly."""
        found: dict[str, Section] = {}
        end = 0
        for entry in self.header["sections"]:
            section = _section(entry)
            if section is None or section.name in found:
                raise self._damaged(f"the header describes a section as {json.dumps(entry)[:200]}")
            if section.offset != _aligned(end):
                raise self._damaged(f"the section {section.name!r} starts at {section.offset}, not {_aligned(end)}")
            end = section.offset + section.nbytes
            found[section.name] = section
        if self._start + end != self._data.size:
            raise self._damaged(f"its sections end at byte {self._start + end:,} of {self._data.size:,}")
        return found

    def _damaged(self, what: str) -> Exception:
        return self._source.error(f"the file is damaged: {what}. Copy it again, or write it anew.")


def write_sections(
    sink: Sink, header: Mapping[str, Any], arrays: Mapping[str, Array], progress: Progress | None
) -> None:
    """Write a header and arrays. Checksums come first in the file, so the arrays are read twice and never copied."""
    stored = {name: little_endian(array) for name, array in arrays.items()}
    entries, end = [], 0
    for name, array in stored.items():
        blocks = list(_blocks(array))
        crcs = threads.each(lambda piece, of: zlib.crc32(of[piece]), len(blocks), blocks)
        start = _aligned(end)
        entries.append({"name": name, "dtype": array.dtype.str, "shape": array.shape, "offset": start, "crc32": crcs})
        end = start + array.nbytes
    text = json.dumps({**header, "sections": entries}).encode()
    done = _PREAMBLE.size + len(text)
    total = _aligned(done) + end
    sink.write(_PREAMBLE.pack(MAGIC, VERSION, zlib.crc32(text), len(text), total) + text)
    for array in stored.values():
        sink.write(bytes(_aligned(done) - done))
        done = _aligned(done)
        for block in _blocks(array):
            sink.write(block)
            done += block.size
            if progress:
                progress(done, total)


def _blocks(array: Array) -> Iterator[Bytes]:
    flat = array.reshape(-1).view(np.uint8)
    for place in range(0, flat.size, BLOCK):
        yield flat[place : place + BLOCK]


def _section(entry: Any) -> Section | None:
    """A section as the header describes it, or None where that makes no sense."""
    if not isinstance(entry, dict):
        return None
    name, dtype, shape, offset, crcs = (entry.get(key) for key in ("name", "dtype", "shape", "offset", "crc32"))
    if not isinstance(name, str) or not isinstance(dtype, str) or dtype not in _DTYPES:
        return None
    if not all(isinstance(values, list) and all(_is_count(value) for value in values) for values in (shape, crcs)):
        return None
    if not _is_count(offset):
        return None
    section = Section(name, _DTYPES[dtype], tuple(shape), offset, tuple(crcs))  # type: ignore[arg-type]
    return section if len(section.crcs) == -(-section.nbytes // BLOCK) else None


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _aligned(place: int) -> int:
    return -(-place // ALIGNMENT) * ALIGNMENT
