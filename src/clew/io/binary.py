"""What binary formats share: typed views of a file's bytes, and file objects over a source and a sink."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import numpy.typing as npt

from clew.counts import counted
from clew.dtypes import Array
from clew.io.sink import Sink
from clew.io.source import Bytes, Source


def typed(data: Bytes, offset: int, count: int, dtype: npt.DTypeLike) -> Array:
    """``count`` little-endian values at ``offset``: a view, or a copy where the view would be misaligned or foreign.

    The caller has checked that the bytes are there.
    """
    little = np.dtype(dtype).newbyteorder("<")
    view = data[offset : offset + count * little.itemsize].view(little)
    native = view.astype(little.newbyteorder("="), copy=False)
    return native if native.flags.aligned else native.copy()


def little_endian(array: Array) -> Array:
    """The array as it is written: contiguous, least significant byte first."""
    return np.asarray(array, dtype=array.dtype.newbyteorder("<"), order="C")


def refuse_expansion(source: Source, nbytes: int) -> None:
    """Refuse content that would take far more memory than the file takes on disk, before the memory is taken."""
    limit = source.expansion_limit
    if nbytes > limit:
        raise source.error(
            f"the file unpacks to {nbytes:,} bytes or more, from {source.stored_bytes:,} on disk; "
            f"clew stops at {limit:,}. If that is right, raise the cap with max_expanded_bytes=…"
        )


def refuse_rows(source: Source, num_vertices: int) -> None:
    """The same for a number of vertices that only a few bytes of the file vouch for."""
    if 8 * (num_vertices + 1) > source.expansion_limit:
        raise source.error(
            f"the file says it has {counted(num_vertices, 'vertex')}, but has only "
            f"{counted(source.stored_bytes, 'byte')}; "
            "if that is right, raise the cap with max_expanded_bytes=…"
        )


class SourceFile(io.RawIOBase):
    """The bytes of a source as a file that can be read and sought in, for libraries that want one."""

    def __init__(self, data: Bytes) -> None:
        self._data = data.data
        self._place = 0

    def readable(self) -> bool:
        """Yes."""
        return True

    def seekable(self) -> bool:
        """Yes."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill ``buffer`` with what comes next; returns how many bytes that were."""
        piece = self._data[self._place : self._place + len(buffer)]
        buffer[: len(piece)] = piece
        self._place += len(piece)
        return len(piece)

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go to a place; returns it."""
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._place, io.SEEK_END: len(self._data)}[whence]
        if base + offset < 0:
            raise OSError(f"cannot seek to {base + offset}")
        self._place = base + offset
        return self._place

    def tell(self) -> int:
        """Where the next read starts."""
        return self._place


class SinkFile(io.RawIOBase):
    """A sink as a file that can only be appended to, for libraries that want one."""

    def __init__(self, sink: Sink) -> None:
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
