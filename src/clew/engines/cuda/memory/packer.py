"""Packing neighbours on a device, a piece at a time, into the same arrays as ``clew.packed.code.pack``; and unpacking.

A host of 16 cores packs 0.5 billion edges per second. The link brings 13 billion to the GPU, which packs them as they
come. To unpack, less crosses the link, and the host keeps no plain copy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from clew import threads
from clew.adjacency import Adjacency
from clew.build.on_device import device_copy
from clew.engines.cuda.toolchain.device import Device, blocks_for, index_defines
from clew.errors import ResourceError
from clew.packed.code import GROUP, GROUPS, SPARE, PackedArray, bits_of, counts, pack

if TYPE_CHECKING:
    from clew.engines.cuda.memory.device_graph import DeviceGraph

#: Edges from which the device packs. With fewer, the host is done before the kernels are loaded.
ON_DEVICE_FROM = 1 << 22
#: Blocks of 4,096 edges that are on the device at a time, and the part of the free memory that they may take.
PIECE, PART_OF_FREE = 1 << 14, 0.25
THREADS = 256


def packed_neighbours(device: Device, rows: Adjacency, known: DeviceGraph) -> PackedArray:
    """The neighbours of plain rows, packed by the device if there are many and it has room, else by the host.

    ``known`` is their device graph: their edges may be on the device already.
    """
    largest = max(0, rows.num_columns - 1)
    if rows.num_arcs >= ON_DEVICE_FROM:
        try:
            return _on_device(device, rows, known, largest)
        except ResourceError:
            pass  # its frames, and what they hold, are gone by now
    return pack(rows.indices, largest, rows.indptr)


def _on_device(device: Device, rows: Adjacency, known: DeviceGraph, largest: int) -> PackedArray:
    size, bits = rows.num_arcs, bits_of(largest)
    groups, blocks = counts(size)
    there = known.edges.plain if known.edges is not None and known.edges.plan.mode == "device" else None
    copy = device_copy(rows.indices) if there is None else there.neighbours
    edges = (known.offsets_of(device, rows), np.uint64(rows.num_vertices))
    heads, bases = np.empty(groups, np.uint32), np.zeros(blocks + 1, np.uint64)
    # No group takes more than its entries as they are. Pages of this array that are not written take no memory.
    words, filled = np.empty(blocks * GROUPS * max(1, bits) + SPARE, np.uint64), 0
    step = _blocks_at_once(device, rows.id_dtype.itemsize)
    for first in range(0, blocks, step):
        last = min(first + step, blocks)
        begin, end = first * GROUPS * GROUP, min(last * GROUPS * GROUP, size)
        piece = device.upload(rows.indices[begin:end]) if copy is None else copy[begin:end]
        found = _packed_piece(device, index_defines(rows.id_dtype, size), piece, edges, (begin, size, bits))
        heads[first * GROUPS : first * GROUPS + found[0].size], places, part = found
        bases[first + 1 : last + 1] = places[1:] + np.uint64(filled)
        threads.copy(words[filled : filled + part.size].view(np.uint8), part.view(np.uint8))
        filled += part.size
    words[filled : filled + SPARE] = 0
    return PackedArray(words[: filled + SPARE], heads, bases, size, largest, rows.id_dtype)


def _packed_piece(
    device: Device, defines: dict[str, str], values: Any, edges: tuple[Any, Any], numbers: tuple[int, int, int]
) -> tuple[Any, Any, Any]:
    """Heads, the places of blocks with the end, and words of some blocks; on the host."""
    begin, size, bits = numbers
    groups, blocks = counts(int(values.size))
    heads, taken = device.empty(groups, np.uint32), device.empty(groups, np.uint32)
    given = (values, *edges, np.uint64(begin), np.uint64(size), np.uint64(groups), np.uint32(bits))
    grid = blocks_for(device, groups * 32, THREADS, per_processor=32)
    device.launch(device.kernel("pack.cuh", "measure_groups", defines), grid, THREADS, *given, heads, taken)
    sizes = device.zeros(blocks + 1, np.uint64)
    place = device.kernel("pack.cuh", "place_groups", defines)
    device.launch(place, blocks_for(device, blocks, THREADS), THREADS, np.uint64(groups), taken, heads, sizes[1:])
    places = device.xp.cumsum(sizes, dtype=np.uint64)
    words = device.zeros(2 * int(places[-1]), np.uint32)
    device.launch(device.kernel("pack.cuh", "write_groups", defines), grid, THREADS, *given, heads, places, words)
    return device.download(heads), device.download(places), device.download(words).view(np.uint64)


def unpacked_neighbours(device: Device, array: PackedArray, offsets: Any) -> Any:
    """The neighbours of rows with these offsets, plain and in device memory."""
    plain, (_, blocks) = device.empty(array.size, array.dtype), counts(array.size)
    kernel = device.kernel("pack.cuh", "unpack_groups", index_defines(array.dtype, array.size))
    rows, step = np.uint64(offsets.size - 1), _blocks_at_once(device, array.dtype.itemsize)
    for first in range(0, blocks, step):
        last = min(first + step, blocks)
        begin, end = first * GROUPS * GROUP, min(last * GROUPS * GROUP, array.size)
        places = array.bases[first : last + 1]
        words = device.upload(array.words[int(places[0]) : int(places[-1]) + SPARE].view(np.uint32))
        heads = device.upload(array.heads[first * GROUPS : last * GROUPS])
        given = (words, heads, device.upload(places - places[0]), np.uint32(array.given[3]), offsets, rows)
        numbers = (np.uint64(begin), np.uint64(array.size), np.uint64(heads.size))
        grid = blocks_for(device, heads.size * 32, THREADS, per_processor=32)
        device.launch(kernel, grid, THREADS, *given, *numbers, plain[begin:end])
    return plain


def _blocks_at_once(device: Device, item: int) -> int:
    """The number of blocks with room for entries, and for words that take no more."""
    room = int(device.free_memory() * PART_OF_FREE) // (2 * item * GROUP * GROUPS)
    return max(1, min(PIECE, room))
