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


_renamed: weakref.WeakKeyDictionary[DeviceRows, Renamed] = weakref.WeakKeyDictionary()


def names_of(device: Device, rows: DeviceRows) -> tuple[Any, Any]:
    """The columns by falling number of edges that lead there, and the place of each in that order."""
    xp = device.xp
    arrivals = xp.bincount(rows.neighbours, minlength=rows.num_vertices)
    order = xp.argsort(-arrivals).astype(rows.neighbours.dtype)
    names = device.empty(rows.num_vertices, rows.neighbours.dtype)
    names[order] = xp.arange(rows.num_vertices, dtype=rows.neighbours.dtype)
    return order, names


def renamed(device: Device, rows: DeviceRows) -> Renamed:
    """The rows with the new names of their columns, made once."""
    found = _renamed.get(rows)
    if found is None:
        order, names = names_of(device, rows)
        neighbours = device.empty(rows.num_arcs, rows.neighbours.dtype)
        device.xp.take(names, rows.neighbours, out=neighbours)
        found = _renamed[rows] = Renamed(neighbours, order, names)
    return found


def forget_renamed(rows: DeviceRows) -> None:
    """Let the second copy of the columns go."""
    _renamed.pop(rows, None)


def forget_all_renamed() -> bool:
    """The same of all graphs; whether there were any."""
    had = bool(_renamed)
    _renamed.clear()
    return had


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
