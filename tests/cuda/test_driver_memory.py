"""Memory from CUDA's driver: what is mapped is freed, whatever call fails. The driver is a stand-in that counts."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import weakref
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from clew.engines.cuda.memory import host_memory, transfer, virtual
from clew.errors import ClewError, DeviceError, ResourceError

driver = pytest.importorskip("cuda.bindings.driver")
SUCCESS, FULL = driver.CUresult.CUDA_SUCCESS, driver.CUresult.CUDA_ERROR_OUT_OF_MEMORY
PAGE = virtual.PAGE


class Driver:
    """What is reserved, created, mapped and registered now; the k-th call from now fails."""

    def __init__(self) -> None:
        self.reserved: dict[int, int] = {}
        self.created: dict[int, int] = {}
        self.mapped: dict[int, int] = {}
        self.access: set[tuple[int, str]] = set()
        self.registered: dict[int, int] = {}
        self.pages = host_memory.Pinned()  # those of a device
        self.calls, self.fails_at = 0, 0

    def fails(self) -> bool:
        self.calls += 1
        return self.calls == self.fails_at

    def reserve(self, size, alignment, _address, _flags):
        if self.fails():
            return FULL, None
        self.reserved[1 << 40] = size
        assert alignment % PAGE == 0
        return SUCCESS, 1 << 40

    def create(self, size, properties, _flags):
        if self.fails():
            return FULL, None
        handle = len(self.created) + 7
        self.created[handle] = size
        return SUCCESS, handle

    def map(self, address, size, offset, handle, _flags):
        if self.fails():
            return (driver.CUresult.CUDA_ERROR_INVALID_VALUE,)
        assert offset == 0
        assert self.created[handle] == size
        self.mapped[address] = size
        return (SUCCESS,)

    def set_access(self, address, size, accesses, count):
        if self.fails():
            return (driver.CUresult.CUDA_ERROR_NOT_SUPPORTED,)
        assert self.mapped[address] == size
        assert len(accesses) == count == 1
        self.access.add((address, accesses[0].location.type.name))
        return (SUCCESS,)

    def register(self, address, size, _flags):
        if self.fails():
            return (FULL,)
        if address in self.registered:
            return (driver.CUresult.CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED,)
        self.registered[address] = size
        return (SUCCESS,)

    @property
    def empty(self) -> bool:
        return not (self.reserved or self.created or self.mapped or self.registered)


@pytest.fixture
def fake(monkeypatch):
    fake = Driver()

    def drop(from_what):
        def call(address, *_):
            del getattr(fake, from_what)[address]
            return (SUCCESS,)

        return call

    for name, function in {
        "cuMemAddressReserve": fake.reserve,
        "cuMemAddressFree": drop("reserved"),
        "cuMemCreate": fake.create,
        "cuMemRelease": drop("created"),
        "cuMemMap": fake.map,
        "cuMemUnmap": drop("mapped"),
        "cuMemSetAccess": fake.set_access,
        "cuMemGetAllocationGranularity": lambda *_: (SUCCESS, PAGE),
        "cuDeviceGetAttribute": lambda *_: (SUCCESS, 1),
        "cuCtxSynchronize": lambda: (SUCCESS,),
        "cuCtxGetDevice": lambda: (SUCCESS, driver.CUdevice(0)),
        "cuDevicePrimaryCtxRetain": lambda device: (SUCCESS, int(device)),
        "cuDevicePrimaryCtxRelease": lambda _: (SUCCESS,),
        "cuCtxPushCurrent": lambda _: (SUCCESS,),
        "cuCtxPopCurrent": lambda: (SUCCESS, 0),
        "cuMemGetInfo": lambda: (SUCCESS, 3_000_000, 1 << 30),
        "cuMemHostRegister": fake.register,
        "cuMemHostUnregister": drop("registered"),
        "cuMemHostGetDevicePointer": lambda address, _: (SUCCESS, address + (1 << 50)),
    }.items():
        monkeypatch.setattr(driver, name, function)
    virtual._host_location.cache_clear()
    yield fake
    virtual._host_location.cache_clear()


@pytest.mark.parametrize(
    ("size", "cut", "slow"),
    [(10, 0, 0), (5 * PAGE, 1, PAGE), (5 * PAGE, 2 * PAGE, 2 * PAGE), (3 * PAGE + 1, 3 * PAGE + 1, 4 * PAGE)],
)
def test_two_memories_behind_one_run_of_addresses(fake, size, cut, slow):
    total = -(-size // PAGE) * PAGE
    run = virtual.in_two(0, size, cut)
    assert (run.address, run.size, run.cut) == (1 << 40, total, slow)
    parts = {run.address: slow, run.address + slow: total - slow}
    assert fake.mapped == {address: part for address, part in parts.items() if part}
    assert fake.created == {}  # the mappings alone keep the memory
    readers = {kind.removeprefix("CU_MEM_LOCATION_TYPE_") for address, kind in fake.access if address == run.address}
    assert readers == ({"DEVICE", "HOST_NUMA"} if slow else {"DEVICE"})
    del run
    assert fake.empty


def test_whatever_call_fails_nothing_is_left(fake):
    for k in range(1, 100):
        fake.calls, fake.fails_at = 0, k
        try:
            run = virtual.in_two(0, 4 * PAGE, 2 * PAGE)
        except ClewError as error:
            assert "bytes of" in str(error)  # noqa: PT017, it may also succeed
            assert fake.empty
            continue
        del run
        break
    assert k == 9
    assert fake.empty


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (1, "8,388,608 bytes of addresses are needed for the edges, and 5,000 bytes are free on the host."),
        (2, "4,194,304 bytes of host memory are needed for the edges, and 5,000 bytes are free on the host."),
        (6, "4,194,304 bytes of GPU memory are needed for the edges, and 3,000,000 bytes are free there."),
    ],
)
def test_memory_that_is_full_tells_what_is_needed_and_free(fake, monkeypatch, call, said):
    monkeypatch.setattr(virtual, "available_bytes", lambda: 5000)
    fake.fails_at = call
    with pytest.raises(ResourceError) as caught:
        virtual.in_two(0, 4 * PAGE, 2 * PAGE)
    assert str(caught.value).startswith(said + " Give the edges less fast memory")
    assert "--fast-memory" in caught.value.on_command_line()
    monkeypatch.setattr(driver, "cuMemGetInfo", lambda: (driver.CUresult.CUDA_ERROR_INVALID_CONTEXT, 0, 0))
    fake.calls = 0
    with pytest.raises(ResourceError, match="bytes are free"):
        virtual.in_two(0, 4 * PAGE, 2 * PAGE)
    assert fake.empty


def test_pages_that_cannot_be_had_or_pinned_tell_what_is_needed_and_free(fake, monkeypatch):
    monkeypatch.setattr(host_memory, "available_bytes", lambda: 70_000)
    fake.fails_at = 1
    for limit, said in ((9000, "this process may lock 9,000"), (-1, "there is no limit of locked memory")):
        fake.calls = 0
        monkeypatch.setattr(host_memory.resource, "getrlimit", lambda _, limit=limit: (limit, limit))
        with pytest.raises(ResourceError, match=r"cannot be pinned for the GPU: .*OUT_OF_MEMORY") as caught:
            host_memory.pinned_pages(5000)
        assert "8,192 bytes of host memory cannot be pinned" in str(caught.value)
        assert f"70,000 bytes are free, and {said}. Raise the limit" in str(caught.value)

    def full(*_):
        raise MemoryError

    monkeypatch.setattr(host_memory, "np", SimpleNamespace(empty=full, uint8=np.uint8))
    with pytest.raises(
        ResourceError, match=r"needs 12,288 bytes of host memory. 70,000 bytes are free, but this process may not"
    ) as caught:
        host_memory.pinned_pages(5000)
    assert "--device cpu" in caught.value.on_command_line()
    assert fake.empty


def test_a_page_that_stayed_pinned_is_passed_over(fake, monkeypatch):
    """Unpinning failed once, and malloc gives the same memory out again."""
    rooms = [np.empty(5 * host_memory.PAGE, np.uint8) for _ in range(3)]
    starts = [room.ctypes.data + -room.ctypes.data % host_memory.PAGE for room in rooms]
    fake.registered.update(dict.fromkeys(starts[:2], 4096))
    handed_out = iter(rooms)
    monkeypatch.setattr(host_memory, "_unpinned", lambda size: next(handed_out))
    assert host_memory.pinned_pages(5000)[0].ctypes.data == starts[2]
    again = [rooms[0]] * host_memory.TRIES
    monkeypatch.setattr(host_memory, "_unpinned", lambda size: again.pop())
    with pytest.raises(ResourceError, match="ALREADY_REGISTERED"):
        host_memory.pinned_pages(5000)
    rooms.clear()  # while the stand-in is there to unpin them


def test_pages_of_users_arrays_are_pinned_until_either_goes(fake):
    array = np.ones(1 << 16)
    view = host_memory.pin_in_place(fake.pages, array)
    assert fake.registered == {array.ctypes.data: array.nbytes}
    assert host_memory.pin_in_place(fake.pages, array) is view
    assert view.address == array.ctypes.data + (1 << 50)
    del view
    assert fake.empty
    view = host_memory.pin_in_place(fake.pages, array)
    del array
    assert fake.empty
    assert not view.alive
    array = np.ones(4)
    fake.registered[array.ctypes.data] = 32  # a neighbour has pinned the page
    assert host_memory.pin_in_place(fake.pages, array) is None


def test_pages_stay_pinned_for_the_last_of_several_arrays(fake):
    array = np.ones(1 << 16)
    first, second = array.view(), array.view()
    held = host_memory.pin_in_place(fake.pages, first)
    assert host_memory.pin_in_place(fake.pages, second) is held
    assert host_memory.pin_in_place(fake.pages, second) is held
    del first
    assert held.alive
    assert len(fake.registered) == 1
    del second
    assert not held.alive
    assert fake.empty


def test_memory_that_cannot_be_unpinned_is_told(fake, monkeypatch):
    monkeypatch.setattr(driver, "cuMemHostUnregister", lambda _: (driver.CUresult.CUDA_ERROR_INVALID_VALUE,))
    with pytest.warns(RuntimeWarning, match="INVALID_VALUE"):
        host_memory._release(4096, 0)


def test_bytes_of_the_host_keep_their_owner():
    owner = np.arange(8, dtype=np.uint8)
    seen = host_memory.host_bytes(owner, owner.ctypes.data, 8)[2:4]
    known = weakref.ref(owner)
    del owner
    assert seen.tolist() == [2, 3]
    del seen
    gc.collect()
    assert known() is None


def test_pinned_memory_lives_as_long_as_its_views(fake):
    room, address = host_memory.pinned_pages(5000)
    assert (room.size, room.ctypes.data % host_memory.PAGE, address) == (5000, 0, room.ctypes.data + (1 << 50))
    part = room.view(np.float64)[10:20].reshape(2, 5)
    del room
    gc.collect()
    assert len(fake.registered) == 1
    assert host_memory.pinned_address(part)
    assert host_memory.pinned_address(np.ones(3)) == 0
    del part
    assert fake.empty
    fake.calls, fake.fails_at = 0, 1
    with pytest.raises(ResourceError, match="cannot be pinned"):
        host_memory.pinned_pages(100)


def test_the_gpu_that_reads_memory_is_waited_for_whatever_thread_lets_go(fake, monkeypatch):
    entered, waited = [], []
    monkeypatch.setattr(driver, "cuCtxGetDevice", lambda: (SUCCESS, driver.CUdevice(1)))
    monkeypatch.setattr(driver, "cuCtxPushCurrent", lambda context: (entered.append(context), (SUCCESS,))[1])
    monkeypatch.setattr(driver, "cuCtxPopCurrent", lambda: (SUCCESS, entered.pop()))
    failed = (driver.CUresult.CUDA_ERROR_ILLEGAL_ADDRESS,)  # a kernel that went wrong: memory is freed all the same
    monkeypatch.setattr(driver, "cuCtxSynchronize", lambda: (waited.append(list(entered)), failed)[1])
    array = np.ones(1 << 16)
    view = host_memory.pin_in_place(fake.pages, array)
    monkeypatch.setattr(driver, "cuCtxGetDevice", lambda: (driver.CUresult.CUDA_ERROR_INVALID_CONTEXT, None))
    del view
    run = virtual.in_two(2, PAGE, 0)
    del run
    assert waited == [[1], [2]]
    assert entered == []
    assert fake.empty
    monkeypatch.setattr(driver, "cuDevicePrimaryCtxRetain", lambda _: (driver.CUresult.CUDA_ERROR_INVALID_DEVICE, None))
    run = virtual.in_two(0, PAGE, 0)
    del run
    assert fake.empty


def test_host_memory_is_asked_for_before_it_is_taken(fake, monkeypatch):
    monkeypatch.setattr(host_memory, "available_bytes", lambda: 10_000)
    with pytest.raises(ResourceError, match="needs 24,576 bytes of host memory, and 10,000 bytes are free"):
        host_memory.pinned_pages(20_000)
    assert fake.empty
    assert host_memory.pinned_pages(1000)[0].size == 1000


class _Broken:
    """CuPy with a link that fails."""

    class CUDARuntimeError(Exception):
        __module__ = "cupy_backends.cuda.api.runtime"

    def fail(self, *_, **__):
        raise self.CUDARuntimeError("cudaErrorIllegalAddress")

    asnumpy = set = fail


def test_copies_that_fail_are_sentences():
    broken = _Broken()
    flags, data = SimpleNamespace(c_contiguous=True), SimpleNamespace(mem=None, ptr=0)
    few, many = (SimpleNamespace(data=data, nbytes=size, flags=flags) for size in (8, transfer.FEW + 1))
    device = SimpleNamespace(xp=broken, empty=lambda *_: broken, rooms=[])
    broken.cuda = SimpleNamespace(get_current_stream=broken.fail, alloc_pinned_memory=broken.fail)
    broken.cuda.runtime = SimpleNamespace(memcpyAsync=broken.fail, streamSynchronize=None, memcpyDeviceToHost=2)
    with pytest.raises(DeviceError, match="a copy from the GPU failed"):
        transfer.reader(device, few, np.dtype("u8"))
    broken.cuda.alloc_pinned_memory = bytearray
    read = transfer.reader(device, few, np.dtype("u8"))
    broken.cuda.alloc_pinned_memory = broken.fail
    for _ in range(2):  # and again: nothing is held
        with pytest.raises(
            DeviceError, match=r"a copy to the GPU failed: cudaErrorIllegalAddress\. Use the CPU instead"
        ):
            transfer.upload(device, np.ones(3))
        for array in (few, many):
            with pytest.raises(DeviceError, match="a copy from the GPU failed"):
                transfer.download(device, array)
        with pytest.raises(DeviceError, match="a copy from the GPU failed"):
            read()
    for _ in range(2):
        with pytest.raises(DeviceError, match="a copy to the GPU failed"):
            transfer.send(device, 0, np.ones(3, np.uint8))
    assert not transfer._one_at_a_time.locked()


def test_a_driver_that_is_too_old(monkeypatch):
    for missing, said in (("", "no virtual memory"), ("VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED", "CUDA 12.2")):
        monkeypatch.setattr(virtual, "_attribute", lambda _, name, known=missing: int(name == known))
        virtual._host_location.cache_clear()
        assert said in virtual.why_not(0)
    virtual._host_location.cache_clear()


RUNS = """
import clew, itertools
g = clew.generate.random_weights(clew.generate.rmat(8, 8, seed=1), 1, 9)
for edges in itertools.cycle(("tiered", "zero_copy", "managed")):
    with clew.memory(edges, 4000 if edges == "tiered" else None):
        clew.sssp(g, 0, device="emulated")
    clew.bfs(g, 0, device="hybrid-emulated")
    print("ran", flush=True)
"""
#: What the test must find fault with.
LEAVES = """
import os, tempfile, time
from multiprocessing import resource_tracker, shared_memory
resource_tracker.register = lambda *_: None  # which would tidy up
kept = shared_memory.SharedMemory(create=True, size=4096, name="clew_test_%d" % os.getpid())
file = tempfile.NamedTemporaryFile(delete=False)
while True:
    print("ran", flush=True)
    time.sleep(0.2)
"""


def left_by(code: str, folder: Path) -> list[str]:
    """What has a name and outlives a process that is killed at its work: files, and memory shared under a name."""
    before = {*Path("/dev/shm").iterdir(), *Path("/proc/sysvipc/shm").read_text().splitlines()}
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env={**os.environ, "TMPDIR": str(folder)}
    )
    try:
        for _ in range(6):
            assert process.stdout.readline() == "ran\n"
        mapped = Path(f"/proc/{process.pid}/maps").read_text()
        locked = next(s for s in Path(f"/proc/{process.pid}/status").read_text().splitlines() if "VmLck" in s)
    finally:
        process.send_signal(signal.SIGKILL)  # in the middle of the next run
        process.communicate()
    assert process.returncode == -signal.SIGKILL
    assert locked.split()[1] == "0"
    after = {*Path("/dev/shm").iterdir(), *Path("/proc/sysvipc/shm").read_text().splitlines()}
    found = [str(name) for name in after - before if str(process.pid) in str(name)]
    # Memory with a name, of which the system would not know that nobody needs it any more, is not even there.
    found += [line for line in mapped.splitlines() if "/dev/shm" in line or str(folder) in line]
    return found + [str(path) for path in folder.iterdir()]


def test_a_killed_process_leaves_nothing(tmp_path):
    assert left_by(RUNS, tmp_path) == []


def test_what_a_killed_process_leaves_is_found(tmp_path):
    found = left_by(LEAVES, tmp_path)
    for name in found:
        if name.startswith("/dev/shm/"):
            Path(name).unlink()
    assert {Path(name).parent for name in found if name.startswith("/")} == {Path("/dev/shm"), tmp_path}
