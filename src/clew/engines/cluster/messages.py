"""Sparse vectors as bytes: the values, and the places that have one as a list or as a bitmap, whichever is shorter.

A message starts with 16 bytes: the form, and the number of entries.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from clew.dtypes import Array

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


def unpack(parts: Sequence[npt.NDArray[np.uint8]], segment: int, dtype: np.dtype[Any]) -> tuple[Array, Array]:
    """The places and values of all messages. The places of message k are shifted by k segments."""
    places, values = [], []
    for k, message in enumerate(parts):
        form, count = message[:HEAD].view(np.int64)
        last = message.size - int(count) * dtype.itemsize
        keys = message[HEAD:last]
        mine: Array
        if form == BITMAP:
            mine = np.flatnonzero(np.unpackbits(keys, bitorder="little"))
        else:
            mine = keys.view(np.int32)[: int(count)]
        places.append(mine.astype(np.int32, copy=False) + np.int32(k * segment))
        values.append(message[last:].view(dtype))
    return np.concatenate(places), np.concatenate(values)
