"""Arrays between host and GPU at the speed of the link: large ones in chunks, through pinned memory, overlapped.

Pageable memory must be copied to pinned memory before the GPU's copy engine can fetch it. The driver does so on one
thread with no overlap. Here there are lanes, each a thread with a stream and two small buffers, which copy a chunk
while the one before travels, and do not wait for each other. On an H200, eight of them reach 51 GB/s of the link's 55;
two large buffers, each filled by all cores together, reached 30.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from clew import threads
from clew.dtypes import Array
from clew.engines.cuda.failures import clean
from clew.engines.cuda.registered import host_bytes
from clew.engines.cuda.virtual import Run

CHUNK = 4 << 20  # bytes; of 1 MiB, starting the copies takes longer than they do
LANES = 8
SMALL = CHUNK

TO_GPU, FROM_GPU = "a copy to the GPU failed", "a copy from the GPU failed"

#: Fills a buffer with the bytes from a place on.
Write = Callable[[Array, int], None]

_one_at_a_time = threading.Lock()  # who has the lanes


class Lane:
    """A stream, two pinned buffers, and the events that say when a copy from or into each has ended."""

    def __init__(self, cuda: Any) -> None:
        self.cuda = cuda
        self.stream = cuda.Stream(non_blocking=True)
        self.buffers = [np.frombuffer(cuda.alloc_pinned_memory(CHUNK), np.uint8, CHUNK) for _ in range(2)]
        self.ended = [cuda.Event(disable_timing=True) for _ in range(2)]
        self._turns = itertools.count()

    def send(self, chunks: Chunks, address: int, size: int, write: Write) -> None:
        """Copy chunks of what ``write`` makes, so many bytes of it, to an address of the GPU's."""
        for start in chunks:
            turn = next(self._turns) % 2
            part = self.buffers[turn][: size - start]
            self.ended[turn].synchronize()
            write(part, start)
            self._start(address + start, part.ctypes.data, part.size, turn, "memcpyHostToDevice")

    def fetch(self, chunks: Chunks, address: int, target: Array) -> None:
        """Copy chunks from an address of the GPU's into a host array."""
        travelling: tuple[Array, int] | None = None
        for start in chunks:
            part, turn = target[start : start + CHUNK], next(self._turns) % 2
            self._start(self.buffers[turn].ctypes.data, address + start, part.size, turn, "memcpyDeviceToHost")
            self._unpack(travelling)
            travelling = part, turn
        self._unpack(travelling)

    def see_to_the_end(self) -> None:
        """Wait for what is under way, however often Ctrl-C comes."""
        while True:
            try:
                return self.stream.synchronize()  # type: ignore[no-any-return]
            except Exception:  # the GPU is lost: nothing is under way
                return None
            except BaseException:
                continue

    def _start(self, target: int, source: int, size: int, turn: int, kind: str) -> None:
        runtime = self.cuda.runtime
        runtime.memcpyAsync(target, source, size, getattr(runtime, kind), self.stream.ptr)
        self.ended[turn].record(self.stream)

    def _unpack(self, travelling: tuple[Array, int] | None) -> None:
        if travelling is not None:
            part, turn = travelling
            self.ended[turn].synchronize()
            np.copyto(part, self.buffers[turn][: part.size])


class Chunks:
    """Where the chunks of an array begin, each for whichever lane asks next; none once they are to stop."""

    def __init__(self, size: int) -> None:
        self._size, self._numbers = size, itertools.count()

    def __iter__(self) -> Iterator[int]:
        while (start := next(self._numbers) * CHUNK) < self._size:
            yield start

    def stop(self) -> None:
        """Hand out no more."""
        self._size = 0


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
    send_written(device, address, source.size, lambda part, start: np.copyto(part, source[start : start + part.size]))


def send_written(device: Any, address: int, size: int, write: Write) -> None:
    """Bring bytes that are in no array, which ``write`` makes a chunk at a time, to an address of the GPU's."""
    with clean(TO_GPU):
        _in_lanes(device, size, lambda lane, chunks: lane.send(chunks, address, size, write))


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
    address, rest = array.data.ptr + slow, target[slow:]
    with clean(FROM_GPU):
        _in_lanes(device, rest.size, lambda lane, chunks: lane.fetch(chunks, address, rest))
    return result


def _in_lanes(device: Any, size: int, work: Callable[[Lane, Chunks], None]) -> None:
    """Have lanes share the chunks of so many bytes: after what the current stream was given, and before what comes.

    After Ctrl-C or a failure, too, for the memory copied to may be somebody else's soon.
    """
    if size == 0:
        return
    cuda, chunks = device.xp.cuda, Chunks(size)
    errors: list[BaseException] = []
    with _one_at_a_time:
        stream = cuda.get_current_stream()
        before = cuda.Event(disable_timing=True)
        before.record(stream)
        lanes = _lanes(device, min(LANES, threads.count(), -(-size // CHUNK)))

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
        errors.clear()  # or they and the frames on their way here would hold each other, and the arrays
        try:
            raise failed
        finally:
            del failed


def _bytes_on_host(array: Any) -> int:
    """Of an array in two memories, the bytes before the cut: the driver cannot be trusted with a copy across it.

    It copies from host memory on the CPU, which cannot read what comes after.
    """
    owner = getattr(array.data.mem, "_owner", None)
    if not isinstance(owner, Run):
        return 0
    return min(max(owner.address + owner.cut - int(array.data.ptr), 0), int(array.nbytes))


def copy_bytes(target: Array, source: Array) -> None:
    """Copy bytes on all cores."""
    pieces = max(1, min(threads.count(), target.size >> 20))
    bounds = np.linspace(0, target.size, pieces + 1).astype(np.int64)

    def piece(k: int) -> None:
        np.copyto(target[bounds[k] : bounds[k + 1]], source[bounds[k] : bounds[k + 1]])

    threads.each(piece, pieces)


def _lanes(device: Any, count: int) -> list[Lane]:
    """So many, kept by the device."""
    lanes: list[Lane] = device.lanes
    while len(lanes) < count:
        lanes.append(Lane(device.xp.cuda))
    return lanes[:count]
