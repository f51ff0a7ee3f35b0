"""What the link between host and GPU carries: the ceiling that traces tell a share of.

It is measured once, when somebody first looks at a trace of edges that are on the host, and kept in the cache folder.
"""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from clew.dtypes import Array
from clew.engines.cuda.failures import clean
from clew.engines.measured import cpu_name, measured_once
from clew.errors import ClewError

LINK = 55e9  # bytes a second: an H200's, for emulated devices and where there is no memory to measure in
SIZE = 64 << 20
ROUNDS = 4
SHORTEST = 1e-9  # seconds: no step is taken to be shorter

_known: MutableMapping[Any, float] = WeakKeyDictionary()


def link_rate(device: Any) -> float:
    """Bytes a second that the copy engine fetches from pinned memory of the host, at best."""
    if not hasattr(device.xp, "cuda"):
        return LINK
    if device not in _known:
        try:
            with clean("the link cannot be measured"):
                name = device.xp.cuda.runtime.getDeviceProperties(device.ordinal)["name"].decode()
                found = measured_once(f"link {name} {cpu_name()}", lambda: {"upload": upload_rate(device)})
            _known[device] = float(found["upload"])
        except (ClewError, KeyError, TypeError, ValueError):
            return LINK
    return _known[device]


def share_of_link(moved: Array, seconds: Array, rate: float) -> Array:
    """What part so many bytes are of what the link can carry in the time."""
    share: Array = moved / np.maximum(seconds, SHORTEST) / rate
    return share


def upload_rate(device: Any) -> float:
    """Measured now: 64 MiB from pinned memory, the best of a few copies."""
    source, target = device.pinned(SIZE, np.uint8), device.empty(SIZE, np.uint8)
    source.fill(1)
    taken: list[float] = []
    for _ in range(ROUNDS):
        begin, end = (device.xp.cuda.Event() for _ in range(2))
        begin.record()
        device.copy_to(target, source)
        end.record()
        end.synchronize()
        taken.append(device.xp.cuda.get_elapsed_time(begin, end) / 1000)
    return SIZE / max(min(taken), SHORTEST)
