"""Memory of the host that copy engines can reach, kept for the next run: getting it anew takes longer than a search."""

from __future__ import annotations

import threading
import weakref
from typing import Any

import numpy as np

from clew.dtypes import Array
from clew.engines.cuda.device import Device

KEPT = 2 << 30  # bytes that nobody uses, at most

_free: dict[tuple[weakref.ref[Device], int], list[Array]] = {}
_lock = threading.Lock()


def borrow(owner: object, device: Device, size: int, dtype: Any) -> Array:
    """An array for as long as ``owner`` lives, full of what was there before."""
    dtype = np.dtype(dtype)
    nbytes = max(64, size * dtype.itemsize)
    key = (weakref.ref(device), nbytes)
    with _lock:
        found = _free.get(key)
        raw = found.pop() if found else None
    if raw is None:
        raw = device.pinned(nbytes, np.uint8)
    else:
        device.synchronize()  # a run that Ctrl-C ended may still be copying
    weakref.finalize(owner, _give_back, key, raw).atexit = False
    return raw[: size * dtype.itemsize].view(dtype)


def _give_back(key: tuple[weakref.ref[Device], int], raw: Array) -> None:
    # A finalizer may run anywhere, on a thread that holds the lock too: then the memory is freed instead.
    if not _lock.acquire(blocking=False):
        return
    try:
        held = sum(nbytes * len(arrays) for (_, nbytes), arrays in _free.items())
        if held + raw.nbytes <= KEPT:
            _free.setdefault(key, []).append(raw)
    finally:
        _lock.release()
