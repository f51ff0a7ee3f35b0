"""Host memory for a GPU: how much is free, users' arrays pinned in place, and new pinned pages.

Callers ask how much is free before they copy edges: beyond that, the system would kill the process. The host part of
tiered edges is such a copy. The driver maps only memory that it has allocated itself, pinned or not.

Registering pins pages that exist already. It takes 0.03 s per GiB, a twentieth of allocating pinned memory. So pinned
memory is allocated that way, too.
"""

from __future__ import annotations

import mmap
import resource
import warnings
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from clew.dtypes import Array
from clew.engines.base import available_bytes
from clew.errors import ResourceError
from clew.weak import WeakIdentityDict

GROUPS = Path("/sys/fs/cgroup")
PAGE = mmap.PAGESIZE
#: A page whose unpinning failed stays pinned for the driver when its memory is used again: other pages are tried.
ALREADY_PINNED, TRIES = "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED", 8


def free_on_host() -> int:
    """The bytes that this process may still take: what the machine has, or what its control group is left."""
    return min(available_bytes(), _left_to_group())


def check_host(needed: int, what: str, *, remedy: str, option: str) -> None:
    """Refuse what would take more than there is."""
    free = free_on_host()
    if needed > free:
        raise ResourceError(
            f"{what} needs {needed:,} bytes of host memory, and {free:,} bytes are free.", remedy=remedy, option=option
        )


def _left_to_group() -> int:
    """What a container's limit leaves; very much where there is none."""
    for limit, used, told in (
        ("memory.max", "memory.current", "memory.stat"),
        ("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes", "memory/memory.stat"),
    ):
        try:
            most, taken = (int((GROUPS / name).read_text()) for name in (limit, used))
        except (OSError, ValueError):  # no such file, or "max"
            continue
        return max(0, most - max(0, taken - _file_pages(GROUPS / told)))
    return 2**63 - 1


def _file_pages(told: Path) -> int:
    """The bytes of files that the system keeps in memory on the group's account: it drops them when others need it."""
    try:
        words = dict(line.split() for line in told.read_text().splitlines())
        kinds = ("inactive_file", "active_file")
        return sum(int(words.get(f"total_{kind}", words.get(kind, 0))) for kind in kinds)
    except (OSError, ValueError):
        return 0


class Registered:
    """A user's pages, pinned until this object or the last array over them goes, whichever is first."""

    def __init__(self, array: Array, address: int) -> None:
        self.address = address
        self._release = weakref.finalize(self, _release, array.ctypes.data, current_device())
        self._release.atexit = False
        # An array must not be kept alive by what reads it: graphs are freed when the user lets go of them.
        self._arrays: list[weakref.ref[Array]] = []
        self.serve(array)

    def serve(self, array: Array) -> None:
        """Stay pinned for another array over the same pages, such as a view that a second graph has."""
        if any(known() is array for known in self._arrays):
            return
        myself = weakref.ref(self)

        def left(gone: weakref.ref[Array]) -> None:
            held = myself()
            if held is not None:
                held._arrays = [known for known in held._arrays if known is not gone]
                if not held._arrays:
                    held._release()

        self._arrays.append(weakref.ref(array, left))

    @property
    def alive(self) -> bool:
        """Whether the pages are still pinned."""
        return self._release.alive


_known: weakref.WeakValueDictionary[tuple[int, int], Registered] = weakref.WeakValueDictionary()


def pin_in_place(array: Array) -> Registered | None:
    """The array's own pages, pinned; None where the driver refuses, as it does for some mapped files."""
    from cuda.bindings import driver

    key = (array.ctypes.data, array.nbytes)
    found = _known.get(key)
    if found is not None and found.alive:
        found.serve(array)
        return found
    mapped = driver.CU_MEMHOSTREGISTER_DEVICEMAP
    for flags in (mapped, mapped | driver.CU_MEMHOSTREGISTER_READ_ONLY):
        address, _ = _register(*key, flags)
        if address:
            _known[key] = made = Registered(array, address)
            return made
    return None


#: Memory that ``pinned_pages`` made.
_pages: WeakIdentityDict[bool] = WeakIdentityDict()


def pinned_address(array: Array) -> int:
    """Where the GPU sees an array in memory of ``pinned_pages``; 0 for others."""
    from cuda.bindings import driver

    base = array
    while isinstance(base.base, np.ndarray):
        base = base.base
    if base not in _pages:
        return 0
    status, pointer = driver.cuMemHostGetDevicePointer(array.ctypes.data, 0)
    return int(pointer) if status == driver.CUresult.CUDA_SUCCESS else 0


def pinned_pages(size: int) -> tuple[npt.NDArray[np.uint8], int]:
    """New pinned memory, which lives as long as a view of it, and where the GPU sees it."""
    from cuda.bindings import driver

    whole = max(PAGE, -(-size // PAGE) * PAGE)
    check_host(
        whole + PAGE,
        "a pinned copy",
        remedy='Free memory, or use device="cpu".',
        option="Free memory, or use --device cpu.",
    )
    taken: list[Array] = []  # held meanwhile, so that the next memory is elsewhere
    for _ in range(TRIES):
        room = _unpinned(whole + PAGE)
        start = -room.ctypes.data % PAGE
        address, problem = _register(room.ctypes.data + start, whole, driver.CU_MEMHOSTREGISTER_DEVICEMAP)
        if problem != ALREADY_PINNED:
            break
        taken.append(room)
    if not address:
        raise ResourceError(
            f"{whole:,} bytes of host memory cannot be pinned for the GPU: {problem}. {free_on_host():,} bytes are "
            f"free, and {_lockable()}.",
            remedy='Raise the limit of locked memory (ulimit -l), or use device="cpu".',
            option="Raise the limit of locked memory (ulimit -l), or use --device cpu.",
        )
    weakref.finalize(room, _release, room.ctypes.data + start, current_device()).atexit = False
    _pages[room] = True
    return room[start : start + size], address


def _unpinned(size: int) -> npt.NDArray[np.uint8]:
    try:
        return np.empty(size, np.uint8)
    except MemoryError:
        raise ResourceError(
            f"a pinned copy needs {size:,} bytes of host memory. {free_on_host():,} bytes are free, but this process "
            "may not allocate them.",
            remedy='Raise the limit of this process (ulimit -v), free memory, or use device="cpu".',
            option="Raise the limit of this process (ulimit -v), free memory, or use --device cpu.",
        ) from None


def _lockable() -> str:
    most = resource.getrlimit(resource.RLIMIT_MEMLOCK)[0]
    return "there is no limit of locked memory" if most < 0 else f"this process may lock {most:,}"


def _register(address: int, size: int, flags: int) -> tuple[int, str]:
    """Where the GPU sees the pages, or 0 and what the driver said."""
    from cuda.bindings import driver

    (status,) = driver.cuMemHostRegister(address, size, flags)
    if status != driver.CUresult.CUDA_SUCCESS:
        return 0, status.name
    status, pointer = driver.cuMemHostGetDevicePointer(address, 0)
    if status != driver.CUresult.CUDA_SUCCESS:
        _release(address, current_device())
        return 0, status.name
    return int(pointer), ""


def _release(address: int, ordinal: int) -> None:
    from cuda.bindings import driver

    settle(ordinal)  # kernels may still be reading
    (status,) = driver.cuMemHostUnregister(address)
    if status != driver.CUresult.CUDA_SUCCESS:  # the driver will take for pinned whatever comes to be there
        warnings.warn(f"host memory at {address:#x} cannot be unpinned: {status.name}", RuntimeWarning, stacklevel=2)


def view_of(device: Any, owner: Any, address: int, shape: tuple[int, ...], dtype: np.dtype[Any], size: int) -> Any:
    """Memory that is not CuPy's as an array of CuPy's, which keeps ``owner`` alive."""
    cuda = device.xp.cuda
    place = cuda.MemoryPointer(cuda.UnownedMemory(address, size, owner, device.ordinal), 0)
    return device.xp.ndarray(shape, dtype, place)


def host_bytes(owner: Any, address: int, size: int) -> npt.NDArray[np.uint8]:
    """Bytes at an address that the host can write to; the array keeps ``owner`` alive, and so do views of it.

    After Ctrl-C, threads may be at work on a part of it for a moment when nobody else has it any more.
    """
    import ctypes

    memory: Any = (ctypes.c_uint8 * size).from_address(address)
    memory.owner = owner
    return np.ctypeslib.as_array(memory)


def settle(ordinal: int) -> None:
    """Wait for all kernels of a GPU, on whatever thread the last reference to memory goes; it may know no GPU.

    Nothing is raised: what was to be freed must be freed however the last kernel ended.
    """
    from cuda.bindings import driver

    status, own = driver.cuDevicePrimaryCtxRetain(driver.CUdevice(ordinal))
    if status != driver.CUresult.CUDA_SUCCESS:
        return
    try:
        (status,) = driver.cuCtxPushCurrent(own)
        if status == driver.CUresult.CUDA_SUCCESS:
            driver.cuCtxSynchronize()
            driver.cuCtxPopCurrent()
    finally:
        driver.cuDevicePrimaryCtxRelease(driver.CUdevice(ordinal))


def current_device() -> int:
    """The number of the GPU that this thread uses; 0 where it uses none yet."""
    from cuda.bindings import driver

    status, device = driver.cuCtxGetDevice()
    return int(device) if status == driver.CUresult.CUDA_SUCCESS else 0
