"""Coordinates and padded tables on a device, copied once and kept as long as the layout's columns live."""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np

from clew.dtypes import Array
from clew.engines.cuda.device import Device
from clew.engines.cuda.device_graph import graph_on
from clew.layouts import COO, ELL


def layout_on(device: Device, edges: COO | ELL) -> tuple[Any, Any, Any]:
    """Rows (None of a table), columns and weights (None without) on the device."""
    # Layouts may share columns and differ in rows or weights; the last ones are kept.
    forms = graph_on(device, edges.columns).forms
    columns = _copy_of(device, forms, "columns", edges.columns)
    rows = _copy_of(device, forms, "rows", edges.rows if isinstance(edges, COO) else None)
    return rows, columns, _copy_of(device, forms, "weights", edges.weights)


def _copy_of(device: Device, forms: dict[str, Any], name: str, array: Array | None) -> Any:
    """An array on the device; None where there is none."""
    if array is None:
        return None
    whose, copy = forms.get(name, (None, None))
    if whose is None or whose() is not array:
        copy = device.upload(np.ascontiguousarray(array))
        forms[name] = (weakref.ref(array), copy)
    return copy
