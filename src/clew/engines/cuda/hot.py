"""Hot vertices first: columns renamed so that those with the most edges have the smallest numbers.

Of a skewed graph a few vertices are at the end of most edges. Renamed, their values of x lie side by side, and as many
as fit are kept in the shared memory of every processor, where a gather costs a fraction of one from the L2 cache. The
price: a second copy of the neighbours, made once, and x put in the new order at every product.
"""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from typing import Any

import numpy as np

from clew.engines.cuda.device import Device, blocks_for
from clew.engines.cuda.rows import DeviceRows
from clew.engines.cuda.source import Program, ctype

THREADS = 256
#: Edges below which x is small enough for the caches as it is, and products after which the new names are made.
FROM_ARCS = 1 << 23
AFTER_CALLS = 16

#: Bytes of shared memory that one block may have.
SHARED = {"sm_75": 64 << 10, "sm_80": 163 << 10, "sm_87": 163 << 10, "sm_90": 227 << 10, "sm_100": 227 << 10}
SMALLEST_SHARED = 99 << 10
RESERVED = 1 << 10


@dataclass(frozen=True, eq=False)
class Renamed:
    """The same rows with other names for the columns: k for vertex ``order[k]``, ``names[v]`` for vertex v."""

    neighbours: Any
    order: Any
    names: Any


_calls: weakref.WeakKeyDictionary[DeviceRows, int] = weakref.WeakKeyDictionary()
_too_large: weakref.WeakSet[DeviceRows] = weakref.WeakSet()
_renamed: weakref.WeakKeyDictionary[DeviceRows, Renamed] = weakref.WeakKeyDictionary()


def renamed(device: Device, rows: DeviceRows) -> Renamed:
    """The columns by falling number of edges that lead there, made once."""
    found = _renamed.get(rows)
    if found is None:
        xp = device.xp
        arrivals = xp.bincount(rows.neighbours, minlength=rows.num_vertices)
        order = xp.argsort(-arrivals).astype(rows.neighbours.dtype)
        names = device.empty(rows.num_vertices, rows.neighbours.dtype)
        names[order] = xp.arange(rows.num_vertices, dtype=rows.neighbours.dtype)
        neighbours = device.empty(rows.num_arcs, rows.neighbours.dtype)
        xp.take(names, rows.neighbours, out=neighbours)
        found = _renamed[rows] = Renamed(neighbours, order, names)
    return found


def is_worth_renaming(device: Device, rows: DeviceRows) -> bool:
    """Whether a graph has been multiplied with often enough for new names to pay; asked once per product.

    Sums are made in the same order under both, so results do not change when this does.
    """
    if rows.num_arcs < FROM_ARCS or not rows.in_device_memory:
        return False
    calls = _calls[rows] = _calls.get(rows, 0) + 1
    if calls < AFTER_CALLS or rows in _too_large:
        return False
    try:
        renamed(device, rows)
    except MemoryError:  # the old names will do
        _too_large.add(rows)
        return False
    return True


def reordered(device: Device, values: Any, order: Any) -> Any:
    """``values[order]``."""
    moved = device.empty(order.size, values.dtype)
    kernel = device.kernel("reorder.cuh", "reorder", _types(values.dtype, order.dtype))
    blocks = blocks_for(device, order.size, THREADS)
    device.launch(kernel, blocks, THREADS, values, order, moved, np.uint64(order.size))
    return moved


def _types(value: np.dtype[Any], index: np.dtype[Any]) -> dict[str, str]:
    return {"value_t": ctype(value), "index_t": ctype(index)}


def shared_bytes(device: Device) -> int:
    """How much shared memory a block can have here."""
    if device.architecture == "cpu":
        return 64 << 10
    return SHARED.get(device.architecture, SMALLEST_SHARED) - RESERVED


VARIANTS = [Program.of("reorder.cuh", _types(np.dtype(np.int8), np.dtype(np.int64)))]
