"""Host memory for a GPU: free bytes, users' arrays pinned in place, and new pinned pages.

Callers check the free bytes before they copy edges, or the system may kill the process. The host part of tiered edges
is such a copy. The driver maps only memory that it has allocated itself, pinned or not.

Registering pins pages that exist already. It takes 0.03 s per GiB, a twentieth of allocating pinned memory. So pinned
memory is allocated that way, too.
"""

from __future__ import annotations

import ctypes
import mmap
import resource
import warnings
import weakref
from typing import Any

import numpy as np
import numpy.typing as npt

from clew.dtypes import Array
from clew.engines.cuda.toolchain.failures import driver
from clew.errors import ResourceError
from clew.free_memory import available_bytes
from clew.weak import WeakIdentityDict

PAGE = mmap.PAGESIZE
#: A page whose unpinning failed stays pinned for the driver. Then other pages are tried.
ALREADY_PINNED, TRIES = "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED", 8


def check_host(needed: int, what: str, *, remedy: str) -> None:
    """Raise ``ResourceError`` if there is not enough host memory."""
    free = available_bytes()
    if needed > free:
        raise ResourceError(
            f"{what} needs {needed:,} bytes of host memory, and {free:,} bytes are free.", remedy=remedy
        )


class Registered:
    """A user's pages, pinned until this object or the last array over them is freed."""

    def __init__(self, array: Array, address: int) -> None:
        self.address = address
        self._release = weakref.finalize(self, _release, array.ctypes.data, current_device())
        self._release.atexit = False
        # Arrays are referenced weakly, so that a graph is freed with the user's last reference.
        self._arrays: list[weakref.ref[Array]] = []
        self.serve(array)

    def serve(self, array: Array) -> None:
        """Stay pinned for another array over the same pages, such as a view in a second graph."""
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


#: What is pinned, by pages: the driver pins none twice, and arrays in several graphs may be views of the same ones.
Pinned = weakref.WeakValueDictionary[tuple[int, int], Registered]


def pin_in_place(known: Pinned, array: Array) -> Registered | None:
    """The array's own pages, pinned; None if the driver refuses, as for some mapped files. ``known`` are a device's."""
    key = (array.ctypes.data, array.nbytes)
    pinned = known.get(key)
    if pinned is not None and pinned.alive:
        pinned.serve(array)
        return pinned
    mapped = driver.CU_MEMHOSTREGISTER_DEVICEMAP
    for flags in (mapped, mapped | driver.CU_MEMHOSTREGISTER_READ_ONLY):
        address, _ = _register(*key, flags)
        if address:
            known[key] = pinned = Registered(array, address)
            return pinned
    return None


#: Memory that ``pinned_pages`` allocated.
_pages: WeakIdentityDict[bool] = WeakIdentityDict()


def pinned_address(array: Array) -> int:
    """The GPU's address of an array in memory of ``pinned_pages``; 0 for others."""
    base = array
    while isinstance(base.base, np.ndarray):
        base = base.base
    if base not in _pages:
        return 0
    status, pointer = driver.cuMemHostGetDevicePointer(array.ctypes.data, 0)
    return int(pointer) if status == driver.CUresult.CUDA_SUCCESS else 0


def pinned_pages(size: int) -> tuple[npt.NDArray[np.uint8], int]:
    """New pinned memory, which lives as long as a view of it, and its GPU address."""
    whole = max(PAGE, -(-size // PAGE) * PAGE)
    check_host(whole + PAGE, "a pinned copy", remedy='Free memory, or use device="cpu".')
    taken: list[Array] = []  # kept alive, so that the next allocation is elsewhere
    for _ in range(TRIES):
        room = _unpinned(whole + PAGE)
        start = -room.ctypes.data % PAGE
        address, problem = _register(room.ctypes.data + start, whole, driver.CU_MEMHOSTREGISTER_DEVICEMAP)
        if problem != ALREADY_PINNED:
            break
        taken.append(room)
    if not address:
        raise ResourceError(
            f"{whole:,} bytes of host memory cannot be pinned for the GPU: {problem}. {available_bytes():,} bytes are "
            f"free, and {_lockable()}.",
            remedy='Raise the limit of locked memory (ulimit -l), or use device="cpu".',
        )
    weakref.finalize(room, _release, room.ctypes.data + start, current_device()).atexit = False
    _pages[room] = True
    return room[start : start + size], address


def _unpinned(size: int) -> npt.NDArray[np.uint8]:
    try:
        return np.empty(size, np.uint8)
    except MemoryError:
        raise ResourceError(
            f"a pinned copy needs {size:,} bytes of host memory. {available_bytes():,} bytes are free, but this "
            "process may not allocate them.",
            remedy='Raise the limit of this process (ulimit -v), free memory, or use device="cpu".',
        ) from None


def _lockable() -> str:
    most = resource.getrlimit(resource.RLIMIT_MEMLOCK)[0]
    return "there is no limit of locked memory" if most < 0 else f"this process may lock {most:,}"


def _register(address: int, size: int, flags: int) -> tuple[int, str]:
    """The GPU address of the pages, or 0 and the driver's error."""
    (status,) = driver.cuMemHostRegister(address, size, flags)
    if status != driver.CUresult.CUDA_SUCCESS:
        return 0, status.name
    status, pointer = driver.cuMemHostGetDevicePointer(address, 0)
    if status != driver.CUresult.CUDA_SUCCESS:
        _release(address, current_device())
        return 0, status.name
    return int(pointer), ""


def _release(address: int, ordinal: int) -> None:
    settle(ordinal)  # kernels may still be reading
    (status,) = driver.cuMemHostUnregister(address)
    if status != driver.CUresult.CUDA_SUCCESS:  # the driver will treat later memory there as pinned
        warnings.warn(f"host memory at {address:#x} cannot be unpinned: {status.name}", RuntimeWarning, stacklevel=2)


def view_of(device: Any, owner: Any, address: int, shape: tuple[int, ...], dtype: np.dtype[Any], size: int) -> Any:
    """A CuPy array over foreign memory, which keeps ``owner`` alive."""
    cuda = device.xp.cuda
    place = cuda.MemoryPointer(cuda.UnownedMemory(address, size, owner, device.ordinal), 0)
    return device.xp.ndarray(shape, dtype, place)


def host_bytes(owner: Any, address: int, size: int) -> npt.NDArray[np.uint8]:
    """Bytes at an address that the host can write to; the array keeps ``owner`` alive, and so do views of it.

    After Ctrl-C, threads may use it for a moment after all other references are gone.
    """
    memory: Any = (ctypes.c_uint8 * size).from_address(address)
    memory.owner = owner
    return np.ctypeslib.as_array(memory)


def settle(ordinal: int) -> None:
    """Wait for all kernels of a GPU, on any thread, also one that has not used a GPU.

    Nothing is raised: memory must be freed even if the last kernel failed.
    """
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
    status, device = driver.cuCtxGetDevice()
    return int(device) if status == driver.CUresult.CUDA_SUCCESS else 0
