"""Pages of managed memory sent back to the host, so that the next kernel has to fetch them, and fetched before it."""

from __future__ import annotations

from types import TracebackType
from typing import Any, Self

import numpy as np

from clew.engines.cuda.memory.host_memory import host_bytes
from clew.errors import DeviceError

PAGE = 4096  # bytes


class ManagedPages:
    """The managed arrays that a device makes within ``with``, and keeps alive so long."""

    def __init__(self, gpu: Any) -> None:
        self.gpu = gpu
        self.arrays: list[Any] = []

    def __enter__(self) -> Self:
        made_by = self.gpu.managed

        def noted(array: Any, prefetch: bool) -> Any:
            made = made_by(array, prefetch)
            if hasattr(made.data, "ptr"):  # else the device is an emulated one
                self.arrays.append(made)
            return made

        self.gpu.managed = noted
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        del self.gpu.managed  # the method of its class again
        self.arrays.clear()

    def send_back(self, share: float = 1.0) -> None:
        """The first ``share`` of every array to the host: the part that tiered edges have there. Arrays of an emulated
        device are there already.
        """
        for array in self.arrays:
            pointer, size = int(array.data.ptr), int(array.nbytes)
            wanted = size if share >= 1 else int(size * share) // PAGE * PAGE
            if wanted and not _moved(self.gpu, pointer, wanted, to_host=True):
                self.gpu.synchronize()
                np.add.reduce(host_bytes(array, pointer, wanted)[::PAGE], dtype=np.int64)  # slower: the host reads them
        self.gpu.synchronize()

    def fetch(self) -> None:
        """All of every array to the GPU."""
        for array in self.arrays:
            if array.nbytes and not _moved(self.gpu, int(array.data.ptr), int(array.nbytes), to_host=False):
                raise DeviceError("managed memory cannot be prefetched.")


def _moved(gpu: Any, pointer: int, size: int, *, to_host: bool) -> bool:
    """Start moving pages; whether the driver agreed."""
    import cuda.bindings
    from cuda.bindings import driver

    stream = gpu.xp.cuda.get_current_stream().ptr
    if int(cuda.bindings.__version__.split(".")[0]) >= 13:
        kinds = driver.CUmemLocationType
        where = driver.CUmemLocation()
        where.type = kinds.CU_MEM_LOCATION_TYPE_HOST if to_host else kinds.CU_MEM_LOCATION_TYPE_DEVICE
        where.id = 0 if to_host else gpu.ordinal
        (status,) = driver.cuMemPrefetchAsync(pointer, size, where, 0, stream)
    else:
        (status,) = driver.cuMemPrefetchAsync(pointer, size, driver.CUdevice(-1 if to_host else gpu.ordinal), stream)
    return bool(status == driver.CUresult.CUDA_SUCCESS)
