"""Vertex names as plain arrays: integers as they are, strings as their bytes and where each one ends."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clew.dtypes import Array
from clew.errors import GraphError
from clew.names import VertexNames

if TYPE_CHECKING:
    import pyarrow as pa

ALL = INTEGERS, OFFSETS, BYTES = "names", "name_offsets", "name_bytes"


def to_arrays(names: VertexNames | None) -> dict[str, Array]:
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


def from_arrays(arrays: Mapping[str, Array], *, check: bool = True) -> pa.Array[Any] | None:
    """The names in an Arrow array that shares the arrays' memory, or None where there are none.

    With ``check`` every offset and every byte is looked at, otherwise only the first and the last offset.
    """
    if not any(name in arrays for name in ALL):
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
