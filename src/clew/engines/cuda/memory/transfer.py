"""Copies between host and GPU at the speed of the link, and GPU arrays whose bytes are on the host.

Pageable memory must be copied to pinned memory before the GPU's copy engine can fetch it. The driver does so on one
thread with no overlap. Here there are lanes: threads with a stream and two small buffers each. A lane copies one chunk
while the previous one travels. On an H200, eight lanes reach 51 GB/s of the link's 55. Two large buffers, each filled
by all cores together, reached 30.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from clew import threads
from clew.dtypes import Array
from clew.engines.cuda.memory import host_memory, virtual
from clew.engines.cuda.memory.edge_memory import PAIR, write_pairs, write_pairs_on_all_cores
from clew.engines.cuda.memory.host_memory import check_host, host_bytes
from clew.engines.cuda.memory.virtual import Run
from clew.engines.cuda.toolchain.failures import clean, driver
from clew.errors import DeviceError, ResourceError

CHUNK = 4 << 20  # bytes; with 1 MiB, starting a copy takes longer than the copy
LANES = 8
SMALL = CHUNK
FEW = 1 << 12  # bytes, such as the counters of a kernel: those have pinned memory ready

TO_GPU, FROM_GPU = "a copy to the GPU failed", "a copy from the GPU failed"

#: Fills a buffer with the bytes from an offset on.
Write = Callable[[Array, int], None]

_one_at_a_time = threading.Lock()  # held while the lanes are in use
#: Smaller arrays are copied: they may share pages with others, and only one can be pinned.
COPIED_BELOW = 1 << 20


class Lane:
    """A stream, two pinned buffers, and the events that say when a copy from or into each has ended."""

    def __init__(self, cuda: Any) -> None:
        self.cuda = cuda
        self.stream = cuda.Stream(non_blocking=True)
        self.buffers = [np.frombuffer(cuda.alloc_pinned_memory(CHUNK), np.uint8, CHUNK) for _ in range(2)]
        self.ended = [cuda.Event(disable_timing=True) for _ in range(2)]
        self._turns = itertools.count()

    def send(self, chunks: Chunks, address: int, size: int, write: Write) -> None:
        """Copy chunks of ``size`` bytes, which ``write`` produces, to a GPU address."""
        for start in chunks:
            turn = next(self._turns) % 2
            part = self.buffers[turn][: size - start]
            self.ended[turn].synchronize()
            write(part, start)
            self._start(address + start, part.ctypes.data, part.size, turn, "memcpyHostToDevice")

    def fetch(self, chunks: Chunks, address: int, target: Array) -> None:
        """Copy chunks from a GPU address into a host array."""
        travelling: tuple[Array, int] | None = None
        for start in chunks:
            part, turn = target[start : start + CHUNK], next(self._turns) % 2
            self._start(self.buffers[turn].ctypes.data, address + start, part.size, turn, "memcpyDeviceToHost")
            self._unpack(travelling)
            travelling = part, turn
        self._unpack(travelling)

    def see_to_the_end(self) -> None:
        """Wait for pending copies, even if Ctrl-C comes again."""
        while True:
            try:
                return self.stream.synchronize()  # type: ignore[no-any-return]
            except Exception:  # the GPU is lost: nothing is pending
                return None
            except BaseException:
                continue

    def _start(self, target: int, source: int, size: int, turn: int, direction: str) -> None:
        runtime = self.cuda.runtime
        runtime.memcpyAsync(target, source, size, getattr(runtime, direction), self.stream.ptr)
        self.ended[turn].record(self.stream)

    def _unpack(self, travelling: tuple[Array, int] | None) -> None:
        if travelling is not None:
            part, turn = travelling
            self.ended[turn].synchronize()
            np.copyto(part, self.buffers[turn][: part.size])


class Chunks:
    """The starts of the chunks of an array, shared by the lanes; empty after ``stop``."""

    def __init__(self, size: int) -> None:
        self._size, self._numbers = size, itertools.count()

    def __iter__(self) -> Iterator[int]:
        while (start := next(self._numbers) * CHUNK) < self._size:
            yield start

    def stop(self) -> None:
        """End the iteration for all lanes."""
        self._size = 0


def upload(device: Any, array: Array) -> Any:
    """A copy of a host array on the GPU."""
    array = np.asarray(array, order="C")  # ascontiguousarray would turn a scalar into a list
    target = device.empty(array.shape, array.dtype)
    if array.nbytes <= SMALL:
        with clean(TO_GPU):
            target.set(array)
    else:
        send(device, target.data.ptr, array.reshape(-1).view(np.uint8))
    return target


def send(device: Any, address: int, source: Array) -> None:
    """Copy the bytes of a host array to a GPU address."""
    send_written(device, address, source.size, lambda part, start: np.copyto(part, source[start : start + part.size]))


def send_written(device: Any, address: int, size: int, write: Write) -> None:
    """Copy bytes that ``write`` produces chunk by chunk to a GPU address."""
    with clean(TO_GPU):
        _in_lanes(device, size, lambda lane, chunks: lane.send(chunks, address, size, write))


def download(device: Any, array: Any) -> Array:
    """A copy of a GPU array on the host."""
    slow = _bytes_on_host(array)
    if 0 < array.nbytes <= FEW and slow == 0 and array.flags.c_contiguous:
        with clean(FROM_GPU):
            return _download_few(device, array)
    if (array.nbytes <= SMALL and slow == 0) or not array.flags.c_contiguous:
        with clean(FROM_GPU):
            return np.asarray(device.xp.asnumpy(array))
    result = np.empty(array.shape, array.dtype)
    target = result.reshape(-1).view(np.uint8)
    if slow > 0:
        device.synchronize()
        threads.copy(target[:slow], host_bytes(array, array.data.ptr, slow))
    address, rest = array.data.ptr + slow, target[slow:]
    with clean(FROM_GPU):
        _in_lanes(device, rest.size, lambda lane, chunks: lane.fetch(chunks, address, rest))
    return result


def _download_few(device: Any, array: Any) -> Array:
    """The same of a few bytes. CuPy's own copy takes 14 µs, this one 9."""
    cuda = device.xp.cuda
    if device.rooms:
        room, address = device.rooms.pop()
    else:
        room = np.frombuffer(cuda.alloc_pinned_memory(FEW), np.uint8, FEW)
        address = room.ctypes.data
    stream, size = cuda.get_current_stream(), array.nbytes
    cuda.runtime.memcpyAsync(address, array.data.ptr, size, cuda.runtime.memcpyDeviceToHost, stream.ptr)
    stream.synchronize()
    found: Array = room[:size].copy().view(array.dtype).reshape(array.shape)
    device.rooms.append((room, address))
    return found


def reader(device: Any, array: Any, record: np.dtype[Any]) -> Callable[[], Any]:
    """A function that downloads a few bytes as a record, again and again: what ``download`` looks up is found once.

    Every time gives the same record, with what it has then.
    """
    cuda, size, source = device.xp.cuda, array.nbytes, array.data.ptr
    with clean(FROM_GPU):
        room = np.frombuffer(cuda.alloc_pinned_memory(size), np.uint8, size)
    target, found = room.ctypes.data, room.view(record)[0]
    copy, wait, kind = cuda.runtime.memcpyAsync, cuda.runtime.streamSynchronize, cuda.runtime.memcpyDeviceToHost
    current = cuda.get_current_stream

    def read() -> Any:
        try:
            stream = current().ptr
            copy(target, source, size, kind, stream)
            wait(stream)
        except Exception:
            with clean(FROM_GPU):
                raise
        return found

    return read


def _in_lanes(device: Any, size: int, work: Callable[[Lane, Chunks], None]) -> None:
    """Copy ``size`` bytes in chunks by all lanes, after earlier and before later work of the current stream.

    This also holds after Ctrl-C or a failure, because the target may be reused soon.
    """
    if size == 0:
        return
    cuda, chunks = device.xp.cuda, Chunks(size)
    errors: list[BaseException] = []
    with _one_at_a_time:
        stream = cuda.get_current_stream()
        before = cuda.Event(disable_timing=True)
        before.record(stream)
        count = min(LANES, threads.count(), -(-size // CHUNK))
        device.lanes.extend(Lane(cuda) for _ in range(count - len(device.lanes)))
        lanes: list[Lane] = device.lanes[:count]

        def run(number: int) -> None:
            try:
                with cuda.Device(device.ordinal):
                    lanes[number].stream.wait_event(before)
                    work(lanes[number], chunks)
            except BaseException as error:
                chunks.stop()
                errors.append(error)

        try:
            threads.apart(run, len(lanes), chunks.stop, movers=True)
            for lane in lanes:
                after = cuda.Event(disable_timing=True)
                after.record(lane.stream)
                stream.wait_event(after)
        except BaseException:
            for lane in lanes:
                lane.see_to_the_end()
            raise
    if errors:
        failed = errors[0]
        errors.clear()  # else errors and frames would form a cycle that keeps the arrays
        try:
            raise failed
        finally:
            del failed


def _bytes_on_host(array: Any) -> int:
    """Of an array in two memories, the bytes before the cut. The driver fails on a copy across it.

    It copies from host memory on the CPU, which cannot read the rest.
    """
    owner = getattr(array.data.mem, "_owner", None)
    if not isinstance(owner, Run):
        return 0
    return min(max(owner.address + owner.cut - int(array.data.ptr), 0), int(array.nbytes))


def hosted(device: Any, array: Array) -> Any:
    """The array as kernels read it over the link."""
    if array.nbytes == 0:
        return device.empty(array.shape, array.dtype)
    owner: Any = array
    whole = array.flags.c_contiguous
    address = host_memory.pinned_address(array) if whole else 0  # pinned memory is kept alive by the view
    pinnable = not address and whole and array.nbytes >= COPIED_BELOW
    if pinnable and (held := host_memory.pin_in_place(device.pages, array)) is not None:
        owner, address = held, held.address
    if not address:
        owner, address = host_memory.pinned_pages(array.nbytes)
        threads.copy(owner, _bytes_of(array))
    return host_memory.view_of(device, owner, address, array.shape, array.dtype, array.nbytes)


def split(device: Any, array: Array, fast_from_byte: int, weights: Array | None = None) -> Any:
    """A copy at contiguous addresses, whose pages from the cut on are in GPU memory.

    Pairs are written directly to their place, or into the buffers for the GPU. There is no third copy.
    """
    dtype = array.dtype if weights is None else PAIR
    size = array.size * dtype.itemsize
    if size == 0:
        return device.empty(array.shape, dtype)
    device.xp.get_default_memory_pool().free_all_blocks()
    run = virtual.in_two(device.ordinal, size, fast_from_byte)
    cut = min(size, run.cut)
    host = host_memory.host_bytes(run, run.address, cut)
    if weights is None:
        source = _bytes_of(array)
        threads.copy(host, source[:cut])
        send(device, run.address + cut, source[cut:])
    else:
        write_pairs_on_all_cores(host, array, weights)
        send_written(
            device, run.address + cut, size - cut, lambda part, start: write_pairs(part, cut + start, array, weights)
        )
    return host_memory.view_of(device, run, run.address, array.shape, dtype, run.size)


def managed(device: Any, array: Array, prefetch: bool) -> Any:
    """A copy in managed memory, written by the host, so that its pages start there."""
    size, free = array.nbytes, device.free_memory()
    if size == 0:
        return device.empty(array.shape, array.dtype)
    if size > free:
        raise ResourceError(
            f"{size:,} bytes of managed memory are needed and {free:,} bytes are free on the GPU; beyond that, "
            "pages would move back and forth forever.",
            remedy='Use clew.memory(edges="auto"), "tiered" or "zero_copy".',
        )
    check_host(size, "managed memory, whose pages begin on the host,", remedy='Use clew.memory(edges="zero_copy").')
    source = _bytes_of(array)
    device.xp.get_default_memory_pool().free_all_blocks()
    with clean(f"{size:,} bytes of managed memory cannot be had", size):
        place = device.xp.cuda.malloc_managed(size)
    threads.copy(host_memory.host_bytes(place, place.ptr, size), source)
    if prefetch:
        prefetch_bytes(device, place.ptr, size)
    return device.xp.ndarray(array.shape, array.dtype, place)


def prefetch_bytes(device: Any, address: int, size: int) -> None:
    """Start moving managed memory to the GPU."""
    import cuda.bindings

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
            f"managed memory cannot be prefetched: {status.name}.", remedy='Use clew.memory(edges="managed").'
        )


def _bytes_of(array: Array) -> Array:
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8)
