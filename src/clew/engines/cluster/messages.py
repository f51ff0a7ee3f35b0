"""Sparse vectors as bytes: the values, and the places that have one as a list or as a bitmap: the shorter of the two.

A message starts with 16 bytes: the form, and the number of entries.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from clew.dtypes import Array
from clew.engines.cluster.transport import LinkError

IDS, BITMAP = range(2)
HEAD = 16


def pack(places: npt.NDArray[np.int32], values: Array, size: int) -> npt.NDArray[np.uint8]:
    """A message with the values at some places of a vector of ``size`` entries."""
    words = -(-size // 64) * 8
    form = BITMAP if words < places.nbytes else IDS
    keys: Array = places
    if form == BITMAP:
        mask = np.zeros(words * 8, np.bool_)
        mask[places] = True
        keys = np.packbits(mask, bitorder="little")
    # Keys are padded to 8 bytes, so that the values behind them are aligned.
    width = -(-keys.nbytes // 8) * 8
    message = np.empty(HEAD + width + values.nbytes, np.uint8)
    message[:HEAD].view(np.int64)[:] = form, places.size
    message[HEAD : HEAD + keys.nbytes] = keys.view(np.uint8)
    message[HEAD + width :] = np.ascontiguousarray(values).view(np.uint8)
    return message


def unpack(
    parts: Sequence[npt.NDArray[np.uint8]], size: int, dtype: np.dtype[Any], *, shifted: bool = True
) -> tuple[Array, Array]:
    """The places and values of all messages, each about a vector of up to ``size`` entries.

    The places of message k are shifted by k times that many. A message that does not fit is an error.
    """
    places, values = [], []
    for k, message in enumerate(parts):
        mine, found = _unpacked(message, size, dtype)
        places.append(mine.astype(np.int32, copy=False) + np.int32(k * size * shifted))
        values.append(found)
    return np.concatenate(places), np.concatenate(values)


def _unpacked(message: npt.NDArray[np.uint8], size: int, dtype: np.dtype[Any]) -> tuple[Array, Array]:
    form, count = message[:HEAD].view(np.int64).tolist() if message.size >= HEAD else (-1, 0)
    last = message.size - count * dtype.itemsize
    width, most = last - HEAD, -(-size // 64) * 8  # the bitmap of a last segment is shorter
    fits = width == -(-count // 2) * 8 if form == IDS else form == BITMAP and width % 8 == 0 and 0 <= width <= most
    if not (fits and 0 <= count <= size):
        raise LinkError(f"a worker sent {message.size:,} bytes that are no sparse vector of up to {size:,} entries.")
    keys = message[HEAD:last]
    places: Array = (
        keys.view(np.int32)[:count] if form == IDS else np.flatnonzero(np.unpackbits(keys, bitorder="little"))
    )
    if places.size != count or (count and not 0 <= int(places.min()) <= int(places.max()) < size):
        raise LinkError(f"a worker sent places outside of a vector with {size:,} entries.")
    return places, message[last:].view(dtype)
