"""Packed rows on a device: the words of packed neighbours are placed as plain neighbours are, in the same budget.

The heads of groups (4 bytes for 64 edges) are in device memory under every policy, as offsets are.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from clew.adjacency import Adjacency
from clew.engines.cuda.memory.device_graph import graph_on, rows_on
from clew.engines.cuda.memory.device_rows import DeviceRows, Packed
from clew.engines.cuda.toolchain.device import Device
from clew.graph import Graph
from clew.memory import current
from clew.packed import PackedAdjacency
from clew.packed.code import PackedArray, pack


def packed_on(device: Device, rows: Adjacency) -> DeviceRows | None:
    """The rows without weights and packed, if ``clew.memory`` says so; else None."""
    array = _array_of(device, rows)
    if array is None:
        return None
    words = Adjacency(rows.indptr, array.words)  # the device places them like neighbours, whatever they mean
    there = rows_on(device, words, weights=False)
    return there.once("packed", lambda: _unpackable(device, there, array))


def packed_incoming_on(device: Device, graph: Graph) -> DeviceRows | None:
    """The same of the in-edges, which are built and packed on the host."""
    packs = current().packed is True or (graph.is_packed and current().packed == "auto")
    return packed_on(device, graph.incoming) if packs else None


def _array_of(device: Device, rows: Adjacency) -> PackedArray | None:
    """The packed neighbours if the policy wants them, packed once; a placement says which plain edges are fast."""
    policy = current()
    if policy.packed is False or rows.boundary is not None or rows.num_arcs == 0:
        return None
    if isinstance(rows, PackedAdjacency):
        return rows.neighbours
    if policy.packed == "auto":
        return None
    kept = graph_on(device, rows.indices).derived
    if "packed" not in kept:
        kept["packed"] = pack(rows.indices, rows.num_columns - 1, rows.indptr)
    array: PackedArray = kept["packed"]
    return array


def _unpackable(device: Device, there: DeviceRows, array: PackedArray) -> DeviceRows:
    """Rows whose neighbours are words, with what a kernel needs to unpack them."""
    heads, bases, bits = (device.upload(array.heads), device.upload(array.bases), np.uint32(array.given[3]))
    known: Any = Packed(heads, bases, bits, array.dtype, array.nbytes)
    return replace(there, num_arcs=array.size, packed=known)
