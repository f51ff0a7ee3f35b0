"""The edges of a graph in chunks: the last ones in device memory as far as they fit, the others where they are.

Chunks are cut by edges, not by rows: a row longer than a chunk is in several. Offsets and all that is kept of vertices
are in device memory.
"""

from __future__ import annotations

import weakref
from collections.abc import Hashable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from clew.adjacency import Adjacency
from clew.dtypes import Array
from clew.engines.cuda.account import charge
from clew.engines.cuda.device import Device, index_defines
from clew.engines.cuda.rows import forgotten_with_rows, offsets_on
from clew.engines.cuda.source import ctype
from clew.memory import current
from clew.tracing import edge_bytes

#: Long enough for the link to reach its rate, short enough that the first kernel starts soon.
CHUNK_BYTES = 32 << 20
LEAST_CHUNKS = 64  # that would fit into the free memory: some are on their way at a time
SLOTS = 3  # chunks on their way or at work at a time


@dataclass(frozen=True)
class Chunk:
    """Edges ``low``…``high - 1``, and the rows that have a part in them."""

    low: int
    high: int
    first_row: int
    num_rows: int
    resident: bool

    @property
    def edges(self) -> int:
        """How many edges it has."""
        return self.high - self.low


@dataclass(frozen=True, eq=False)
class ChunkedRows:
    """Rows whose edges from ``split`` on are in device memory; ``low`` arrays are the host's, ``high`` the device's."""

    device: Device
    num_vertices: int
    num_arcs: int
    split: int
    chunks: list[Chunk]
    offsets: Any
    host: tuple[Array, Array | None]
    low: tuple[Any, Any]
    high: tuple[Any, Any]
    bounds: Any = field(repr=False)
    rings: int | None = None  # sets of slots that there may be; None: as many as there are runs at a time
    kept: dict[str, Any] = field(default_factory=dict, repr=False)  # whatever else is made of them once

    @property
    def index(self) -> np.dtype[Any]:
        """The type of vertices."""
        return self.host[0].dtype

    @property
    def edge_bytes(self) -> int:
        """The bytes of an edge."""
        return edge_bytes(*self.host)

    @property
    def slot_edges(self) -> int:
        """The edges of the longest chunk that is not resident."""
        return max((chunk.edges for chunk in self.chunks if not chunk.resident), default=0)

    @property
    def defines(self) -> dict[str, Any]:
        """The macros of kernels over these rows."""
        weights = self.host[1]
        weight = "float" if weights is None else ctype(weights.dtype)
        return {**index_defines(self.index, self.num_arcs), "weight_t": weight, "WEIGHTED": int(weights is not None)}


class _Kept(NamedTuple):
    """Chunks, and what they were made for."""

    asked: Hashable
    device: weakref.ref[Any]
    weights: weakref.ref[Any] | None
    made: ChunkedRows


_kept: dict[tuple[int, int], _Kept] = {}
forgotten_with_rows(_kept)
#: Arrays of neighbours that take their chunks along when they go.
_watched: weakref.WeakValueDictionary[tuple[int, int], Array] = weakref.WeakValueDictionary()


def chunked(
    device: Device,
    rows: Adjacency,
    split: int,
    *,
    weights: Array | None = None,
    chunk_bytes: int | None = None,
    in_slots: bool = True,
) -> ChunkedRows:
    """The rows in chunks, the edges from ``split`` on in device memory. Valid as long as the caller has the graph.

    Without ``in_slots`` there is no memory for copies: the other chunks are read where they are.
    """
    arcs, limited = rows.num_arcs, current().fast_memory is not None
    owner = (id(device), id(rows.indices))
    if chunk_bytes is None:
        chunk_bytes = min(CHUNK_BYTES, device.free_memory() // LEAST_CHUNKS)
    step = max(1, chunk_bytes // edge_bytes(rows.indices, weights))
    bounds = [*range(0, split, step), split, arcs]
    chunks = [_chunk(rows.indptr, low, high, low >= split) for low, high in pairwise(bounds) if low < high]
    high: tuple[Any, Any] = (None, None)
    if split < arcs:
        high = (device.upload(rows.indices[split:]), None if weights is None else device.upload(weights[split:]))
    low: tuple[Any, Any] = (None, None)
    if split > 0:
        low = (device.hosted(rows.indices), None if weights is None else device.hosted(weights))
    edges = [chunk.low for chunk in chunks] + [arcs]
    made = ChunkedRows(
        device,
        rows.num_vertices,
        arcs,
        split,
        chunks,
        offsets_on(device, rows),
        (_not_kept(rows.indices), None if weights is None else _not_kept(weights)),
        low,
        high,
        device.upload(np.array(edges, np.uint64)),
        0 if not in_slots else 1 if limited else None,
    )
    for array in high:
        if array is not None:
            charge(device, array, int(array.nbytes), owner)
    if made.rings == 1:
        charge(device, made, SLOTS * made.slot_edges * made.edge_bytes, owner)
    return made


def chunks_kept(device: Device, rows: Adjacency, weights: Array | None, asked: Hashable) -> ChunkedRows | None:
    """What was made for the same question before. Anything else that is kept for this graph is freed."""
    found = _kept.get((id(device), id(rows.indices)))
    if found is None:
        return None
    same = found.weights is None if weights is None else found.weights is not None and found.weights() is weights
    if same and found.asked == asked and found.device() is device:
        return found.made
    _kept.pop((id(device), id(rows.indices)))
    return None


def keep_chunks(rows: Adjacency, weights: Array | None, asked: Hashable, made: ChunkedRows) -> None:
    """Have them found by the next call, as long as the graph is there."""
    key = (id(made.device), id(rows.indices))
    reference = None if weights is None else weakref.ref(weights)
    if _watched.get(key) is not rows.indices:  # once for an array, however often its chunks are made anew
        _watched[key] = rows.indices
        weakref.finalize(rows.indices, _kept.pop, key, None).atexit = False
    _kept[key] = _Kept(asked, weakref.ref(made.device), reference, made)


def _chunk(indptr: Array, low: int, high: int, resident: bool) -> Chunk:
    first = int(np.searchsorted(indptr[1:], low, side="right"))
    end = int(np.searchsorted(indptr[:-1], high, side="left"))
    return Chunk(low, high, first, end - first, resident)


class _Alias:
    """An array's memory, without keeping the array alive."""

    def __init__(self, array: Array) -> None:
        self.__array_interface__ = array.__array_interface__


def _not_kept(array: Array) -> Array:
    """The same entries; a graph must go when its user lets go of it, and with it what is kept here."""
    return np.asarray(_Alias(array)) if array.flags.c_contiguous else array
