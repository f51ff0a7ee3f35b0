"""Coordinates and padded tables on a device, copied once and kept as long as the layout's columns live."""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np

from clew.engines.cuda.device import Device
from clew.engines.cuda.rows import forgotten_with_rows
from clew.layouts import COO, ELL

_kept: dict[tuple[int, int], tuple[Any, Any]] = {}
forgotten_with_rows(_kept)
_weights: dict[tuple[int, int], tuple[Any, Any]] = {}
forgotten_with_rows(_weights)


def layout_on(device: Device, edges: COO | ELL) -> tuple[Any, Any, Any]:
    """Rows (None of a table), columns and weights (None without) on the device."""
    key = (id(device), id(edges.columns))
    if key not in _kept:
        rows = device.upload(np.ascontiguousarray(edges.rows)) if isinstance(edges, COO) else None
        _kept[key] = (rows, device.upload(np.ascontiguousarray(edges.columns)))
        for kept in (_kept, _weights):
            weakref.finalize(edges.columns, kept.pop, key, None)
    if edges.weights is None:
        return (*_kept[key], None)
    # Layouts may share columns and differ in weights; the last ones are kept.
    whose, weights = _weights.get(key, (None, None))
    if whose is None or whose() is not edges.weights:
        weights = device.upload(np.ascontiguousarray(edges.weights))
        _weights[key] = (weakref.ref(edges.weights), weights)
    return (*_kept[key], weights)
