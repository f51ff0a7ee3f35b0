"""Arrays between host and GPU at the speed of the link: large ones in chunks, through pinned memory, overlapped.

Pageable memory must be copied to pinned memory before the GPU's copy engine can fetch it. The driver does so on one
thread with no overlap; here all cores copy the next chunk while the last one travels.
"""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from clew import threads
from clew.dtypes import Array
from clew.engines.cuda.failures import clean
from clew.engines.cuda.registered import host_bytes
from clew.engines.cuda.virtual import Run

CHUNK = 32 << 20
SMALL = 4 << 20

TO_GPU, FROM_GPU = "a copy to the GPU failed", "a copy from the GPU failed"

_one_at_a_time = threading.Lock()  # who has the staging buffers


def upload(device: Any, array: Array) -> Any:
    """A copy of a host array on the GPU."""
    array = np.asarray(array, order="C")  # of one number too, which ascontiguousarray would make a list
    target = device.empty(array.shape, array.dtype)
    if array.nbytes <= SMALL:
        with clean(TO_GPU):
            target.set(array)
    else:
        send(device, target.data.ptr, array.reshape(-1).view(np.uint8))
    return target


def send(device: Any, address: int, source: Array) -> None:
    """Copy the bytes of a host array to an address of the GPU's."""
    cuda = device.xp.cuda
    with _one_at_a_time, clean(TO_GPU):
        stream, staging = cuda.get_current_stream(), _staging(device)
        for k, start in enumerate(range(0, source.size, CHUNK)):
            size = min(CHUNK, source.size - start)
            buffer, event = staging[k % len(staging)]
            event.synchronize()  # until the chunk that used this buffer last has left
            copy_bytes(buffer[:size], source[start : start + size])
            kind = cuda.runtime.memcpyHostToDevice
            cuda.runtime.memcpyAsync(address + start, buffer.ctypes.data, size, kind, stream.ptr)
            event.record(stream)


def download(device: Any, array: Any) -> Array:
    """A copy of a GPU array on the host."""
    slow = _bytes_on_host(array)
    if (array.nbytes <= SMALL and slow == 0) or not array.flags.c_contiguous:
        with clean(FROM_GPU):
            return np.asarray(device.xp.asnumpy(array))
    result = np.empty(array.shape, array.dtype)
    target = result.reshape(-1).view(np.uint8)
    if slow > 0:
        device.synchronize()
        copy_bytes(target[:slow], host_bytes(array, array.data.ptr, slow))
    with _one_at_a_time, clean(FROM_GPU):
        _fetch(device, array.data.ptr + slow, target[slow:])
    return result


def _bytes_on_host(array: Any) -> int:
    """Of an array in two memories, the bytes before the cut: the driver cannot be trusted with a copy across it.

    It copies from host memory on the CPU, which cannot read what comes after.
    """
    owner = getattr(array.data.mem, "_owner", None)
    if not isinstance(owner, Run):
        return 0
    return min(max(owner.address + owner.cut - int(array.data.ptr), 0), int(array.nbytes))


def _fetch(device: Any, address: int, target: Array) -> None:
    """Copy bytes from an address of the GPU's into a host array."""
    staging = _staging(device)
    cuda = device.xp.cuda
    stream = cuda.get_current_stream()
    for _, event in staging:
        event.synchronize()  # another stream may still be sending from the buffers
    starts = range(0, target.size, CHUNK)
    for k in range(len(starts) + 1):
        if k < len(starts):
            size = min(CHUNK, target.size - starts[k])
            buffer, event = staging[k % len(staging)]
            kind = cuda.runtime.memcpyDeviceToHost
            cuda.runtime.memcpyAsync(buffer.ctypes.data, address + starts[k], size, kind, stream.ptr)
            event.record(stream)
        if k > 0:  # unpack the chunk before while this one travels
            size = min(CHUNK, target.size - starts[k - 1])
            buffer, event = staging[(k - 1) % len(staging)]
            event.synchronize()
            copy_bytes(target[starts[k - 1] : starts[k - 1] + size], buffer[:size])


def copy_bytes(target: Array, source: Array) -> None:
    """Copy bytes on all cores."""
    pieces = max(1, min(threads.count(), target.size >> 20))
    bounds = np.linspace(0, target.size, pieces + 1).astype(np.int64)

    def piece(k: int) -> None:
        np.copyto(target[bounds[k] : bounds[k + 1]], source[bounds[k] : bounds[k + 1]])

    threads.each(piece, pieces)


def _staging(device: Any) -> list[tuple[Array, Any]]:
    """Two pinned buffers and the events that say when they are free, kept by the device."""
    found: list[tuple[Array, Any]] | None = getattr(device, "staging", None)
    if found is None:
        cuda = device.xp.cuda
        found = []
        for _ in range(2):
            memory = cuda.alloc_pinned_memory(CHUNK)
            buffer = np.frombuffer(memory, np.uint8, CHUNK)
            event = cuda.Event(disable_timing=True)
            event.record(cuda.get_current_stream())
            found.append((buffer, event))
        device.staging = found
    return found
