"""Where a graph is written to: a temporary file that takes the real name only when it is whole.

After any failure (disk full, Ctrl-C, a bug), the previous file is unchanged.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from clew.errors import FormatError
from clew.io.source import COMPRESSION_SUFFIXES, codec_for, plain_suffix


class Sink:
    """A context manager that writes ``path`` atomically, compressing by its suffix.

    ``sink.write(bytes_or_array)`` appends; leaving the block without an error puts the file in place. ``written``
    counts the bytes before compression.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.name = str(path)
        # A link stays a link: what it leads to is replaced.
        self._target = Path(os.path.realpath(self.path))
        self._stream: Any = None
        self._file: IO[bytes] | None = None
        self._temporary: Path | None = None
        self.written = 0

    @property
    def suffix(self) -> str:
        """The ending of the file's name without its compression suffix, in lower case."""
        return plain_suffix(self.path)

    @property
    def compression(self) -> str | None:
        """The compression suffix, or None."""
        last = self.path.suffix.lower()
        return last if last in COMPRESSION_SUFFIXES else None

    def check(self) -> None:
        """Refuse a path that cannot be written, before anything is written."""
        if self._target.is_dir() and self.suffix != ".clewd":
            raise self.error("this is a directory; expected the name of a file to write.")
        if self._target.exists() and not self._target.is_file():
            raise self.error("this is a device or a pipe; expected the name of a file to write.")
        for folder in (self.path.parent, self._target.parent):  # two, where the name is a link
            if not folder.is_dir():
                raise self.error(f"there is no folder {folder}; expected one to write into.")
        if not os.access(folder, os.W_OK | os.X_OK):
            raise self.error(f"the folder {folder} cannot be written into; check its mode and owner.")

    def __enter__(self) -> Sink:
        self.check()
        with self._discarded_on_error():
            handle, name = tempfile.mkstemp(
                prefix=f".{self._target.name[:100]}.", suffix=".part", dir=self._target.parent
            )
            self._temporary = Path(name)
            self._file = os.fdopen(handle, "wb")
            codec = codec_for(self.compression)
            self._stream = self._file if codec is None else codec.wrap(self._file)
        return self

    def write(self, data: bytes | memoryview | npt.NDArray[Any]) -> None:
        """Append bytes, or the bytes of an array."""
        data = _bytes_of(data)
        try:
            self._stream.write(data)
        except OSError as error:
            raise self._failure(error) from None
        self.written += memoryview(data).nbytes

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self._discard()
            return
        assert self._file is not None
        assert self._temporary is not None
        with self._discarded_on_error():
            if self._stream is not self._file:
                self._stream.close()
            self._file.flush()
            os.fsync(self._file.fileno())
            self._file.close()
            self._temporary.chmod(_mode_for(self._target))
            self._temporary.replace(self._target)

    @contextlib.contextmanager
    def _discarded_on_error(self) -> Iterator[None]:
        try:
            yield
        except BaseException as error:
            self._discard()
            if isinstance(error, OSError):
                raise self._failure(error) from None
            raise

    def _discard(self) -> None:
        for stream in (self._stream, self._file):
            if stream is not None:
                # The file is thrown away and an error is on its way already: what closing it says does not matter.
                with contextlib.suppress(BaseException):
                    stream.close()
        if self._temporary is not None:
            self._temporary.unlink(missing_ok=True)

    def error(self, problem: str, *, remedy: str = "", option: str = "") -> FormatError:
        """A ``FormatError`` about this file, for the caller to raise."""
        return FormatError(problem, path=self.path, remedy=remedy, option=option)

    def _failure(self, error: OSError) -> FormatError:
        reason = error.strerror or str(error)
        return self.error(f"the file could not be written: {reason}. Nothing was changed.")


class StreamSink(Sink):
    """A sink that writes to an open stream at once: data in a pipe cannot be taken back.

    Errors of the stream, such as a closed pipe, are passed on to the caller.
    """

    def __init__(self, stream: IO[bytes], name: str) -> None:
        super().__init__(name)
        self._stream = stream

    def check(self) -> None:
        """There is nothing to refuse."""

    def __enter__(self) -> StreamSink:
        return self

    def write(self, data: bytes | memoryview | npt.NDArray[Any]) -> None:
        """Write bytes, or the bytes of an array."""
        self.written += self._stream.write(_bytes_of(data))

    def __exit__(self, *_: object) -> None:
        self._stream.flush()


def _bytes_of(data: bytes | memoryview | npt.NDArray[Any]) -> bytes | memoryview:
    if isinstance(data, np.ndarray):
        return np.ascontiguousarray(data).data.cast("B") if data.size else b""
    return data


def _mode_for(path: Path) -> int:
    """The permissions of the file that is replaced, or those that ``open`` would have given a new one."""
    return path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~umask()


def umask() -> int:
    """The permissions that new files and folders do not get."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
