"""Coordinates and padded tables on a device, copied once and kept as long as the layout's columns live."""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np

from clew.dtypes import Array
from clew.engines.cuda.device import Device
from clew.engines.cuda.rows import forgotten_with_rows
from clew.layouts import COO, ELL

_kept: dict[tuple[int, int], Any] = {}
forgotten_with_rows(_kept)
_rows: dict[tuple[int, int], tuple[Any, Any]] = {}
forgotten_with_rows(_rows)
_weights: dict[tuple[int, int], tuple[Any, Any]] = {}
forgotten_with_rows(_weights)


def layout_on(device: Device, edges: COO | ELL) -> tuple[Any, Any, Any]:
    """Rows (None of a table), columns and weights (None without) on the device."""
    key = (id(device), id(edges.columns))
    if key not in _kept:
        _kept[key] = device.upload(np.ascontiguousarray(edges.columns))
        for kept in (_kept, _rows, _weights):
            weakref.finalize(edges.columns, kept.pop, key, None)
    # Layouts may share columns and differ in rows or weights; the last ones are kept.
    rows = _kept_of(_rows, device, key, edges.rows if isinstance(edges, COO) else None)
    return rows, _kept[key], _kept_of(_weights, device, key, edges.weights)


def _kept_of(
    kept: dict[tuple[int, int], tuple[Any, Any]], device: Device, key: tuple[int, int], array: Array | None
) -> Any:
    """An array that goes with the columns, on the device; None where there is none."""
    if array is None:
        return None
    whose, copy = kept.get(key, (None, None))
    if whose is None or whose() is not array:
        copy = device.upload(np.ascontiguousarray(array))
        kept[key] = (weakref.ref(array), copy)
    return copy
