"""Copies in lanes. The GPU is a stand-in whose copies are done as late as they may be: when somebody waits for them."""

from __future__ import annotations

import contextlib
import ctypes
import threading
from types import SimpleNamespace
from typing import ClassVar

import numpy as np
import pytest

from clew import threads
from clew.engines.cuda.memory import transfer

CHUNK = 1000


class Stream:
    """Work that was started and is not done yet."""

    ptr = property(id)
    all: ClassVar[dict[int, Stream]] = {}
    lock = threading.RLock()  # of all streams: they wait for each other

    def __init__(self, **_) -> None:
        self.waiting = []
        Stream.all[id(self)] = self

    def finish(self, until=None):
        with self.lock:
            while self.waiting and (until is None or until in self.waiting):
                work = self.waiting.pop(0)
                if work is until:
                    return
                work()

    def synchronize(self):
        self.finish()

    def wait_event(self, event):
        with self.lock:
            self.waiting.append(event.synchronize)


class Event:
    """A mark in a stream's work."""

    def __init__(self, **_) -> None:
        self.stream, self.mark = None, None

    def record(self, stream):
        self.stream, self.mark = stream, lambda: None
        with stream.lock:
            stream.waiting.append(self.mark)

    def synchronize(self):
        if self.stream is not None:
            self.stream.finish(self.mark)


class Gpu:
    """As much of CuPy and of a device as copies need; the copy with number ``fails_at`` fails."""

    ordinal = 0

    def __init__(self) -> None:
        self.main, self.lanes, self.rooms, self.copies, self.fails_at = Stream(), [], [], 0, -1
        self.during_a_copy = lambda: None
        runtime = SimpleNamespace(memcpyAsync=self.copy, memcpyHostToDevice=1, memcpyDeviceToHost=2)
        cuda = SimpleNamespace(Stream=Stream, Event=Event, runtime=runtime, Device=lambda _: contextlib.nullcontext())
        cuda.get_current_stream, cuda.alloc_pinned_memory = (lambda: self.main), bytearray
        self.xp = SimpleNamespace(cuda=cuda)

    def copy(self, target, source, size, _kind, stream):
        self.copies += 1
        if self.copies == self.fails_at:
            raise OSError("the link is cut")
        self.during_a_copy()
        with Stream.all[stream].lock:
            Stream.all[stream].waiting.append(lambda: ctypes.memmove(target, source, size))

    def array(self, memory):
        """Memory of the GPU's as CuPy would have it."""
        data = SimpleNamespace(mem=None, ptr=memory.ctypes.data)
        flags = SimpleNamespace(c_contiguous=True)
        return SimpleNamespace(data=data, nbytes=memory.nbytes, shape=memory.shape, dtype=memory.dtype, flags=flags)


@pytest.fixture
def gpu(monkeypatch):
    monkeypatch.setattr(transfer, "CHUNK", CHUNK)
    monkeypatch.setattr(transfer, "SMALL", 0)
    monkeypatch.setattr(threads, "count", lambda: 4)
    monkeypatch.setattr(Stream, "all", {})
    return Gpu()


@pytest.mark.parametrize("size", [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 7 * CHUNK, 40 * CHUNK + 3])
def test_every_byte_arrives_both_ways(gpu, size):
    source = np.random.default_rng(size).integers(0, 256, size).astype(np.uint8)
    for _ in range(2):  # the second time the buffers have been used
        there = np.zeros(size, np.uint8)
        gpu.main.waiting.append(lambda there=there: there.fill(7))  # copies must come after it
        transfer.send(gpu, there.ctypes.data, source)
        gpu.main.finish()  # what comes later on the stream finds the copies done
        np.testing.assert_array_equal(there, source)
        gpu.main.waiting.append(lambda there=there: np.subtract(255, there, out=there))
        if size:
            np.testing.assert_array_equal(transfer.download(gpu, gpu.array(there)), 255 - source)
    assert len(gpu.lanes) <= 4


def test_a_reader_finds_what_is_there_by_then(gpu):
    gpu.xp.cuda.runtime.streamSynchronize = lambda stream: Stream.all[stream].finish()
    there = np.zeros(2, np.int64)
    read = transfer.reader(gpu, gpu.array(there), np.dtype([("first", "i8"), ("second", "i8")]))
    for number in (3, 4):
        gpu.main.waiting.append(lambda number=number: there.fill(number))
        assert read().tolist() == (number, number)
    gpu.fails_at = gpu.copies + 1
    with pytest.raises(OSError, match="the link is cut"):
        read()


@pytest.mark.parametrize("fails_at", [1, 2, 7, 20])
def test_a_copy_that_fails_leaves_nothing_under_way(gpu, fails_at):
    source, there = np.arange(20 * CHUNK).astype(np.uint8), np.zeros(20 * CHUNK, np.uint8)
    for work in (
        lambda: transfer.send(gpu, there.ctypes.data, source),
        lambda: transfer.download(gpu, gpu.array(there)),
    ):
        gpu.copies, gpu.fails_at = 0, fails_at
        with pytest.raises(OSError, match="the link is cut"):
            work()
        gpu.main.finish()
        assert all(not lane.stream.waiting for lane in gpu.lanes)
        assert not transfer._one_at_a_time.locked()
    gpu.fails_at = -1
    transfer.send(gpu, there.ctypes.data, source)
    np.testing.assert_array_equal(transfer.download(gpu, gpu.array(there)), source)


def test_ctrl_c_ends_it_before_anyone_goes_on(gpu, monkeypatch):
    """The memory that is copied to may be freed at once: no lane may start another copy."""
    source, there = np.arange(50 * CHUNK).astype(np.uint8), np.zeros(50 * CHUNK, np.uint8)
    begun, go_on = threading.Event(), threading.Event()
    gpu.during_a_copy = lambda: (begun.set(), go_on.wait(10))
    waits = threading.Event.wait

    def interrupted(event, timeout=None):
        if event is go_on or timeout is not None:
            return waits(event, timeout)
        if not begun.is_set():
            waits(begun, 10)
            raise KeyboardInterrupt
        go_on.set()
        return waits(event, timeout)

    monkeypatch.setattr(threading.Event, "wait", interrupted)
    with pytest.raises(KeyboardInterrupt):
        transfer.send(gpu, there.ctypes.data, source)
    started = gpu.copies
    assert 1 <= started <= 8
    gpu.main.finish()
    assert all(not lane.stream.waiting for lane in gpu.lanes)
    assert gpu.copies == started
