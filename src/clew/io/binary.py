"""What binary formats share: typed views of bytes, a sink as a file object, vertex names as plain arrays."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clew.checks import counted
from clew.dtypes import Array
from clew.errors import GraphError
from clew.io.sink import Sink
from clew.io.source import Bytes, Source
from clew.names import VertexNames

if TYPE_CHECKING:
    import pyarrow as pa

NAME_ARRAYS = INTEGERS, OFFSETS, BYTES = "names", "name_offsets", "name_bytes"


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


def names_to_arrays(names: VertexNames | None) -> dict[str, Array]:
    """One array of integers; or n+1 offsets and the UTF-8 bytes of all names; or nothing. Shares the names' memory."""
    if names is None:
        return {}
    values = names.array
    if names.are_integers:
        return {INTEGERS: values.to_numpy(zero_copy_only=False)}
    if not len(values):  # Arrow may leave out the buffers
        return {OFFSETS: np.zeros(1, dtype=np.int64), BYTES: np.empty(0, dtype=np.uint8)}
    _, places, data = values.buffers()
    offsets = _values(places, np.int64)[values.offset : values.offset + len(values) + 1]
    text = _values(data, np.uint8)
    # A slice of a longer array starts somewhere in the middle of its bytes.
    return {OFFSETS: offsets - offsets[0] if offsets[0] else offsets, BYTES: text[offsets[0] : offsets[-1]]}


def names_from_arrays(arrays: Mapping[str, Array], *, check: bool = True) -> pa.Array[Any] | None:
    """The names in an Arrow array that shares the arrays' memory, or None where there are none.

    With ``check`` every offset and every byte is looked at, otherwise only the first and the last offset.
    """
    if not any(name in arrays for name in NAME_ARRAYS):
        return None
    import pyarrow as pa

    if INTEGERS in arrays:
        values = arrays[INTEGERS]
        if values.ndim != 1 or values.dtype.kind not in "iu":
            raise GraphError(f"{INTEGERS} have {values.ndim} dimensions and dtype {values.dtype}; expected integers.")
        return pa.array(values)
    if OFFSETS not in arrays or BYTES not in arrays:
        raise GraphError(f"there is only one of {OFFSETS} and {BYTES}; expected both or none.")
    offsets, text = arrays[OFFSETS], arrays[BYTES]
    if offsets.ndim != 1 or offsets.dtype != np.int64 or text.ndim != 1 or text.dtype != np.uint8:
        raise GraphError(
            f"{OFFSETS} have dtype {offsets.dtype} and {BYTES} {text.dtype}; expected int64 and uint8 in one dimension."
        )
    if not offsets.size or offsets[0] != 0 or offsets[-1] != text.size:
        raise GraphError(f"{OFFSETS} do not run from 0 to {text.size:,}, the number of {BYTES}.")
    buffers = [None, pa.py_buffer(offsets.data), pa.py_buffer(text.data)]
    strings = pa.Array.from_buffers(pa.large_string(), offsets.size - 1, buffers)
    try:
        strings.validate(full=check)
    except pa.ArrowInvalid as error:
        raise GraphError(f"the vertex names are damaged: {error}.") from None
    return strings


def _values(buffer: Any, dtype: npt.DTypeLike) -> Array:
    return np.empty(0, dtype) if buffer is None else np.frombuffer(buffer, dtype=dtype)
