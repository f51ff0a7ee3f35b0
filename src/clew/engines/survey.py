"""What this machine has for clew: processors, memories and their measured speed, packages, and what is missing."""

from __future__ import annotations

import os
import platform
from importlib import metadata
from typing import Any

import numpy as np

from clew import threads
from clew.engines.cuda.memory.bandwidth import upload_rate
from clew.engines.cuda.toolchain import cuda_device
from clew.engines.measured import best_seconds, cpu_name

PACKAGES = ("numpy", "scipy", "numba", "pyarrow", "cupy", "cuda-core", "cuda-bindings", "numba-cuda", "networkx", "ray")
CUPY = ("cupy", "cupy-cuda13x", "cupy-cuda12x")


def versions() -> dict[str, str | None]:
    """The versions of Python and of the packages that clew uses; None where one is not installed."""
    found: dict[str, str | None] = {"python": platform.python_version()}
    for package in PACKAGES:
        found[package] = next(filter(None, map(_version, CUPY if package == "cupy" else (package,))), None)
    return found


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def processor() -> dict[str, Any]:
    """The CPU, its cores and the host's memory, with the bandwidth that copies reach on all threads."""
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    available = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_AVPHYS_PAGES")
    return {
        "name": cpu_name(),
        "cores": os.cpu_count(),
        "threads": threads.count(),
        "memory_bytes": total,
        "memory_free_bytes": available,
        "copy_bytes_per_second": _host_copy(),
    }


def _host_copy(size: int = 256 << 20) -> float:
    """Bytes read plus bytes written per second, the best of three."""
    source, target = np.ones(size, np.uint8), np.empty(size, np.uint8)
    threads.copy(target, source)  # the first touch allocates the pages
    return 2 * size / best_seconds(lambda: threads.copy(target, source))


def graphics() -> dict[str, Any] | str:
    """The GPU, its memory and the bandwidths measured, or a sentence that says why there is none."""
    reason = cuda_device.reason_unusable()
    if reason is not None:
        return reason
    device = cuda_device.the_device()
    cuda = device.xp.cuda
    properties = cuda.runtime.getDeviceProperties(0)
    free, total = cuda.Device().mem_info
    return {
        "name": properties["name"].decode(),
        "architecture": device.architecture,
        "processors": device.num_processors,
        "driver": _as_version(cuda.runtime.driverGetVersion()),
        "runtime": _as_version(cuda.runtime.runtimeGetVersion()),
        "memory_bytes": total,
        "memory_free_bytes": free,
        "l2_bytes": properties["l2CacheSize"],
        **_device_bandwidths(device),
    }


def _as_version(number: int) -> str:
    return f"{number // 1000}.{number % 1000 // 10}"


def _device_bandwidths(device: Any, size: int = 512 << 20) -> dict[str, float]:
    """Copies within the GPU's memory, and between it and pinned host memory, in bytes per second."""
    cuda = device.xp.cuda
    size = min(size, cuda.Device().mem_info[0] // 4)
    here, there = device.empty(size, np.uint8), device.empty(size, np.uint8)
    pinned = cuda.alloc_pinned_memory(min(size, 128 << 20))
    amount = pinned.mem.size
    stream = cuda.get_current_stream()

    def copy(target: int, source: int, count: int, direction: int) -> float:
        def run() -> None:
            cuda.runtime.memcpyAsync(target, source, count, direction, stream.ptr)
            stream.synchronize()

        run()
        return count / best_seconds(run)

    kinds = cuda.runtime
    return {
        "copy_bytes_per_second": 2 * copy(there.data.ptr, here.data.ptr, size, kinds.memcpyDeviceToDevice),
        "upload_bytes_per_second": upload_rate(device),
        "download_bytes_per_second": copy(pinned.ptr, here.data.ptr, amount, kinds.memcpyDeviceToHost),
    }
