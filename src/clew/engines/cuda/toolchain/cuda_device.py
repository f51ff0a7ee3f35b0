"""A GPU: CuPy for memory, cuda.core for kernels, and every failure as a clew error."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
import numpy.typing as npt

from clew.dtypes import Array
from clew.engines.cuda.memory import host_memory, transfer, virtual
from clew.engines.cuda.toolchain import compiler, failures
from clew.engines.cuda.toolchain.device import Device, Grid
from clew.engines.cuda.toolchain.failures import USE_CPU, clean, driver, find_cupy
from clew.engines.cuda.toolchain.source import KernelSource
from clew.errors import ClewError, DeviceError

#: Bytes of dynamic shared memory that need no asking: a block has 48 KiB, of which the kernel's own arrays take some.
FREE_SHARED = 32 << 10
RESERVED_SHARED = 1 << 10  # bytes of it that CUDA takes for every block


@dataclass(eq=False)
class CudaKernel:
    """A kernel of a loaded module."""

    name: str
    handle: Any
    resident: dict[tuple[int, int, int], int] = field(default_factory=dict)
    sparing: tuple[int, int] | None = None  # threads and shared memory of the last ``leave_to_cache``


class CudaDevice(Device):
    """The GPU that CuPy calls current."""

    name = "cuda"
    page = virtual.PAGE
    upload, download, reader = transfer.upload, transfer.download, transfer.reader
    hosted, split, managed = transfer.hosted, transfer.split, transfer.managed

    def __init__(self, ordinal: int = 0) -> None:
        from cuda import core

        super().__init__()
        self.xp = find_cupy()
        self._core = core
        self.ordinal = ordinal
        with clean("the GPU cannot be used"):
            self._device = core.Device(ordinal)
            self._device.set_current()
            self.xp.cuda.Device(ordinal).use()
            self.num_processors = int(self._device.properties.multiprocessor_count)
            self.architecture = f"sm_{self._device.arch}"
        self.cluster_size = 8 if int(self._device.arch) >= 90 else 1
        self._modules: dict[KernelSource, Any] = {}
        self._streams: dict[int, Any] = {}
        self.lanes: list[Any] = []  # of transfer.py
        self.rooms: list[tuple[Array, int]] = []  # of transfer.py: pinned memory for a few bytes, and where it is
        self.pages: WeakValueDictionary[tuple[int, int], Any] = WeakValueDictionary()  # pinned by host_memory.py
        self.watch: Any = None  # called before and after each launch, for measurements
        if int(self._device.arch) < 75:
            raise DeviceError(
                f"this GPU is of generation {self.architecture}; clew's kernels need sm_75 (Turing, 2018) or later.",
                **USE_CPU,
            )
        self._look_up()

    def _look_up(self) -> None:
        """Look up once what every call needs of the libraries."""
        self._array, self._current, self._start = self.xp.ndarray, self.xp.cuda.get_current_stream, self._core.launch

    @property
    def queue(self) -> int:  # type: ignore[override]
        """CuPy's current stream."""
        return self._current().ptr  # type: ignore[no-any-return]

    @cached_property
    def capacity(self) -> int:  # type: ignore[override]
        """The bytes of its memory."""
        return int(self.xp.cuda.Device(self.ordinal).mem_info[1])

    def empty(self, shape: int | tuple[int, ...], dtype: npt.DTypeLike) -> Any:
        """An uninitialised array."""
        try:
            return self._array(shape, dtype)  # what CuPy's ``empty`` calls
        except Exception:
            needed = int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
            with clean(f"an array of {needed:,} bytes does not fit into GPU memory", needed):
                raise

    def zeros(self, shape: int | tuple[int, ...], dtype: npt.DTypeLike) -> Any:
        """An array of zeros."""
        array = self.empty(shape, dtype)
        array.data.memset_async(0, array.nbytes, self.xp.cuda.get_current_stream())
        return array

    def free_memory(self) -> int:
        """What the driver and CuPy's pool can still give."""
        return int(self.xp.cuda.Device().mem_info[0]) + int(self.xp.get_default_memory_pool().free_bytes())

    def why_not_split(self) -> str | None:
        """What the driver cannot do, if anything."""
        return virtual.why_not(self.ordinal)

    def address(self, array: Any) -> int:
        """The pointer of a CuPy array."""
        return int(array.data.ptr)

    def prefetch(self, array: Any) -> None:
        """Start moving managed memory here."""
        transfer.prefetch_bytes(self, array.data.ptr, array.nbytes)

    def pinned(self, shape: int | tuple[int, ...], dtype: npt.DTypeLike) -> Array:
        """Pages of the host that the copy engine can reach."""
        size = int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
        return host_memory.pinned_pages(size)[0].view(dtype).reshape(shape)

    def copy_to(self, target: Any, source: Array) -> None:
        """Start a copy from the host."""
        self._copy(target.data.ptr, source.ctypes.data, source.nbytes, "HostToDevice")

    def copy_from(self, target: Array, source: Any) -> None:
        """Start a copy to the host."""
        self._copy(target.ctypes.data, source.data.ptr, target.nbytes, "DeviceToHost")

    def _copy(self, target: int, source: int, nbytes: int, direction: str) -> None:
        runtime, queue = self.xp.cuda.runtime, self.xp.cuda.get_current_stream()
        with clean("a copy between host and GPU cannot be started"):
            runtime.memcpyAsync(target, source, nbytes, getattr(runtime, f"memcpy{direction}"), queue.ptr)

    def record(self) -> Any:
        """An event in the current stream."""
        event = self.xp.cuda.Event(disable_timing=True)
        event.record(self.xp.cuda.get_current_stream())
        return event

    def _load(self, source: KernelSource, name: str) -> CudaKernel:
        with clean(f"the kernel {name} cannot be loaded"):
            if source not in self._modules:
                code = compiler.cubin(source, self.architecture)
                self._modules[source] = self._core.ObjectCode.from_cubin(code)
            return CudaKernel(name, self._modules[source].get_kernel(name))

    def resident_blocks(self, kernel: CudaKernel, threads: int, shared: int = 0, cluster: int = 1) -> int:
        """How many blocks can run at once."""
        found = kernel.resident.get((threads, shared, cluster))
        if found is None:
            if shared > FREE_SHARED:
                most = max([shared, *(known for _, known, _ in list(kernel.resident))])  # other threads add to it
                _allow_shared(kernel.handle, most, self.ordinal)
            occupancy = kernel.handle.occupancy
            if cluster == 1:
                found = int(occupancy.max_active_blocks_per_multiprocessor(threads, shared)) * self.num_processors
            else:
                config = _config(cluster, threads, shared, True, cluster)
                found = int(occupancy.max_active_clusters(config, stream=self._stream())) * cluster
            if found == 0:
                raise DeviceError(f"no block of {kernel.name} with {threads} threads fits on this GPU.")
            kernel.resident[threads, shared, cluster] = found
        return found

    def leave_to_cache(self, kernel: CudaKernel, threads: int, shared: int = 0) -> None:
        """Have a processor's memory be cache but for the shared memory of the blocks that it can run at once.

        ``shared`` is all that a block has. The driver sets more aside than they take: 102 of 228 KiB where 40 do. The
        driver may ignore the request; the results are the same.
        """
        if kernel.sparing == (threads, shared):
            return
        blocks = self.resident_blocks(kernel, threads, shared) // self.num_processors
        most = int(self._device.properties.max_shared_memory_per_multiprocessor)
        percent = min(100, -(-100 * blocks * (shared + RESERVED_SHARED) // most))
        _set_attribute(kernel.handle, "PREFERRED_SHARED_MEMORY_CARVEOUT", percent, self.ordinal)
        kernel.sparing = (threads, shared)

    def synchronize(self) -> None:
        """Wait until everything launched has ended."""
        with clean("a kernel failed"):
            self.xp.cuda.get_current_stream().synchronize()

    def passed(self, *args: Any) -> tuple[Any, ...]:
        """Pointers instead of arrays."""
        array = self._array
        return tuple(value.data.ptr if isinstance(value, array) else 0 if value is None else value for value in args)

    def start(self, kernel: CudaKernel, grid: Grid, args: Sequence[Any]) -> None:
        """Start a kernel, with few look-ups: they would take longer than the driver."""
        try:
            if self.watch is not None:
                self.watch.before(kernel.name)
            stream = self._streams.get(self._current().ptr) or self._stream()
            self._start(stream, _config(*grid), kernel.handle, *args)
            if self.watch is not None:
                self.watch.after()
        except Exception:
            with clean(f"the kernel {kernel.name} cannot be started"):
                raise

    def _stream(self) -> Any:
        handle = self.queue
        if handle not in self._streams:
            self._streams[handle] = self._core.Stream.from_handle(handle)
        return self._streams[handle]


@lru_cache(maxsize=4096)
def _config(blocks: int, threads: int, shared: int, together: bool, cluster: int) -> Any:
    from cuda.core import LaunchConfig

    clusters: dict[str, Any] = {} if cluster == 1 else {"cluster": cluster}
    return LaunchConfig(grid=blocks // cluster, block=threads, shmem_size=shared, is_cooperative=together, **clusters)


def _allow_shared(kernel: Any, shared: int, ordinal: int) -> None:
    """A block gets more than 48 KiB of shared memory only on request."""
    status = _set_attribute(kernel, "MAX_DYNAMIC_SHARED_SIZE_BYTES", shared, ordinal)
    if status:
        raise DeviceError(f"a block cannot have {shared:,} bytes of shared memory on this GPU ({status}).")


def _set_attribute(kernel: Any, name: str, value: int, ordinal: int) -> str:
    """What the driver says to it; nothing where all is well."""
    attribute = getattr(driver.CUfunction_attribute, f"CU_FUNC_ATTRIBUTE_{name}")
    (status,) = driver.cuKernelSetAttribute(attribute, value, kernel.handle, driver.CUdevice(ordinal))
    return "" if status == driver.CUresult.CUDA_SUCCESS else str(status)


@lru_cache(maxsize=1)
def the_device() -> CudaDevice:
    """The GPU of this process, or a clew error that says what is missing."""
    failures.check_available()
    return CudaDevice()


def reason_unusable() -> str | None:
    """Why clew cannot run on a GPU here, as a sentence; None where it can, and the GPU is ready then.

    More than ``reason_unavailable``: a GPU may be too old, used exclusively by another process, or have failed.
    """
    reason = failures.reason_unavailable() or failures.reason_lost()
    if reason is not None:
        return reason
    try:
        the_device()
    except ClewError as error:
        return error.problem
    return None
