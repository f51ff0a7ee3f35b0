"""Contiguous GPU addresses over two memories: the first pages on the host, the others on the device.

``clew.tiers.mapping`` does the same with the page table of the CPU; here CUDA's virtual memory management does. Kernels
use one pointer and need not know in which memory a row is.

The driver frees both memories when the process ends in any way.
"""

from __future__ import annotations

import weakref
from contextlib import ExitStack
from functools import lru_cache
from typing import Any

from clew.engines.cuda.memory.host_memory import settle
from clew.engines.cuda.toolchain.failures import driver
from clew.errors import DeviceError, ResourceError
from clew.free_memory import available_bytes

ON_GPU = "GPU memory"
PAGE = 2 << 20  # the usual granularity of both memories; the driver may report a larger one


class Run:
    """The addresses, and the byte from which on they are in GPU memory; both memories are freed with it."""

    def __init__(self, address: int, size: int, cut: int, undo: ExitStack) -> None:
        self.address, self.size, self.cut = address, size, cut
        # At exit the driver frees everything, and a finalizer might run without a driver.
        weakref.finalize(self, undo.close).atexit = False


def why_not(ordinal: int) -> str | None:
    """Why this driver or GPU cannot map two memories into one run of addresses; None where it can."""
    if not _attribute(ordinal, "VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED"):
        return "this GPU's driver has no virtual memory management"
    if _host_location(ordinal) is None:
        return "this GPU's driver cannot map host memory next to its own (that requires CUDA 12.2 or later)"
    return None


def in_two(ordinal: int, size: int, cut: int) -> Run:
    """``size`` bytes, of which whole pages before ``cut`` and the page of the cut are on the host."""
    host, own = _properties(*(_host_location(ordinal) or ("", 0))), _properties("DEVICE", ordinal)
    page = max(PAGE, _granularity(host), _granularity(own))
    total, slow = -(-size // page) * page, min(-(-cut // page), -(-size // page)) * page
    with ExitStack() as undo:
        address = int(_call(driver.cuMemAddressReserve(total, page, 0, 0), "addresses", total))
        undo.callback(driver.cuMemAddressFree, address, total)
        for start, stop, properties, place in ((0, slow, host, "host memory"), (slow, total, own, ON_GPU)):
            if start == stop:
                continue
            handle = _call(driver.cuMemCreate(stop - start, properties, 0), place, stop - start)
            with ExitStack() as handed_over:  # the mapping keeps the memory after its handle is released
                handed_over.callback(driver.cuMemRelease, handle)
                _call(driver.cuMemMap(address + start, stop - start, 0, handle, 0), "addresses", stop - start)
            undo.callback(driver.cuMemUnmap, address + start, stop - start)
            readers = [_access("DEVICE", ordinal)]
            if properties is host:
                readers.append(_access(*(_host_location(ordinal) or ("", 0))))
            for reader in readers:
                _call(driver.cuMemSetAccess(address + start, stop - start, [reader], 1), "access", stop - start)
        undo.callback(settle, ordinal)  # called first: kernels may still be reading
        return Run(address, total, slow, undo.pop_all())


def _call(answer: tuple[Any, ...], what: str, size: int) -> Any:
    """What a function of the driver returned, or the error that it reported."""
    status = answer[0]
    if status == driver.CUresult.CUDA_SUCCESS:
        return answer[1] if len(answer) > 1 else None
    if status == driver.CUresult.CUDA_ERROR_OUT_OF_MEMORY:
        raise ResourceError(
            f"{size:,} bytes of {what} are needed for the edges, and {_free(what)}.",
            remedy='Give the edges less fast memory (clew.memory(fast_memory="4GiB")), free other arrays, or use '
            'device="cpu".',
        )
    raise DeviceError(
        f"{size:,} bytes of {what} cannot be had: {status.name}.", remedy='Use clew.memory(edges="zero_copy").'
    )


def _free(what: str) -> str:
    """The free bytes of a memory, for an error; addresses and access rights use host memory."""
    if what != ON_GPU:
        return f"{available_bytes():,} bytes are free on the host"
    status, *sizes = driver.cuMemGetInfo()
    free = f"{int(sizes[0]):,}" if status == driver.CUresult.CUDA_SUCCESS else "an unknown number of"
    return f"{free} bytes are free there"


def _attribute(ordinal: int, name: str) -> int:
    """An attribute of the GPU; 0 if this driver does not know it."""
    attribute = getattr(driver.CUdevice_attribute, f"CU_DEVICE_ATTRIBUTE_{name}", None)
    if attribute is None:
        return 0
    status, value = driver.cuDeviceGetAttribute(attribute, driver.CUdevice(ordinal))
    return int(value) if status == driver.CUresult.CUDA_SUCCESS else 0


@lru_cache(maxsize=8)
def _host_location(ordinal: int) -> tuple[str, int] | None:
    """The driver's name of host memory, on the GPU's NUMA node if there are several."""
    if _attribute(ordinal, "HOST_NUMA_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED"):
        return "HOST_NUMA", max(0, _attribute(ordinal, "HOST_NUMA_ID"))
    if _attribute(ordinal, "HOST_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED"):
        return "HOST", 0
    return None


def _properties(location: str, number: int) -> Any:
    properties = driver.CUmemAllocationProp()
    properties.type = driver.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
    properties.location.type = getattr(driver.CUmemLocationType, f"CU_MEM_LOCATION_TYPE_{location}")
    properties.location.id = number
    return properties


def _granularity(properties: Any) -> int:
    least = driver.CUmemAllocationGranularity_flags.CU_MEM_ALLOC_GRANULARITY_MINIMUM
    return int(_call(driver.cuMemGetAllocationGranularity(properties, least), "memory", 0))


def _access(location: str, number: int) -> Any:
    access = driver.CUmemAccessDesc()
    access.location.type = getattr(driver.CUmemLocationType, f"CU_MEM_LOCATION_TYPE_{location}")
    access.location.id = number
    access.flags = driver.CUmemAccess_flags.CU_MEM_ACCESS_FLAGS_PROT_READWRITE
    return access
