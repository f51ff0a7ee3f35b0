"""A ``.npz`` archive, distrusted: a zip file whose members are ``.npy`` arrays of plain numbers or text."""

from __future__ import annotations

import lzma
import math
import tokenize
import zipfile
import zlib
from typing import IO, Any

import numpy as np

from clew.dtypes import Array
from clew.errors import ClewError, FormatError
from clew.io.binary import SourceFile, refuse_expansion
from clew.io.options import ReadOptions
from clew.io.source import Source

SUFFIX = ".npy"
KINDS = "biufSU"  # booleans, numbers and text: everything that is not Python objects or records

_HEADERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    tokenize.TokenError,
    EOFError,
    OSError,
    ValueError,
    TypeError,
    KeyError,
    SyntaxError,
    OverflowError,
    RecursionError,
    RuntimeError,  # an encrypted member, or a way of packing that is not compiled in
)


class Archive:
    """The arrays of a file by name; each is read when it is asked for.

    Parameters
    ----------
    source
        The file.
    options
        For their ``max_expanded_bytes``.
    """

    def __init__(self, source: Source, options: ReadOptions) -> None:
        self._source, self._options = source, options
        self._expanded = 0
        try:
            self._zip = zipfile.ZipFile(SourceFile(source.whole()))
        except _BROKEN as error:
            raise self._damaged(error) from None
        members = [info for info in self._zip.infolist() if info.filename.endswith(SUFFIX)]
        self._members = {info.filename.removesuffix(SUFFIX): info for info in members}

    def __contains__(self, name: str) -> bool:
        return name in self._members

    @property
    def names(self) -> list[str]:
        """What the arrays are called."""
        return list(self._members)

    def first(self, *names: str) -> str | None:
        """The first of ``names`` that is there."""
        return next((name for name in names if name in self), None)

    def array(self, name: str, ndim: int = 1) -> Array:
        """The array called ``name``, which has ``ndim`` dimensions."""
        info = self._members.get(name)
        if info is None:
            raise self._source.error(f"there is no array {name!r}; the file has {', '.join(self.names) or 'none'}.")
        try:
            with self._zip.open(info) as member:
                return self._read(member, info, name, ndim)
        except ClewError:
            raise
        except _BROKEN as error:
            raise self._damaged(error, name) from None

    def value(self, name: str, kinds: str) -> Any:
        """The one value of an array without dimensions whose dtype is of one of ``kinds``."""
        array = self.array(name, ndim=0)
        if array.dtype.kind not in kinds:
            raise self._source.error(f"{name!r} has dtype {array.dtype}; expected one of kind {' or '.join(kinds)}.")
        return array.item()

    def _read(self, member: IO[bytes], info: zipfile.ZipInfo, name: str, ndim: int) -> Array:
        version = np.lib.format.read_magic(member)
        if version not in _HEADERS:
            raise self._source.error(f"{name!r} has version {version} of the .npy format; expected (1, 0) or (2, 0).")
        shape, by_column, dtype = _HEADERS[version](member)
        if dtype.kind not in KINDS or len(shape) != ndim:
            raise self._source.error(
                f"{name!r} has {len(shape)} dimensions and dtype {dtype}; expected {ndim}, of numbers or text. "
                "Python objects are never read."
            )
        count = math.prod(shape)
        present = info.file_size - member.tell()
        if min(shape, default=0) < 0 or count * dtype.itemsize != present:
            raise self._source.error(
                f"{name!r} says its shape is {shape} of {dtype}, {count * dtype.itemsize:,} bytes, but it has "
                f"{present:,}."
            )
        self._expanded += present
        refuse_expansion(self._source, self._expanded)
        return self._fill(member, np.empty(count, dtype=dtype), name).reshape(shape, order="F" if by_column else "C")

    def _fill(self, member: IO[bytes], array: Array, name: str) -> Array:
        """Read to the very end, where the archive's checksum is compared."""
        left = array.view(np.uint8).data if array.nbytes else memoryview(b"")
        while len(left):
            got = member.readinto(left[: 1 << 24])  # type: ignore[attr-defined]
            if not got:
                raise self._source.error(f"{name!r} is cut short: {len(left):,} bytes are missing.")
            left = left[got:]
        if member.read(1):
            raise self._source.error(f"{name!r} is longer than the archive says.")
        native: Array = array.astype(array.dtype.newbyteorder("="), copy=False)
        return native

    def _damaged(self, error: Exception, name: str | None = None) -> FormatError:
        what = "the file" if name is None else f"the array {name!r}"
        return self._source.error(f"{what} cannot be read as part of an .npz archive ({error}); copy the file again.")
