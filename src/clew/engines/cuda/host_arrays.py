"""Arrays of a GPU whose bytes are on the host, all of them, some of them, or until they are touched."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.dtypes import Array
from clew.engines.cuda import registered, virtual
from clew.engines.cuda.failures import clean
from clew.engines.cuda.host_memory import check_host
from clew.engines.cuda.pairs import PAIR, write_pairs, write_pairs_on_all_cores
from clew.engines.cuda.transfer import copy_bytes, send, send_written
from clew.errors import DeviceError, ResourceError

#: Arrays below this may share their pages with others, of which only one can be pinned: they are copied.
COPIED_BELOW = 1 << 20


def hosted(device: Any, array: Array) -> Any:
    """The array as kernels read it over the link."""
    if array.nbytes == 0:
        return device.empty(array.shape, array.dtype)
    if array.flags.c_contiguous and (address := registered.known(array)):  # pinned memory, which the view keeps
        return registered.view_of(device, array, address, array.shape, array.dtype, array.nbytes)
    if array.nbytes >= COPIED_BELOW and array.flags.c_contiguous:
        held = registered.in_place(array)
        if held is not None:
            return registered.view_of(device, held, held.address, array.shape, array.dtype, array.nbytes)
    room, address = registered.pages(array.nbytes)
    copy_bytes(room, _bytes_of(array))
    return registered.view_of(device, room, address, array.shape, array.dtype, array.nbytes)


def split(device: Any, array: Array, fast_from_byte: int, beside: Array | None = None) -> Any:
    """A copy in one run of addresses, whose pages from the cut on are the GPU's.

    Pairs are written where they belong, or into the buffers through which they go to the GPU: there is no third copy.
    """
    kind = array.dtype if beside is None else PAIR
    size = array.size * kind.itemsize
    if size == 0:
        return device.empty(array.shape, kind)
    device.xp.get_default_memory_pool().free_all_blocks()
    run = virtual.in_two(device.ordinal, size, fast_from_byte)
    cut = min(size, run.cut)
    host = registered.host_bytes(run, run.address, cut)
    if beside is None:
        source = _bytes_of(array)
        copy_bytes(host, source[:cut])
        send(device, run.address + cut, source[cut:])
    else:
        write_pairs_on_all_cores(host, array, beside)
        send_written(
            device, run.address + cut, size - cut, lambda part, start: write_pairs(part, cut + start, array, beside)
        )
    return registered.view_of(device, run, run.address, array.shape, kind, run.size)


def managed(device: Any, array: Array, prefetch: bool) -> Any:
    """A copy in managed memory, written by the host, so that its pages begin there."""
    size, free = array.nbytes, device.free_memory()
    if size == 0:
        return device.empty(array.shape, array.dtype)
    if size > free:
        raise ResourceError(
            f"{size:,} bytes of managed memory are needed and {free:,} bytes are free on the GPU; beyond that, "
            "pages would be moved for ever.",
            remedy='Use clew.memory(edges="auto"), "tiered" or "zero_copy".',
            option="Use --edges auto, tiered or zero_copy.",
        )
    check_host(
        size,
        "managed memory, whose pages begin on the host,",
        remedy='Use clew.memory(edges="zero_copy").',
        option="Use --edges zero_copy.",
    )
    source = _bytes_of(array)
    device.xp.get_default_memory_pool().free_all_blocks()
    with clean(f"{size:,} bytes of managed memory cannot be had", size):
        place = device.xp.cuda.malloc_managed(size)
    copy_bytes(registered.host_bytes(place, place.ptr, size), source)
    if prefetch:
        prefetch_bytes(device, place.ptr, size)
    return device.xp.ndarray(array.shape, array.dtype, place)


def prefetch_bytes(device: Any, address: int, size: int) -> None:
    """Start moving managed memory to the GPU."""
    import cuda.bindings
    from cuda.bindings import driver

    stream = device.xp.cuda.get_current_stream().ptr
    if int(cuda.bindings.__version__.split(".")[0]) >= 13:
        where = driver.CUmemLocation()
        where.type = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
        where.id = device.ordinal
        (status,) = driver.cuMemPrefetchAsync(address, size, where, 0, stream)
    else:
        (status,) = driver.cuMemPrefetchAsync(address, size, driver.CUdevice(device.ordinal), stream)
    if status != driver.CUresult.CUDA_SUCCESS:
        raise DeviceError(
            f"managed memory cannot be prefetched: {status.name}.",
            remedy='Use clew.memory(edges="managed").',
            option="Use --edges managed.",
        )


def _bytes_of(array: Array) -> Array:
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8)
