"""The edges of a graph on a device, copied once and kept as long as the graph lives."""

from __future__ import annotations

import weakref
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from clew.adjacency import Adjacency
from clew.engines.cuda.device import Device, index_defines
from clew.engines.cuda.source import ctype
from clew.graph import Graph


@dataclass(frozen=True, eq=False)
class DeviceRows:
    """Compressed rows on a device: offsets in 32 bits where the arcs can be counted so."""

    offsets: Any
    neighbours: Any
    weights: Any
    num_vertices: int
    num_arcs: int

    @property
    def defines(self) -> dict[str, str]:
        """The macros of kernels that run over these rows; ``weight_t`` and WEIGHTED say what the weights are."""
        macros = index_defines(np.dtype(self.neighbours.dtype), self.num_arcs)
        weight = "float" if self.weights is None else ctype(self.weights.dtype)
        return {**macros, "weight_t": weight, "WEIGHTED": str(int(self.weights is not None))}


_kept: dict[tuple[int, int], tuple[DeviceRows, Any]] = {}


def rows_on(device: Device, rows: Adjacency, *, weights: bool = True) -> DeviceRows:
    """The rows on the device; the second call finds what the first has copied."""
    key = (id(device), id(rows.indices))
    found = _kept.get(key)
    if found is None:
        offset = np.uint32 if rows.num_arcs < 2**32 else np.int64
        indptr = rows.indptr
        on_device = DeviceRows(
            device.upload(indptr.astype(offset)),
            device.upload(rows.indices),
            None,
            rows.num_vertices,
            rows.num_arcs,
        )
        # The arrays are read-only and cannot change; when they go, so does the copy.
        weakref.finalize(rows.indices, _kept.pop, key, None)
        found = _kept[key] = (on_device, None)
    plain, weighted = found
    if not weights or rows.weights is None:
        return plain
    if weighted is None or weighted[0]() is not rows.weights:
        copy = DeviceRows(
            plain.offsets, plain.neighbours, device.upload(rows.weights), plain.num_vertices, plain.num_arcs
        )
        weighted = (weakref.ref(rows.weights), copy)
        _kept[key] = (plain, weighted)
    kept: DeviceRows = weighted[1]
    return kept


_turned: dict[tuple[int, int], tuple[Any, DeviceRows]] = {}


def incoming_on(device: Device, graph: Graph, *, weights: bool = True) -> DeviceRows:
    """The in-edges on the device: turned round there, unless the graph has them on the host already."""
    if not graph.directed or graph.has_incoming:
        return rows_on(device, graph.incoming, weights=weights)
    from clew.engines.cuda.build import transposed

    rows = graph.outgoing
    key, wanted = (id(device), id(rows.indices)), rows.weights if weights else None
    found = _turned.get(key)
    if found is None or (wanted is not None and found[0] is not wanted):
        if found is None:
            weakref.finalize(rows.indices, _turned.pop, key, None)
        found = _turned[key] = (wanted, transposed(device, rows_on(device, rows, weights=weights)))
    turned = found[1]
    if weights or turned.weights is None:
        return turned
    return replace(turned, weights=None)


_caches: list[dict[Any, Any]] = [_kept, _turned]


def forgotten_with_rows(cache: dict[Any, Any]) -> None:
    """Have another module's cache of what is on a device emptied with the rows."""
    _caches.append(cache)


def forget_all() -> None:
    """Free the memory of all graphs on all devices."""
    for cache in _caches:
        cache.clear()
